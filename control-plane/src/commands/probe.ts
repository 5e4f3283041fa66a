/**
 * Asks the service of this machine whether it takes calls: `sluice probe`, exit code 0 if `/readyz` says so, else 1 with
 * the reasons on stderr. `--live` asks whether it lives. For health checks where nothing else can ask, as in the
 * container image.
 */
import { parseArgs } from "node:util";
import { loadConfig } from "../platform/config.ts";

const timeoutMs = 4_000;

/** A service that listens on all addresses is asked at loopback. */
function addressOf(host: string): string {
  if (["0.0.0.0", "::"].includes(host)) {
    return "127.0.0.1";
  }
  return host.includes(":") ? `[${host}]` : host;
}

async function findFault(path: string): Promise<string | null> {
  try {
    const { HOST, PORT } = loadConfig();
    const answer = await fetch(`http://${addressOf(HOST)}:${PORT}${path}`, { signal: AbortSignal.timeout(timeoutMs) });
    return answer.ok ? null : await answer.text();
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}

const { values } = parseArgs({ options: { live: { type: "boolean", default: false } }, strict: true });
const fault = await findFault(values.live ? "/healthz" : "/readyz");
if (fault !== null) {
  process.stderr.write(`probe: ${fault}\n`);
  process.exitCode = 1;
}
