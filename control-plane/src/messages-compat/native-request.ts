import { modelLookupName } from "@sluice/messages-conversion/request/from-messages-request";
import { scanJson } from "../platform/scan-json.ts";
import type { ModelMap } from "./model-map.ts";

/** A request for a model that a channel serves in this API itself. */
export type NativeRequest = {
  /** The model as the client named it. */
  readonly model: string;
  readonly isStream: boolean;
  /** The client's bytes, with the name of the model in the catalog. */
  readonly body: Uint8Array;
};

/** Beyond these limits the gateway refuses a body anyway. */
const limits = { depthMax: 64, keysMax: 100_000, topLevelKeysMax: 1_000, valuesMax: 1_000_000 };

/** Reads only what decides the way of a request; null for one that has to be converted, or refused. */
export function readNativeRequest(bytes: Uint8Array, models: Pick<ModelMap, "findNative">): NativeRequest | null {
  const text = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const { topLevel } = scanJson(text, limits);
  const place = topLevel.get("model");
  const name = place === undefined ? null : valueAt(text, place);
  const target = typeof name === "string" ? models.findNative(modelLookupName(name)) : null;
  if (place === undefined || typeof name !== "string" || target === null) {
    return null;
  }
  const stream = topLevel.get("stream");
  const isStream = stream !== undefined && valueAt(text, stream) === true;
  return { model: name, isStream, body: target === name ? bytes : renamed(text, place, target) };
}

function renamed(text: Buffer, [start, end]: readonly [number, number], target: string): Buffer {
  const value = text.toString("latin1", start, end);
  const before = value.length - value.trimStart().length;
  const after = value.length - value.trimEnd().length;
  return Buffer.concat([
    text.subarray(0, start + before),
    Buffer.from(JSON.stringify(target)),
    text.subarray(end - after),
  ]);
}

function valueAt(text: Buffer, [start, end]: readonly [number, number]): unknown {
  try {
    return JSON.parse(text.toString("utf8", start, end));
  } catch {
    return null;
  }
}
