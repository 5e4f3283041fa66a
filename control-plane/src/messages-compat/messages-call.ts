import { exitNodeHeader } from "@sluice/exit-protocol/headers";
import { badUpstreamResponse, MessagesError } from "@sluice/messages-conversion/errors/messages-error";
import type { Message } from "@sluice/messages-conversion/messages";
import { toMessageEvents } from "@sluice/messages-conversion/response/to-message-events";
import { toEmptyMessage, toMessagesResponse } from "@sluice/messages-conversion/response/to-messages-response";
import { FreeAnswer } from "../gateway/errors.ts";
import type { GatewayResponse, UpstreamTraits } from "../gateway/model.ts";
import type { TranslatedCall } from "../relay/model.ts";
import { AnswerStream, encodeEvents } from "./answer-stream.ts";
import { Conversion, checkBodyHeaders, makeAnswerIds } from "./conversion.ts";
import type { PreparedCall } from "./convert-body.ts";
import { gatewayHeaders } from "./credentials.ts";
import { errorAnswer, fromGatewayError, toClientError, toRefusal } from "./errors.ts";
import type { ClientAnswer } from "./model.ts";
import { type NativeRequest, readNativeRequest } from "./native-request.ts";
import { NativeStream } from "./native-stream.ts";
import { clientRequestId, type IdentifiedResponse, type Incoming, type RouteDeps } from "./route-deps.ts";

const streamHeaders = {
  "content-type": "text/event-stream",
  "cache-control": "no-cache",
  "x-accel-buffering": "no",
};

/** `POST /msgcompat/v1/messages`. */
export async function answerMessages(deps: RouteDeps, incoming: Incoming): Promise<IdentifiedResponse> {
  const call = new MessagesCall(deps, incoming);
  return { ...(await call.answer), requestId: call.requestId };
}

/** An exit node, or the response cache. */
const originNames = [exitNodeHeader, "x-sluice-cache", "age"];

function originHeaders({ headers }: GatewayResponse): Record<string, string> {
  return Object.fromEntries(Object.entries(headers).filter(([name]) => originNames.includes(name)));
}

const chatPath = "/v1/chat/completions";
const nativePath = "/v1/messages";

/** One call, from the client's request to the first bytes of its response; a stream continues by itself after that. */
class MessagesCall {
  /** Resolves as soon as it is known whether the response is a stream, a message or an error. */
  readonly answer: Promise<ClientAnswer>;
  readonly #deps: RouteDeps;
  readonly #incoming: Incoming;
  readonly #conversion: Conversion;
  readonly #ids = makeAnswerIds();
  readonly #call: TranslatedCall;
  readonly #answering = Promise.withResolvers<ClientAnswer>();
  #passed: Readonly<Record<string, string>> = {};
  #stream: AnswerStream | null = null;
  /** Set once it is known that the gateway gets the call as it is. */
  #native: NativeRequest | null = null;
  #nativeStream: NativeStream | null = null;

  constructor(deps: RouteDeps, incoming: Incoming) {
    const { headers } = incoming.request;
    this.#deps = deps;
    this.#incoming = incoming;
    this.#conversion = new Conversion(deps, headers);
    this.answer = this.#answering.promise;
    incoming.onBegin();
    this.#call = deps.relay.translate(incoming.request, incoming.target, incoming.clientIp, {
      method: "POST",
      path: chatPath,
      finalPath: () => (this.#native === null ? chatPath : nativePath),
      headers: gatewayHeaders(headers),
      toBody: (body) => this.#toBody(body),
      traits: () => (this.#native === null ? this.#conversion.traits : nativeTraits(this.#native)),
    });
    void this.#call.answer.then((answer) => this.#take(answer));
  }

  get requestId(): string {
    return this.#call.requestId;
  }

  async #toBody(bytes: Uint8Array): Promise<Uint8Array> {
    this.#native = readNativeRequest(bytes, this.#deps.models);
    if (this.#native !== null) {
      checkBodyHeaders(this.#incoming.request.headers);
      this.#nativeStream = this.#native.isStream ? this.#openNativeStream() : null;
      return this.#native.body;
    }
    let call: PreparedCall;
    try {
      call = await this.#conversion.convert(bytes, false);
    } catch (error) {
      throw error instanceof MessagesError ? toRefusal(error) : error;
    }
    if (call.isPreWarm) {
      throw new FreeAnswer({ status: 200, headers: {}, body: null });
    }
    if (call.facts.isStream) {
      this.#beginStream(call);
    }
    return call.body;
  }

