import type { AnswerFacts } from "@sluice/messages-conversion/answer-facts";
import { MessagesError, ThreadUnsupportedError } from "@sluice/messages-conversion/errors/messages-error";
import { estimateInputTokens } from "@sluice/messages-conversion/estimate-tokens";
import {
  fromMessagesRequest,
  type MessagesRequest,
  modelLookupName,
  readMessagesRequest,
  unknownModel,
} from "@sluice/messages-conversion/request/from-messages-request";
import type { UpstreamTraits } from "../gateway/model.ts";
import { sha256Hex } from "../platform/crypto/digest.ts";
import { readJsonObject } from "../platform/read-json.ts";
import type { UsableModel } from "./model.ts";

/** A body to be converted, with everything that the conversion needs; it can be passed to another thread. */
export type ConversionOrder = {
  readonly bytes: Uint8Array;
  /** Tokens are only counted, and nothing is sent upstream. */
  readonly isCount: boolean;
  /** Fields that could be dropped are refused instead. */
  readonly isStrict: boolean;
  /** The models by the names that clients use. */
  readonly models: ReadonlyMap<string, Pick<UsableModel, "upstreamModel" | "flags">>;
};

/** A request in the other format. */
export type PreparedCall = {
  /** The body for the gateway; empty if only tokens are counted. */
  readonly body: Uint8Array;
  readonly facts: AnswerFacts;
  readonly traits: UpstreamTraits;
  /** Names of the dropped fields, in alphabetical order. */
  readonly dropped: readonly string[];
  readonly isPreWarm: boolean;
  /** The approximate size of the prompt; 0 if the caller does not need it. */
  readonly inputTokens: number;
};

/** Why a body was not converted, in a form that can be passed between threads. */
type Refusal = Pick<MessagesError, "status" | "type" | "message" | "headers"> & { readonly isThread: boolean };

export type ConversionOutcome = {
  /** The model as the client named it, once known. */
  readonly model: string | null;
} & ({ readonly call: PreparedCall } | { readonly refusal: Refusal });

/**
 * Converts the body of a client.
 * @throws AppError `invalid_json`
 */
export function convertBody(order: ConversionOrder): ConversionOutcome {
  const { bytes, isCount } = order;
  const { fields } = readJsonObject(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength));
  let model: string | null = null;
  try {
    const request = readMessagesRequest(fields, !isCount);
    ({ model } = request);
    return { model, call: prepare(request, order) };
  } catch (error) {
    if (!(error instanceof MessagesError)) {
      throw error;
    }
    const { status, type, message, headers } = error;
    return { model, refusal: { status, type, message, headers, isThread: error instanceof ThreadUnsupportedError } };
  }
}

function prepare(request: MessagesRequest, { isCount, isStrict, models }: ConversionOrder): PreparedCall {
  const model = models.get(modelLookupName(request.model));
  if (model === undefined) {
    throw unknownModel(request.model);
  }
  const { upstreamModel, flags } = model;
  const { body, facts, dropped, isPreWarm } = fromMessagesRequest(request, {
    upstreamModel,
    flags,
    sha256Hex,
    isStrict,
  });
  return {
    body: isCount || isPreWarm ? new Uint8Array() : Buffer.from(JSON.stringify(body)),
    facts,
    traits: { takesUsageOption: flags.include_usage, isWholeAtEof: flags.lenient_eof },
    dropped,
    isPreWarm,
    inputTokens: isCount || facts.isStream ? estimateInputTokens(body) : 0,
  };
}

/** The refusal as an error. */
export function toError({ isThread, status, type, message, headers }: Refusal): MessagesError {
  return isThread ? new ThreadUnsupportedError() : new MessagesError(status, type, message, headers);
}
