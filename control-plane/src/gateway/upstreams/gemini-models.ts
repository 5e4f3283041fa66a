import { viewOf } from "@sluice/http-client/packet-part";
import { trimmed } from "../../platform/edit-json.ts";
import { itemRanges, type Place, topLevelOf } from "../../platform/scan-json.ts";
import type { ParsedRequest } from "../model.ts";
import type { GeminiPath } from "../operations/gemini-path.ts";

/**
 * A request of the Gemini API under the provider's name of its model. The path has it, and some bodies repeat it; all
 * other bytes stay.
 * @param upstreamModel null if the provider's name is the same
 */
export function withGeminiModel(
  request: ParsedRequest,
  { action }: GeminiPath,
  upstreamModel: string | null,
): ParsedRequest {
  if (upstreamModel === null || action === "generateContent" || action === "streamGenerateContent") {
    return request;
  }
  const bytes = viewOf(request.body);
  const text = Buffer.from(JSON.stringify(`models/${upstreamModel}`));
  const pieces: Buffer[] = [];
  let at = 0;
  for (const [start, end] of objectsIn(bytes, action).flatMap((place) => modelIn(bytes, place))) {
    pieces.push(bytes.subarray(at, start), text);
    at = end;
  }
  return pieces.length === 0 ? request : { ...request, body: Buffer.concat([...pieces, bytes.subarray(at)]) };
}

/** The objects that may name a model, in their order. */
function objectsIn(bytes: Buffer, action: GeminiPath["action"]): readonly Place[] {
  if (action === "embedContent") {
    return [[0, bytes.length]];
  }
  const fields = topLevelOf(bytes);
  if (action === "batchEmbedContents") {
    const requests = fields.get("requests");
    return requests === undefined ? [] : itemRanges(bytes, requests);
  }
  const counted = fields.get("generateContentRequest") ?? fields.get("generate_content_request");
  return counted === undefined ? [] : [counted];
}

function modelIn(bytes: Buffer, [start, end]: Place): readonly Place[] {
  const found = topLevelOf(bytes.subarray(start, end)).get("model");
  return found === undefined ? [] : [trimmed(bytes, [start + found[0], start + found[1]])];
}
