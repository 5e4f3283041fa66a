import { randomBytes } from "node:crypto";
import { type HrTime, SpanKind, SpanStatusCode, TraceFlags } from "@opentelemetry/api";
import { OTLPMetricExporter } from "@opentelemetry/exporter-metrics-otlp-http";
import { OTLPTraceExporter } from "@opentelemetry/exporter-trace-otlp-http";
import { type Resource, resourceFromAttributes } from "@opentelemetry/resources";
import { MeterProvider, PeriodicExportingMetricReader } from "@opentelemetry/sdk-metrics";
import type { ReadableSpan } from "@opentelemetry/sdk-trace";
import type {
  FinishedSpan,
  FinishedTrace,
  HistogramSpec,
  Measurement,
  TelemetryReceiver,
  TelemetrySettings,
} from "./model.ts";

const scope = { name: "sluice" };

/** A receiver over OTLP/HTTP. Spans are created when a call is over, so that none is kept while it runs. */
export function openOtlpReceiver(settings: TelemetrySettings, histograms: readonly HistogramSpec[]): TelemetryReceiver {
  const { endpoint, headers, timeoutMs, serviceName, metricIntervalMs } = settings;
  const resource = resourceFromAttributes({ "service.name": serviceName });
  const urlOf = (signal: string): string => `${endpoint.replace(/\/$/, "")}/v1/${signal}`;
  const reached = { headers: { ...headers }, timeoutMillis: timeoutMs, concurrencyLimit: 1 };
  const exporter = new OTLPTraceExporter({ ...reached, url: urlOf("traces") });
  const meters = new MeterProvider({
    resource,
    readers: [
      new PeriodicExportingMetricReader({
        exporter: new OTLPMetricExporter({ ...reached, url: urlOf("metrics") }),
        exportIntervalMillis: metricIntervalMs,
        exportTimeoutMillis: Math.min(timeoutMs, metricIntervalMs),
      }),
    ],
  });
  const meter = meters.getMeter(scope.name);
  const instruments = new Map(
    histograms.map(({ name, unit, description, buckets }) => [
      name,
      meter.createHistogram(name, { unit, description, advice: { explicitBucketBoundaries: [...buckets] } }),
    ]),
  );
  return {
    sendTraces: (traces) =>
      new Promise((resolve, reject) => {
        exporter.export(
          traces.flatMap((trace) => toSpans(trace, resource)),
          ({ code, error }) =>
            code === 0 ? resolve() : reject(error ?? new Error("the receiver did not accept the traces")),
        );
      }),
    measure: (measurements: readonly Measurement[]) => {
      for (const { name, value, attributes } of measurements) {
        instruments.get(name)?.record(value, { ...attributes });
      }
    },
    close: async () => {
      await Promise.allSettled([meters.shutdown({ timeoutMillis: timeoutMs }), exporter.shutdown()]);
    },
  };
}

function toSpans({ traceId, root, parts }: FinishedTrace, resource: Resource): ReadableSpan[] {
  const context = () => ({ traceId, spanId: randomBytes(8).toString("hex"), traceFlags: TraceFlags.SAMPLED });
  const rootContext = context();
  return [
    toSpan(root, { resource, context: rootContext }),
    ...parts.map((part) => toSpan(part, { resource, context: context(), parent: rootContext })),
  ];
}

type Context = ReturnType<ReadableSpan["spanContext"]>;

function toSpan(
  { name, kind, startMs, endMs, attributes, error }: FinishedSpan,
  { resource, context, parent }: { readonly resource: Resource; readonly context: Context; readonly parent?: Context },
): ReadableSpan {
  return {
    name,
    kind: kind === "server" ? SpanKind.SERVER : SpanKind.CLIENT,
    spanContext: () => context,
    ...(parent === undefined ? {} : { parentSpanContext: parent }),
    startTime: toTime(startMs),
    endTime: toTime(endMs),
    duration: toTime(endMs - startMs),
    status: error === null ? { code: SpanStatusCode.UNSET } : { code: SpanStatusCode.ERROR, message: error },
    attributes: error === null ? { ...attributes } : { ...attributes, "error.type": error },
    links: [],
    events: [],
    ended: true,
    resource,
    instrumentationScope: scope,
    droppedAttributesCount: 0,
    droppedEventsCount: 0,
    droppedLinksCount: 0,
  };
}

function toTime(ms: number): HrTime {
  const seconds = Math.floor(ms / 1_000);
  return [seconds, Math.round((ms - seconds * 1_000) * 1e6)];
}
