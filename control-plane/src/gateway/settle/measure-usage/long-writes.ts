import { type Bytes, viewOf } from "@sluice/http-client/packet-part";
import { plus } from "../../../platform/amount.ts";
import { jsonContentType } from "../../upstreams/edit-body.ts";
import type { AnsweredCall, Measured } from "../../usage-count/model.ts";

/** A part of a prompt that is marked so is kept for an hour, which costs more than the usual time. */
const hour = "1h";
/** How the value can be in JSON: as it is, or with one of its letters escaped. */
const hourTexts = ['"1h"', "\\u0031", "\\u0068"];

/**
 * Only the Messages API says for how long a provider keeps what it wrote to its cache. Elsewhere a request that asks
 * for an hour is charged for that: its provider is.
 */
export function withLongWrites(measured: Measured, { operation, request }: AnsweredCall): Measured {
  const { units } = measured;
  const isUntold = units.cacheWriteTokens > 0 && operation.dialect !== "messages";
  if (!isUntold || request.contentType !== jsonContentType || !asksForHour(request.body)) {
    return measured;
  }
  const cacheWrite1hTokens = plus(units.cacheWrite1hTokens, units.cacheWriteTokens);
  return { ...measured, units: { ...units, cacheWriteTokens: 0, cacheWrite1hTokens } };
}

function asksForHour(body: Bytes): boolean {
  const bytes = viewOf(body);
  return hourTexts.some((text) => bytes.includes(text)) && isMarked(JSON.parse(bytes.toString("utf8")));
}

/** The depth of a body was bounded when it was read. */
function isMarked(value: unknown): boolean {
  if (typeof value !== "object" || value === null) {
    return false;
  }
  if (Array.isArray(value)) {
    return value.some(isMarked);
  }
  return Object.entries(value).some(([name, inner]) => (name === "ttl" && inner === hour) || isMarked(inner));
}
