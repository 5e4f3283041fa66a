import {
  ConversionError,
  type ConversionSettings,
  type ConvertedRequest,
  type ConvertRequest,
} from "@sluice/dialect-conversion/model";

/** These bound how long a conversion takes, and how much memory. */
const bytesMax = 32 * 1024 * 1024;
const partsMax = 50_000;
/**
 * Quota is held for the client's own bytes, a token for each. Text that a conversion adds has several bytes a token, so
 * that this much more is still within what is held.
 */
const growthMax = 2;
const smallBytes = 16_384;

/** A converted request, and the bytes of its body. */
export type BoundedRequest = { readonly converted: ConvertedRequest; readonly body: Buffer };

/** Converts the bytes of a request. @throws ConversionError, also for one that takes too much work */
export function convertWithinBounds(
  convert: ConvertRequest,
  bytes: Uint8Array,
  settings: ConversionSettings,
): BoundedRequest {
  if (bytes.byteLength > bytesMax) {
    throw new ConversionError("The request is too large for this model: at most 32 MiB can be converted for it.");
  }
  const request = JSON.parse(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString("utf8"));
  if (hasMoreParts(request, partsMax)) {
    throw new ConversionError("The request is too large for this model: it has more than 50,000 objects and lists.");
  }
  const converted = convert(request, settings);
  const body = Buffer.from(JSON.stringify(converted.body));
  if (body.length > bytes.byteLength * growthMax + smallBytes) {
    throw new ConversionError("The request can't be converted for this model: it would become far longer.");
  }
  return { converted, body };
}

/** Whether a value holds more objects and lists than this. */
function hasMoreParts(value: unknown, most: number): boolean {
  const open: unknown[] = [value];
  let parts = 0;
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    parts += 1;
    if (parts > most) {
      return true;
    }
    // `Object.values` of a list takes microseconds for each of its entries.
    for (const inner of Array.isArray(next) ? next : Object.values(next as object)) {
      if (typeof inner === "object" && inner !== null) {
        open.push(inner);
      }
    }
  }
  return false;
}
