import type { LoadCall } from "./call.ts";

/** The parameters of a load run and its report; the same for wrk and for our own client. */
export type LoadPlan = {
  readonly port: number;
  readonly path: string;
  readonly headers: readonly HttpHeader[];
  readonly call: LoadCall;
  readonly isStream: boolean;
  readonly connections: number;
  /** Not measured, but part of `answered`, because the CPU time of the gateway includes it. */
  readonly warmupMs: number;
  readonly durationMs: number;
  /** Connections start one after the other over this time, so that paced streams do not move in step. */
  readonly staggerMs: number;
};

export type HttpHeader = readonly [name: string, value: string];

export type Quantiles = { readonly p50: number; readonly p99: number; readonly max: number };

export type LoadResult = {
  /** Complete responses received from beginning to end of the run, including warm-up and drain. */
  readonly answered: number;
  /** Within the measured window. */
  readonly requestsPerSecond: number;
  /** Until the complete response for JSON, until the first byte of the body for streams; milliseconds. */
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
