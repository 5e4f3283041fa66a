import type { RequestTotals } from "./record/request-log.ts";
import type { RequestRecord } from "./record/request-record.ts";
import type { Behaviour } from "./script/behaviour.ts";
import type { Conditions } from "./script/rules.ts";

export type ConnectionTotals = {
  readonly opened: number;
  readonly open: number;
  /** Reasons for which requests were refused as broken HTTP. */
  readonly violations: readonly string[];
};

export type SandboxProvider = {
  /** A URL such as `http://127.0.0.1:40123`, without a path. */
  readonly url: string;
  readonly port: number;
  /** All requests since the start or the last reset, in the order of arrival. */
  readonly requests: readonly RequestRecord[];
  readonly totals: RequestTotals & { readonly connections: ConnectionTotals };
  /** How many scripted answers have not been used. */
  readonly scriptedLeft: number;
  /** Appends behaviours to the script, by default for one request each. */
  script(behaviours: Behaviour | readonly Behaviour[], conditions?: Conditions): void;
  /** Empties script, records and the cache of prompts. */
  reset(): void;
  /** Sets the treatment of new connections: accepted as usual, or ended immediately by FIN or RST. */
  setConnectionFault(fault: "none" | "fin" | "rst"): void;
  /**
   * The waits below resolve with the record of the request with that index (from 0); they reject after `timeoutMs`
   * (60,000 by default), or as soon as the event has become impossible.
   */
  waitForRequest(index: number, timeoutMs?: number): Promise<RequestRecord>;
  waitForChunks(index: number, chunks: number, timeoutMs?: number): Promise<RequestRecord>;
  /** Waits until `silence` or `neverAnswer` holds the response. */
  waitForHeld(index: number, timeoutMs?: number): Promise<RequestRecord>;
  waitForEnd(index: number, timeoutMs?: number): Promise<RequestRecord>;
  /** Waits until the client has left before the response was sent. */
  waitForCancel(index: number, timeoutMs?: number): Promise<RequestRecord>;
  /** Waits until no response is in progress. */
  waitForIdle(timeoutMs?: number): Promise<void>;
  /** Stops listening and resets every connection. */
  stop(): Promise<void>;
};
