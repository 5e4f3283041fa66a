import type { Work } from "../platform/feature.ts";
import { TraceRetention, type TraceRetentionDeps } from "./retention.ts";

/** The jobs that end the retention of traces, and count what is left. */
export function traceWork(deps: TraceRetentionDeps): Work {
  const retention = new TraceRetention(deps);
  return {
    jobs: [
      { name: "trace-retention", pattern: "50 */10 * * * *", run: () => retention.run() },
      { name: "payload-count", pattern: "45 * * * * *", run: () => retention.count() },
    ],
  };
}
