import { type Bytes, viewOf } from "@sluice/http-client/packet-part";
import { applyEdit, trimmed } from "../../platform/edit-json.ts";
import { findField } from "../../platform/find-field.ts";
import type { ParsedRequest } from "../model.ts";
import { jsonContentType } from "./edit-body.ts";

/**
 * A request under the provider's name of its model; all other bytes stay. A body without a model keeps none.
 * @param upstreamModel null if the provider's name is the same
 */
export function withModelName(request: ParsedRequest, upstreamModel: string | null): ParsedRequest {
  if (upstreamModel === null || request.modelPlace === null) {
    return request;
  }
  const { body, plainBody, modelPlace } = request;
  const text = Buffer.from(request.contentType === jsonContentType ? JSON.stringify(upstreamModel) : upstreamModel);
  return {
    ...request,
    body:
      modelPlace === "to_be_found" ? renameInJson(body, text) : applyEdit(viewOf(body), { place: modelPlace, text }),
    // The body without the usage option has its model at another place.
    plainBody: plainBody === null ? null : renameInJson(plainBody, text),
  };
}

/** A request for another model than its client named. */
export function forModel(request: ParsedRequest, name: string): ParsedRequest {
  const { modelPlace: place } = request;
  const renamed = withModelName(request, name);
  const grown = renamed.body.byteLength - request.body.byteLength;
  const isKnown = place !== null && place !== "to_be_found";
  return { ...renamed, model: name, modelPlace: isKnown ? [place[0], place[1] + grown] : place };
}

function renameInJson(body: Bytes, text: Buffer): Bytes {
  const bytes = viewOf(body);
  const place = findField(bytes, "model");
  return place === undefined ? body : applyEdit(bytes, { place: trimmed(bytes, place), text });
}
