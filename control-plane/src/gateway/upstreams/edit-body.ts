import { type Bytes, viewOf } from "@sluice/http-client/packet-part";
import { topLevelOf } from "../../platform/scan-json.ts";
import type { RequestChanges } from "../channels/model.ts";
import type { ParsedRequest } from "../model.ts";

/** The content type under which JSON bodies are sent. */
export const jsonContentType = "application/json";

/** A request whose JSON body has the fields that the channel sets, and not those that it removes. */
export function withChangedFields(request: ParsedRequest, changes: RequestChanges): ParsedRequest {
  const isUnchanged = changes.bodyRemoved.length === 0 && Object.keys(changes.bodySet).length === 0;
  return isUnchanged || request.contentType !== jsonContentType
    ? request
    : { ...request, body: changeFields(request.body, changes) };
}

/** The same JSON object with some top-level fields set and others removed; the bytes of all other values stay. */
function changeFields(body: Bytes, { bodySet, bodyRemoved }: RequestChanges): Uint8Array {
  const set = Object.entries(bodySet);
  const bytes = viewOf(body);
  const gone = new Set([...bodyRemoved, ...set.map(([name]) => name)]);
  const topLevel = topLevelOf(bytes);
  const kept = [...topLevel]
    .filter(([name]) => !gone.has(name))
    .map(([name, place]) => Buffer.concat([Buffer.from(`${JSON.stringify(name)}:`), bytes.subarray(...place)]));
  const added = set.map(([name, value]) => Buffer.from(`${JSON.stringify(name)}:${JSON.stringify(value)}`));
  const fields = [...kept, ...added].flatMap((field, index) => (index === 0 ? [field] : [Buffer.from(","), field]));
  return Buffer.concat([Buffer.from("{"), ...fields, Buffer.from("}")]);
}
