/** From a request to its response: credential, path, method, then the endpoint. */
import { answerRealtime } from "../realtime/handshake.ts";
import type { Behaviour } from "../script/behaviour.ts";
import { type Answer, type AnswerHeader, utf8 } from "../wire/plan.ts";
import type { ApiCall } from "./api-call.ts";
import { answerChat } from "./chat-completions.ts";
import { answerCompletion } from "./completions.ts";
import { answerEmbeddings } from "./embeddings.ts";
import {
  bytesAnswer,
  errorAnswer,
  errorOfStatus,
  eventStreamHeaders,
  jsonAnswer,
  RequestRefused,
} from "./json-answer.ts";
import { answerImages, answerSpeech, answerTranscription } from "./media.ts";
import { answerModels } from "./models.ts";
import { answerModerations } from "./moderations.ts";
import { answerRerank } from "./rerank.ts";
import { answerResponses } from "./responses.ts";

type Endpoint = {
  readonly method: string;
  readonly path: RegExp;
  readonly answer: (call: ApiCall) => Answer | Promise<Answer>;
};

const endpoints: readonly Endpoint[] = [
  { method: "POST", path: /^\/v1\/chat\/completions$/, answer: answerChat },
  { method: "POST", path: /^\/v1\/responses$/, answer: answerResponses },
  { method: "POST", path: /^\/v1\/completions$/, answer: answerCompletion },
  { method: "POST", path: /^\/v1\/embeddings$/, answer: answerEmbeddings },
  { method: "POST", path: /^\/v1\/images\/generations$/, answer: answerImages },
  { method: "POST", path: /^\/v1\/audio\/speech$/, answer: answerSpeech },
  { method: "POST", path: /^\/v1\/audio\/(?:transcriptions|translations)$/, answer: answerTranscription },
  { method: "POST", path: /^\/v1\/moderations$/, answer: answerModerations },
  { method: "POST", path: /^\/v1\/rerank$/, answer: answerRerank },
  { method: "GET", path: /^\/v1\/realtime$/, answer: answerRealtime },
  { method: "GET", path: /^\/v1\/models(?:\/[^/]+)?$/, answer: answerModels },
];

/** The response to one request; refusals use the OpenAI format. A `requiredKey` of null accepts any credential. */
export async function answerRequest(call: ApiCall, requiredKey: string | null): Promise<Answer> {
  const scripted = scriptedAnswer(call.behaviour);
  const answer = scripted ?? (await ordinaryAnswer(call, requiredKey));
  return {
    ...answer,
    status: scripted === null && answer.status < 400 ? (call.behaviour.status ?? answer.status) : answer.status,
    headers: [...commonHeaders(call), ...answer.headers, ...askedHeaders(call.behaviour)],
  };
}

async function ordinaryAnswer(call: ApiCall, requiredKey: string | null): Promise<Answer> {
  try {
    return await findEndpoint(call, requiredKey).answer(call);
  } catch (error) {
    if (error instanceof RequestRefused) {
      return errorAnswer(error.error);
    }
    throw error;
  }
}

function findEndpoint({ request }: ApiCall, requiredKey: string | null): Endpoint {
  const { credential, path, head } = request;
  if (credential === null) {
    const message = "You didn't provide an API key. Send it in an Authorization header: 'Authorization: Bearer KEY'.";
    throw new RequestRefused({ status: 401, message });
  }
  if (requiredKey !== null && credential !== requiredKey) {
    throw new RequestRefused({ status: 401, message: "Incorrect API key provided.", code: "invalid_api_key" });
  }
  const onPath = endpoints.filter((candidate) => candidate.path.test(path));
  const endpoint = onPath.find((candidate) => candidate.method === head.method);
  if (endpoint !== undefined) {
    return endpoint;
  }
  if (onPath.length > 0) {
    const message = `Not allowed to ${head.method} on ${path}.`;
    throw new RequestRefused({ status: 405, message, code: "method_not_supported" });
  }
  throw new RequestRefused({ status: 404, message: `Invalid URL (${head.method} ${path})` });
}

/** The response if the behaviour already determines all of it, without reading the request. */
function scriptedAnswer(behaviour: Behaviour): Answer | null {
  const status = behaviour.status ?? (behaviour.redirectTo === undefined ? 200 : 307);
  if (behaviour.isHtmlBody === true) {
    const title = `${status} Sandbox`;
    const page = `<html>\r\n<head><title>${title}</title></head>\r\n<body><center><h1>${title}</h1></center></body>\r\n</html>\r\n`;
    return bytesAnswer(utf8(page), status, [["Content-Type", "text/html"]]);
  }
  if (behaviour.hugeBodyBytes !== undefined) {
    return bytesAnswer(new Uint8Array(0), status, [["Content-Type", "text/plain"]]);
  }
  if (behaviour.events !== undefined) {
    return { status, headers: eventStreamHeaders, body: { kind: "events", events: [] } };
  }
  if (typeof behaviour.body === "string") {
    return bytesAnswer(utf8(behaviour.body), status, [["Content-Type", "application/json"]]);
  }
  if (behaviour.body !== undefined) {
    return jsonAnswer(behaviour.body, status);
  }
  return status >= 300 ? errorAnswer(errorOfStatus(status)) : null;
}

function askedHeaders(behaviour: Behaviour): AnswerHeader[] {
  const headers: AnswerHeader[] = [];
  if (behaviour.retryAfter !== undefined) {
    headers.push(["Retry-After", String(behaviour.retryAfter)]);
  }
  if (behaviour.redirectTo !== undefined) {
    headers.push(["Location", behaviour.redirectTo]);
  }
  return headers;
}

/**
 * Headers that the real provider adds to every response, so that tests can see whether a gateway keeps or drops them.
 */
function commonHeaders(call: ApiCall): AnswerHeader[] {
  return [
    ["Date", new Date(call.createdAtSeconds * 1000).toUTCString()],
    ["Server", "sluice-sandbox"],
    ["x-request-id", `req_sandbox_${call.index}`],
    ["openai-organization", "sandbox-organization"],
    ["openai-processing-ms", "1"],
    ["openai-version", "2020-10-01"],
    ["x-ratelimit-limit-requests", "10000"],
    ["x-ratelimit-remaining-requests", "9999"],
    ["x-ratelimit-reset-requests", "6ms"],
  ];
}
