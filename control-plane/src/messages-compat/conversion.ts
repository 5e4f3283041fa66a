import type { AnswerFacts, AnswerIds } from "@sluice/messages-conversion/answer-facts";
import type { MessagesError } from "@sluice/messages-conversion/errors/messages-error";
import type { ErrorFacts } from "@sluice/messages-conversion/errors/to-messages-error";
import { toCompatDroppedHeader } from "@sluice/messages-conversion/request/dropped-features";
import type { UpstreamTraits } from "../gateway/model.ts";
import { AppError } from "../platform/errors.ts";
import { largeBodyBytesMin } from "../platform/side-thread.ts";
import {
  type ConversionOrder,
  type ConversionOutcome,
  convertBody,
  type PreparedCall,
  toError,
} from "./convert-body.ts";
import type { ModelMap } from "./model-map.ts";

const jsonType = /^application\/(json|[a-z0-9.+-]+\+json)\s*(;|$)/i;
const ordinary: UpstreamTraits = { takesUsageOption: true, isWholeAtEof: false };

export type ConversionDeps = {
  readonly models: ModelMap;
  /** Converts a large body on another thread. */
  readonly convertAside: (order: ConversionOrder) => Promise<ConversionOutcome>;
};

/** The conversion of one request into the other format, and the parts of the request that the response needs. */
export class Conversion {
  readonly #deps: ConversionDeps;
  readonly #headers: Headers;
  #model: string | null = null;
  #call: PreparedCall | null = null;
  #refusal: MessagesError | null = null;

  /** @param headers the client's headers: they describe the body, and may forbid dropping unsupported fields */
  constructor(deps: ConversionDeps, headers: Headers) {
    this.#deps = deps;
    this.#headers = headers;
  }

  /** Why the request was not converted; null if it was. */
  get refusal(): MessagesError | null {
    return this.#refusal;
  }

  get call(): PreparedCall | null {
    return this.#call;
  }

  /** The model as the client named it, once known. */
  get model(): string | null {
    return this.#model;
  }

  /** What the model map says about the upstream and the converted body can't express. */
  get traits(): UpstreamTraits {
    return this.#call?.traits ?? ordinary;
  }

  get errorFacts(): ErrorFacts {
    return this.#call?.facts ?? { requestedModel: this.model ?? "", upstreamModel: "", maxTokens: null };
  }

  /** The header that names the dropped fields. */
  get headers(): Record<string, string> {
    const dropped = toCompatDroppedHeader(this.#call?.dropped ?? []);
    return dropped === null ? {} : { "x-compat-dropped": dropped };
  }

  /**
   * Converts the client's body; a large one on another thread, so that no other call has to wait.
   * @param isCount the request is only counted and not sent upstream
   * @throws MessagesError, which is kept as the refusal, or AppError `invalid_json`, `unsupported_media_type`,
   * `unsupported_encoding`, `temporarily_unavailable`
   */
  convert(bytes: Uint8Array, isCount: boolean): PreparedCall | Promise<PreparedCall> {
    checkBodyHeaders(this.#headers);
    const isStrict = this.#headers.get("x-compat-strict") === "true";
    const order = { bytes, isCount, isStrict, models: this.#deps.models.usable };
    return bytes.byteLength < largeBodyBytesMin
      ? this.#take(convertBody(order))
      : this.#deps.convertAside(order).then((outcome) => this.#take(outcome));
  }

  #take(outcome: ConversionOutcome): PreparedCall {
    this.#model = outcome.model;
    if ("refusal" in outcome) {
      this.#refusal = toError(outcome.refusal);
      throw this.#refusal;
    }
    this.#call = outcome.call;
    return outcome.call;
  }
}

/** The body for the gateway is always JSON, so the client's own content type is checked only here. */
export function checkBodyHeaders(headers: Headers): void {
  const encoding = headers.get("content-encoding");
  if (encoding !== null && encoding.toLowerCase() !== "identity") {
    throw new AppError("unsupported_encoding");
  }
  if (!jsonType.test(headers.get("content-type") ?? "")) {
    throw new AppError("unsupported_media_type", { message: "Send the body as application/json." });
  }
}

/** Makes the ids of one response. None comes from the upstream, so that no id is used twice. */
export function makeAnswerIds(): AnswerIds {
  return { messageId: `msg_${randomId()}`, makeToolUseId: () => `toolu_${randomId()}` };
}

/** 24 random characters. */
function randomId(): string {
  return Buffer.from(crypto.getRandomValues(new Uint8Array(12))).toString("hex");
}

/** The facts that a response is built from. */
export type Answering = { readonly facts: AnswerFacts; readonly ids: AnswerIds };
