import { type Listeners, listen } from "./compose/listen.ts";
import { buildProgram, type Program } from "./compose/program.ts";
import { type Config, loadConfig } from "./platform/config.ts";
import { createLog, type Log } from "./platform/log.ts";

const drainPollMs = 50;
/** How long aborted calls may take to record their end. */
const cutMsMax = 2_000;

const writeLine = (line: string): void => {
  process.stderr.write(line);
};

type Context = { readonly log: Log; readonly config: Config };

/**
 * Reports that this process is not ready, and keeps serving until callers can notice; then refuses new connections and
 * lets running calls end, up to the time limit.
 */
async function drain(program: Program, listeners: Listeners | null, { log, config }: Context): Promise<void> {
  // A call is over when it is settled and the last byte of its response has been sent to the client, however slow.
  const running = () => Math.max(program.inFlight(), listeners?.running() ?? 0);
  program.beginDrain();
  listeners?.beginDrain();
  log.info("program.draining", { inFlight: running() });
  const deadline = performance.now() + config.DRAIN_TIMEOUT_MS;
  await Bun.sleep(Math.min(config.DRAIN_NOTICE_MS, config.DRAIN_TIMEOUT_MS));
  const stopped = listeners?.stop();
  while (running() > 0 && performance.now() < deadline) {
    await Bun.sleep(drainPollMs);
  }
  if (running() > 0) {
    log.warn("program.drain_timed_out", { inFlight: running() });
    await cutOff(program, listeners);
  }
  await Promise.race([stopped, Bun.sleep(drainPollMs)]);
  await program.close();
  log.info("program.stopped");
}

/** Ends running calls as if their clients had left, so that each is recorded with what was delivered. */
async function cutOff(program: Program, listeners: Listeners | null): Promise<void> {
  program.cutOff();
  listeners?.cutOff();
  const deadline = performance.now() + cutMsMax;
  while (program.inFlight() > 0 && performance.now() < deadline) {
    await Bun.sleep(drainPollMs);
  }
}

async function main(): Promise<void> {
  const config = loadConfig();
  const log = createLog(config.LOG_LEVEL, writeLine);
  const program = await buildProgram(config, log);
  let listeners: Listeners | null = null;
  let isStopping = false;
  const stop = () => {
    if (isStopping) {
      return;
    }
    isStopping = true;
    drain(program, listeners, { log, config }).then(
      () => process.exit(0),
      (error: unknown) => {
        log.error("program.stop_failed", { error });
        process.exit(1);
      },
    );
  };
  // A second signal ends the process immediately; a second error must not cut off the calls that the first one lets finish.
  let signals = 0;
  const stopOnSignal = () => {
    signals += 1;
    if (signals > 1) {
      process.exit(1);
    }
    stop();
  };
  process.on("SIGTERM", stopOnSignal);
  process.on("SIGINT", stopOnSignal);
  process.on("uncaughtException", (error) => {
    log.error("program.uncaught", { error });
    stop();
  });
  process.on("unhandledRejection", (error) => {
    log.error("program.unhandled_rejection", { error });
    stop();
  });
  // This line comes last, because its reader may stop the process immediately.
  listeners = listen(program, config, log);
  log.info("program.listening", { url: `http://${config.HOST}:${listeners.port}` });
}

main().catch((error: unknown) => {
  writeLine(`${error instanceof Error ? error.message : String(error)}\n`);
  process.exit(1);
});
