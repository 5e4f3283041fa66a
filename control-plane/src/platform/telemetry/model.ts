type Attributes = Readonly<Record<string, string | number | boolean>>;

/** A finished operation, with its times in milliseconds since 1970. */
export type FinishedSpan = {
  readonly name: string;
  /** `server` for a request that we served, `client` for one that we sent. */
  readonly kind: "server" | "client";
  readonly startMs: number;
  readonly endMs: number;
  readonly attributes: Attributes;
  /** The type of the error, or null. */
  readonly error: string | null;
};

/** A whole trace: one span and its children. The id has 32 hexadecimal digits. */
export type FinishedTrace = {
  readonly traceId: string;
  readonly root: FinishedSpan;
  readonly parts: readonly FinishedSpan[];
};

/** A value for the histogram of this name. */
export type Measurement = { readonly name: string; readonly value: number; readonly attributes: Attributes };

/** The exported data of one record. */
export type TelemetryRecord = { readonly trace: FinishedTrace; readonly measurements: readonly Measurement[] };

export type HistogramSpec = {
  readonly name: string;
  readonly unit: string;
  readonly description: string;
  readonly buckets: readonly number[];
};

export type TelemetrySettings = {
  /** The base URL, to which `/v1/traces` and `/v1/metrics` are appended. */
  readonly endpoint: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly serviceName: string;
  /** The timeout of one request to the receiver. */
  readonly timeoutMs: number;
  readonly metricIntervalMs: number;
};

/** Receives exported records. */
export interface TelemetryReceiver {
  /** @throws when the receiver did not accept it */
  sendTraces(traces: readonly FinishedTrace[]): Promise<void>;
  measure(measurements: readonly Measurement[]): void;
  /** Sends the last sums, taking at most as long as one request may. */
  close(): Promise<void>;
}