  #openNativeStream(): NativeStream {
    const stream = new NativeStream({
      captures: this.#deps.captures,
      onEarly: () => this.#answering.resolve({ status: 200, headers: streamHeaders, body: stream.body }),
      onOver: (pieces, bytes) => this.#reportResponse(200, pieces, bytes),
    });
    return stream;
  }

  /** The gateway's response is the client's, whatever it is. */
  #passNative({ status, headers, body }: GatewayResponse): void {
    if (body instanceof ReadableStream) {
      const stream = this.#nativeStream ?? this.#openNativeStream();
      stream.feed(body);
      this.#answering.resolve({ status, headers: { ...streamHeaders, ...headers }, body: stream.body });
      return;
    }
    const bytes = body ?? new Uint8Array();
    if (this.#nativeStream?.isBegun === true) {
      this.#nativeStream.finish(asEvents(status, bytes));
      return;
    }
    this.#nativeStream?.drop();
    this.#reportResponse(status, [bytes], bytes.byteLength);
    this.#answering.resolve({ status, headers, body: bytes });
  }

  #beginStream({ facts, inputTokens }: PreparedCall): void {
    const stream = new AnswerStream({
      facts,
      ids: this.#ids,
      inputTokens,
      captures: this.#deps.captures,
      stallTimeoutMs: this.#deps.patience.stallTimeoutMs,
      onOver: (pieces, bytes) => this.#reportResponse(200, pieces, bytes),
    });
    this.#stream = stream;
    void stream.opened.then((failure) => {
      if (failure === null) {
        const headers = { ...this.#ownHeaders(), ...streamHeaders };
        this.#answering.resolve({ status: 200, headers, body: stream.body });
      } else {
        this.#refuse(failure);
      }
    });
  }

  /** The conversion's own headers, and what the gateway says about where the response came from. */
  #ownHeaders(): Record<string, string> {
    return { ...this.#conversion.headers, ...this.#passed };
  }

  #take(answer: GatewayResponse): void {
    this.#passed = originHeaders(answer);
    try {
      if (this.#native !== null) {
        this.#passNative(answer);
        return;
      }
      if (answer.status >= 400) {
        this.#fail(this.#errorOf(answer));
        return;
      }
      this.#convert(answer);
    } catch (thrown) {
      if (!(thrown instanceof MessagesError)) {
        this.#deps.log.error("messages.failed", { requestId: this.#call.requestId, error: thrown });
      }
      this.#fail(toClientError(thrown));
    }
  }

  /** The gateway repeats the error of the conversion, but only the original is worded for the client. */
  #errorOf(answer: GatewayResponse): MessagesError {
    const { refusal, errorFacts } = this.#conversion;
    return refusal?.status === answer.status ? refusal : fromGatewayError(answer, errorFacts);
  }

  #convert({ body }: GatewayResponse): void {
    const { call } = this.#conversion;
    if (call === null) {
      throw new Error("the gateway answered a call that was not converted");
    }
    const { facts, isPreWarm } = call;
    if (isPreWarm) {
      this.#answerWhole(toEmptyMessage(facts, this.#ids), facts.isStream);
      return;
    }
    if (body instanceof ReadableStream) {
      if (this.#stream === null) {
        void body.cancel();
        throw badUpstreamResponse("The upstream sent a stream that was not requested.");
      }
      void this.#stream.feed(body);
      return;
    }
    const message = toMessagesResponse(parseJson(body), facts, this.#ids);
    if (this.#stream === null) {
      this.#answerWhole(message, false);
    } else {
      this.#stream.finish(message);
    }
  }

  #answerWhole(message: Message, isStream: boolean): void {
    const body = isStream ? encodeEvents(toMessageEvents(message)) : Buffer.from(JSON.stringify(message));
    const type = isStream ? streamHeaders : { "content-type": "application/json" };
    this.#reportResponse(200, [body], body.byteLength);
    this.#answering.resolve({ status: 200, headers: { ...this.#ownHeaders(), ...type }, body });
  }

  #fail(error: MessagesError): void {
    if (this.#stream === null) {
      this.#refuse(error);
    } else {
      this.#stream.fail(error);
    }
  }

  #refuse(error: MessagesError): void {
    const answer = errorAnswer(error, clientRequestId(this.#call.requestId), this.#ownHeaders());
    this.#reportResponse(answer.status, [answer.body], answer.body.byteLength);
    this.#answering.resolve(answer);
  }

  #reportResponse(httpStatus: number, pieces: readonly Uint8Array[], bytes: number): void {
    this.#incoming.onOver(bytes);
    this.#call.respond({ httpStatus, pieces, bytes, model: this.#native?.model ?? this.#conversion.model });
  }
}

function parseJson(body: Uint8Array | null): unknown {
  try {
    return body === null ? null : JSON.parse(Buffer.from(body.buffer, body.byteOffset, body.byteLength).toString());
  } catch {
    return null;
  }
}

/** A response that came whole, for a client that has already received the beginning of a stream. */
function asEvents(status: number, body: Uint8Array): Uint8Array {
  const text = Buffer.from(body.buffer, body.byteOffset, body.byteLength).toString();
  return status >= 400
    ? Buffer.from(`event: error\ndata: ${text}\n\n`)
    : encodeEvents(toMessageEvents(JSON.parse(text) as Message));
}

const nativeTraits = ({ model: clientModel }: NativeRequest): UpstreamTraits => ({
  takesUsageOption: true,
  isWholeAtEof: false,
  clientModel,
});
