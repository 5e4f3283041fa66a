import { callHistograms, type ExportedCall, toTelemetry } from "../gateway/telemetry.ts";
import { telemetrySettings } from "../platform/config.ts";
import { counter } from "../platform/metric.ts";
import { TelemetryQueue } from "../platform/telemetry/queue.ts";
import type { Base } from "./base.ts";

/** The OpenTelemetry export; null, with none of it loaded, if it is not configured. */
export async function openTelemetry({ config, log, registry }: Base): Promise<TelemetryQueue<ExportedCall> | null> {
  const settings = telemetrySettings(config);
  if (settings === null) {
    return null;
  }
  const { openOtlpReceiver } = await import("../platform/telemetry/otlp-receiver.ts");
  const dropped = counter(registry, "sluice_telemetry_dropped_total", "Calls that could not be exported.", "reason");
  return new TelemetryQueue({
    receiver: openOtlpReceiver(settings, callHistograms),
    toRecord: toTelemetry,
    onDropped: (count, reason) => dropped(count, reason),
    log,
  });
}
