import { monitorEventLoopDelay } from "node:perf_hooks";

/** How late the event loop ran in the last seconds, in milliseconds. */
export type LoopLag = { p99Ms(): number; stop(): void };

const resolutionMs = 20;
const resetMs = 10_000;

/** Measures the lag of the event loop; the figures cover the last ten seconds at most. */
export function watchEventLoop(): LoopLag {
  const histogram = monitorEventLoopDelay({ resolution: resolutionMs });
  histogram.enable();
  const timer = setInterval(() => histogram.reset(), resetMs);
  timer.unref();
  return {
    p99Ms: () => (histogram.count === 0 ? 0 : Math.max(0, histogram.percentile(99) / 1e6 - resolutionMs)),
    stop: () => {
      clearInterval(timer);
      histogram.disable();
    },
  };
}
