import type { GatewayCall } from "../model.ts";
import { isGeminiCall } from "../operations/gemini-path.ts";
import { changedCall } from "../port.ts";

const keyHeaders = ["authorization", "x-api-key", "x-goog-api-key"];

/** A call of the Gemini API with its key in a header, which the link signs, and not in the query. */
export function withKeyInHeader(call: GatewayCall): GatewayCall {
  if (!isGeminiCall(call) || call.query === "" || keyHeaders.some((name) => call.headers.get(name) !== null)) {
    return call;
  }
  const query = new URLSearchParams(call.query);
  const key = query.get("key");
  if (key === null || !/^[\x21-\x7e]+$/.test(key)) {
    return call;
  }
  query.delete("key");
  const headers = { get: (name: string) => (name === "x-goog-api-key" ? key : call.headers.get(name)) };
  return changedCall(call, { headers, query: query.size === 0 ? "" : `?${query.toString()}` });
}
