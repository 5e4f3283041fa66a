/** What a load run is asked to do and what it reports; the same for wrk and for our own client. */
export type LoadPlan = {
  readonly port: number;
  readonly path: string;
  readonly headers: readonly HttpHeader[];
  readonly isStream: boolean;
  readonly connections: number;
  /** Not measured, but part of `answered`, because the CPU time of the gateway includes it. */
  readonly warmupMs: number;
  readonly durationMs: number;
  /** Connections begin one after the other over this time, so that paced streams do not move in step. */
  readonly staggerMs: number;
};

export type HttpHeader = readonly [name: string, value: string];

export type Quantiles = { readonly p50: number; readonly p99: number; readonly max: number };

export type LoadResult = {
  /** Whole answers received from beginning to end of the run, warm-up and drain included. */
  readonly answered: number;
  /** Within the measured window. */
  readonly requestsPerSecond: number;
  /** Until the whole answer for JSON, until the first byte of the body for streams; milliseconds. */
  readonly latencyMs: Quantiles;
  readonly stream: StreamResult | null;
};

export type StreamResult = {
  /** Events received from beginning to end of the run. */
  readonly chunks: number;
  readonly chunksPerSecond: number;
  /** From the provider's write to our read, for each event; milliseconds. */
  readonly chunkLatencyMs: Quantiles;
};
