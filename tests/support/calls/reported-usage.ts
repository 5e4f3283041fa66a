import type { Dialect } from "@sluice/contracts/upstreams";
import { StreamUsage } from "@sluice/control-plane/gateway/settle/measure-usage/stream-usage.ts";
import type { ReportedUnits } from "@sluice/control-plane/gateway/usage-count/units.ts";

/** The usage that a stream of these events reports. */
export function reportedBy(
  events: readonly Record<string, unknown>[],
  dialect: Dialect = "chat",
): ReportedUnits | null {
  const usage = new StreamUsage(dialect);
  for (const event of events) {
    usage.add(event);
  }
  return usage.reported;
}
