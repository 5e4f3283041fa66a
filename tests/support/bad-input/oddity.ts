import type { Wanted } from "../calls/refusals.ts";

/** The differences of a request from a good one; null removes a header. */
export type Oddity = {
  readonly path?: string;
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string | null>>;
  readonly body?: string | Uint8Array<ArrayBuffer> | (() => string);
  /** Whose key it has. */
  readonly user?: string;
};
/** A case of bad input: its name (with the number of its group), what is sent, and how it is refused. */
export type BadInput = readonly [name: string, oddity: Oddity, wanted: Wanted];

/** The body limit where these are sent. */
export const bodyBytesMax = 16 * 1024 * 1024;

export const goodRequest = { model: "gpt-4o-mini", messages: [{ role: "user", content: "hello" }] };

/** A good request with some fields replaced. */
export function jsonWith(more: object): string {
  return JSON.stringify({ ...goodRequest, ...more });
}

/** A good request with more text after its fields, which need not be JSON. */
export function jsonAnd(more: string): string {
  return `{"model":"gpt-4o-mini","messages":[{"role":"user","content":"x"}],${more}}`;
}
