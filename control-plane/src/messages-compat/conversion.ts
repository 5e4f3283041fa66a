import type { AnswerFacts, AnswerIds } from "@sluice/messages-conversion/answer-facts";
import { MessagesError } from "@sluice/messages-conversion/errors/messages-error";
import type { ErrorFacts } from "@sluice/messages-conversion/errors/to-messages-error";
import { toCompatDroppedHeader } from "@sluice/messages-conversion/request/dropped-features";
import {
  type ConvertedRequest,
  fromMessagesRequest,
  type MessagesRequest,
  modelLookupName,
  readMessagesRequest,
  unknownModel,
} from "@sluice/messages-conversion/request/from-messages-request";
import type { UpstreamTraits } from "../gateway/model.ts";
import { sha256Hex } from "../platform/crypto/digest.ts";
import { AppError } from "../platform/errors.ts";
import { readJsonObject } from "../platform/read-json.ts";
import type { ModelMap } from "./model-map.ts";

const jsonType = /^application\/(json|[a-z0-9.+-]+\+json)\s*(;|$)/i;

/** One request on its way into the other format, and what of it the answer needs. */
export class Conversion {
  readonly #models: ModelMap;
  readonly #headers: Headers;
  #request: MessagesRequest | null = null;
  #converted: ConvertedRequest | null = null;
  #refusal: MessagesError | null = null;
  #traits: UpstreamTraits = { takesUsageOption: true, isWholeAtEof: false };

  /** @param headers of the client: they say what the body is, and may refuse what could otherwise be left out */
  constructor(models: ModelMap, headers: Headers) {
    this.#models = models;
    this.#headers = headers;
  }

  /** Why the request was not converted; null while nothing speaks against it. */
  get refusal(): MessagesError | null {
    return this.#refusal;
  }

  get converted(): ConvertedRequest | null {
    return this.#converted;
  }

  /** The model as the client named it, once that is known. */
  get model(): string | null {
    return this.#request?.model ?? null;
  }

  /** What the model map says of the upstream and the converted body can't. */
  get traits(): UpstreamTraits {
    return this.#traits;
  }

  get errorFacts(): ErrorFacts {
    return this.#converted?.facts ?? { requestedModel: this.model ?? "", upstreamModel: "", maxTokens: null };
  }

  /** Names what could not be carried. */
  get headers(): Record<string, string> {
    const dropped = toCompatDroppedHeader(this.#converted?.dropped ?? []);
    return dropped === null ? {} : { "x-compat-dropped": dropped };
  }

  /**
   * Converts the client's body.
   * @throws MessagesError, which is kept as the refusal, or AppError `invalid_json`, `unsupported_media_type`,
   *   `unsupported_encoding`
   */
  convert(bytes: Uint8Array, needsMaxTokens: boolean): ConvertedRequest {
    checkBodyHeaders(this.#headers);
    try {
      const { fields } = readJsonObject(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength));
      const request = readMessagesRequest(fields, needsMaxTokens);
      this.#request = request;
      const model = this.#models.find(modelLookupName(request.model));
      if (model === null) {
        throw unknownModel(request.model);
      }
      const { upstreamModel, flags } = model;
      this.#traits = { takesUsageOption: flags.include_usage, isWholeAtEof: flags.lenient_eof };
      const isStrict = this.#headers.get("x-compat-strict") === "true";
      this.#converted = fromMessagesRequest(request, { upstreamModel, flags, sha256Hex, isStrict });
      return this.#converted;
    } catch (error) {
      if (error instanceof MessagesError) {
        this.#refusal = error;
      }
      throw error;
    }
  }
}

/** What goes on to the gateway is always JSON, so that nobody else looks at what the client calls its body. */
function checkBodyHeaders(headers: Headers): void {
  const encoding = headers.get("content-encoding");
  if (encoding !== null && encoding.toLowerCase() !== "identity") {
    throw new AppError("unsupported_encoding");
  }
  if (!jsonType.test(headers.get("content-type") ?? "")) {
    throw new AppError("unsupported_media_type", { message: "Send the body as application/json." });
  }
}

/** Ids for one answer; none of them is the upstream's, so that none is used twice. */
export function makeAnswerIds(): AnswerIds {
  return { messageId: `msg_${randomId()}`, makeToolUseId: () => `toolu_${randomId()}` };
}

/** 24 characters of chance. */
function randomId(): string {
  return Buffer.from(crypto.getRandomValues(new Uint8Array(12))).toString("hex");
}

/** What the answer of a call is made with. */
export type Answering = { readonly facts: AnswerFacts; readonly ids: AnswerIds };
