import type { Bytes } from "@sluice/http-client/packet-part";
import type { ParsedRequest, RequestBounds } from "../../model.ts";

const noBytes = new Uint8Array();

/**
 * What this request has in common with those whose bodies differ only in texts; null if the gateway changes the body, or
 * keeps more of it than usual.
 */
export function keepable(request: ParsedRequest, received: Bytes): ParsedRequest | null {
  const { bounds, body, refusal } = request;
  const isUsual = refusal === undefined && bounds.countedTokens === undefined && bounds.ranks === undefined;
  return isUsual && body === received ? { ...request, body: noBytes } : null;
}

/** The request of a body whose outline is known. Fields are named because this runs for every call. */
export function withTexts(known: ParsedRequest, received: Bytes): ParsedRequest {
  const { byteLength: inputBytes } = received;
  return {
    model: known.model,
    isStream: known.isStream,
    wantsUsage: known.wantsUsage,
    bounds: boundsOf(known, inputBytes),
    inputBytes,
    body: received,
    plainBody: null,
    modelPlace: known.modelPlace,
    contentType: known.contentType,
    cacheKey: known.cacheKey,
    pictureOption: known.pictureOption,
    dropped: known.dropped,
    labels: known.labels ?? null,
  };
}

/** Only the bound of the input depends on the texts: it is the size of the body, or a whole multiple of it. */
function boundsOf({ bounds, inputBytes: knownBytes }: ParsedRequest, inputBytes: number): RequestBounds {
  const { inputTokensMax, searches } = bounds;
  const sized = {
    inputTokensMax: inputTokensMax === null ? null : (inputTokensMax / knownBytes) * inputBytes,
    isOneContext: bounds.isOneContext,
    inputImages: bounds.inputImages,
    inputPages: bounds.inputPages,
    fileLetters: bounds.fileLetters,
    outputTokensMax: bounds.outputTokensMax,
    choices: bounds.choices,
    outputImages: bounds.outputImages,
    audioMs: bounds.audioMs,
    characters: bounds.characters,
  };
  return searches === undefined ? sized : { ...sized, searches };
}
