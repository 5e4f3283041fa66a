import { Agent } from "./agent.ts";
import { type Config, loadConfig, wholeEnvironment } from "./config.ts";
import { ConfigError } from "./config-error.ts";
import { assertOwnAddress } from "./egress-address.ts";
import { Listener } from "./listener.ts";
import { replaceForOwnMemory } from "./own-memory.ts";
import { version } from "./version.ts";

const drainPollMs = 25;

const help = `sluice-node-agent ${version}: an exit node of Sluice.

  sluice-node-agent                 runs, with the settings of the environment
  sluice-node-agent --check-config  says whether the settings can be used, and ends
  sluice-node-agent --version       prints the version
  sluice-node-agent --help          prints this

SIGHUP reads keys, accounts and certificates again; SIGTERM lets running calls end and stops.
`;

const writeLine = (line: string): void => {
  process.stderr.write(line);
};

async function drain(agent: Agent, listener: Listener, config: Config): Promise<void> {
  const running = () => Math.max(agent.inFlight, listener.pending);
  agent.beginDrain();
  listener.beginClosing();
  agent.log.info("agent.draining", { inFlight: running() });
  const deadline = performance.now() + config.drainTimeoutMs;
  await Bun.sleep(Math.min(config.drainNoticeMs, config.drainTimeoutMs));
  listener.stop();
  while (running() > 0 && performance.now() < deadline) {
    await Bun.sleep(drainPollMs);
  }
  if (running() > 0) {
    agent.log.warn("agent.drain_timed_out", { inFlight: running() });
  }
  listener.cut();
  agent.close();
  agent.log.info("agent.stopped");
}

async function reload(agent: Agent, listener: Listener): Promise<void> {
  if (!agent.reload()) {
    return;
  }
  try {
    if (await listener.renew()) {
      agent.log.info("agent.certificate_renewed");
    }
  } catch (error) {
    agent.log.error("agent.certificate_refused", { reason: error instanceof ConfigError ? error.message : "unknown" });
  }
}

function run(config: Config): void {
  const agent = new Agent(config, writeLine);
  const listener = new Listener(agent, config);
  let signals = 0;
  const stop = () => {
    signals += 1;
    // A second signal ends the process immediately.
    if (signals > 1) {
      process.exit(1);
    }
    drain(agent, listener, config).then(
      () => process.exit(0),
      () => process.exit(1),
    );
  };
  process.on("SIGTERM", stop);
  process.on("SIGINT", stop);
  process.on("SIGHUP", () => void reload(agent, listener));
  const onUnexpected = (thrown: unknown) => {
    agent.log.error("agent.uncaught", { error: thrown instanceof Error ? thrown.message : "not an error" });
    stop();
  };
  process.on("uncaughtException", onUnexpected);
  process.on("unhandledRejection", onUnexpected);
  // This line comes last, because its reader may send a signal immediately.
  agent.log.info("agent.listening", { host: config.host, port: listener.port, hasTls: config.tls !== null, version });
}

function main(argument: string | undefined): void {
  switch (argument) {
    case undefined: {
      replaceForOwnMemory(wholeEnvironment());
      const config = loadConfig();
      assertOwnAddress(config.egressAddress);
      run(config);
      break;
    }
    case "--check-config": {
      const config = loadConfig();
      assertOwnAddress(config.egressAddress);
      new Agent(config, writeLine).close();
      process.stdout.write("The configuration can be used.\n");
      break;
    }
    case "--version":
      process.stdout.write(`sluice-node-agent ${version}\n`);
      break;
    case "--help":
      process.stdout.write(help);
      break;
    default:
      throw new ConfigError("This option is not known; --help lists the options.");
  }
}

try {
  main(process.argv[2]);
} catch (error) {
  writeLine(`${error instanceof ConfigError ? error.message : "The agent could not start: an unexpected error."}\n`);
  process.exitCode = 1;
}
