/**
 * Preloaded into every program that the supervisor keeps running. The supervisor holds the other end of stdin and never
 * writes; when it dies, however suddenly, the kernel closes that end, and the program drains as after a signal.
 */
const { DRAIN_TIMEOUT_MS } = process.env;
const drainMsMax = (Number(DRAIN_TIMEOUT_MS) || 30_000) + 10_000;

function leave(): void {
  process.kill(process.pid, "SIGTERM");
  setTimeout(() => process.kill(process.pid, "SIGKILL"), drainMsMax).unref();
}

process.stdin.once("end", leave);
process.stdin.once("error", leave);
process.stdin.resume();
// Watching the parent must not keep a finished program alive.
process.stdin.unref();
