import type { ParsedRequest } from "../model.ts";
import { applyEdit, type Place, topLevelOf, trimmed } from "./edit-body.ts";

const quote = 0x22;
/**
 * A request under the provider's name of its model; all other bytes stay. A body without a model keeps none.
 * @param upstreamModel null if the provider's name is the same
 */
export function withModelName(request: ParsedRequest, upstreamModel: string | null): ParsedRequest {
  if (upstreamModel === null || request.modelPlace === null) {
    return request;
  }
  const { body, plainBody, modelPlace } = request;
  const isString = body[modelPlace[0]] === quote;
  const text = Buffer.from(isString ? JSON.stringify(upstreamModel) : upstreamModel);
  return {
    ...request,
    body: applyEdit(body, { place: modelPlace, text }),
    plainBody: plainBody === null ? null : renamePlain(plainBody, text),
  };
}

/** The body without the usage option has its model at another place. */
function renamePlain(body: Uint8Array, text: Buffer): Uint8Array {
  const bytes = Buffer.from(body.buffer, body.byteOffset, body.byteLength);
  const place: Place | undefined = topLevelOf(bytes).get("model");
  return place === undefined ? body : applyEdit(bytes, { place: trimmed(bytes, place), text });
}
