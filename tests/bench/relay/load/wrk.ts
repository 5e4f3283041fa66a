/** Runs wrk for JSON calls: one thread in C, so that the load costs less than the cheapest gateway. */
import { join } from "node:path";
import { callBody } from "./chat-request.ts";
import type { LoadPlan, LoadResult } from "./plan.ts";

const ANSWER_SECONDS_MAX = 60;

/** Where a run of wrk finds its script and its core. */
export type WrkPlace = { readonly folder: string; readonly core: number };

type WrkSummary = {
  requests: number;
  microseconds: number;
  p50: number;
  p99: number;
  max: number;
  failures: Record<string, number>;
};

/**
 * Runs the plan; a warm-up is a separate run before the measured one. wrk leaves at the end without waiting for the
 * answers to its last calls: up to `connections` more calls than `answered` may have reached the provider, in each of
 * the two runs.
 * @throws Error when any answer was not 2xx, late or cut
 */
export async function runWrk(plan: LoadPlan, place: WrkPlace): Promise<LoadResult> {
  const warmup = plan.warmupMs > 0 ? await runOnce(plan, place, plan.warmupMs) : null;
  const measured = await runOnce(plan, place, plan.durationMs);
  return {
    answered: measured.requests + (warmup?.requests ?? 0),
    requestsPerSecond: (measured.requests * 1e6) / measured.microseconds,
    latencyMs: { p50: measured.p50 / 1000, p99: measured.p99 / 1000, max: measured.max / 1000 },
    stream: null,
  };
}

async function runOnce(plan: LoadPlan, place: WrkPlace, durationMs: number): Promise<WrkSummary> {
  const script = join(place.folder, "chat.lua");
  await Bun.write(script, luaScript(plan));
  const command = [
    ...["taskset", "-c", String(place.core), "wrk", "--threads", "1", "--latency", "--script", script],
    ...["--connections", String(plan.connections), "--duration", `${Math.max(1, Math.round(durationMs / 1000))}s`],
    ...["--timeout", `${ANSWER_SECONDS_MAX}s`, `http://127.0.0.1:${plan.port}${plan.path}`],
  ];
  const child = Bun.spawn(command, { stdout: "pipe", stderr: "pipe" });
  const [output, errors, code] = await Promise.all([
    new Response(child.stdout).text(),
    new Response(child.stderr).text(),
    child.exited,
  ]);
  const line = output.split("\n").find((each) => each.startsWith("summary "));
  if (code !== 0 || line === undefined) {
    throw new Error(`wrk ended with code ${code}: ${errors || output}`);
  }
  const summary: WrkSummary = JSON.parse(line.slice("summary ".length));
  const failures = Object.entries(summary.failures).filter(([, count]) => count > 0);
  if (failures.length > 0 || summary.requests === 0) {
    const text = failures.map(([kind, count]) => `${count} ${kind}`).join(", ");
    throw new Error(`wrk: ${summary.requests} answers, failures: ${text || "all"}`);
  }
  return summary;
}

function luaScript(plan: LoadPlan): string {
  const headers = plan.headers.map(([name, value]) => `wrk.headers[${quote(name)}] = ${quote(value)}`);
  return `wrk.method = "POST"
wrk.body = ${quote(callBody(plan.call, plan.isStream))}
${headers.join("\n")}
function done(summary, latency, requests)
  local errors = summary.errors
  io.write("\\nsummary ", string.format(
    '{"requests":%d,"microseconds":%d,"p50":%d,"p99":%d,"max":%d,' ..
    '"failures":{"refused connections":%d,"failed reads":%d,"failed writes":%d,"answers without 2xx":%d,"late answers":%d}}',
    summary.requests, summary.duration, latency:percentile(50), latency:percentile(99), latency.max,
    errors.connect, errors.read, errors.write, errors.status, errors.timeout), "\\n")
end
`;
}

/** JSON's escapes are Lua's, for the printable ASCII that a call consists of. */
function quote(text: string): string {
  return JSON.stringify(text);
}
