/** From a request to its response: credential, path, method, then the endpoint. */
import { answerBatchEmbed, answerEmbed } from "../gemini/embed-contents.ts";
import { answerCountTokens, answerGenerate } from "../gemini/generate-content.ts";
import { answerMessages, answerTokenCount } from "../messages/messages.ts";
import { answerRealtime } from "../realtime/handshake.ts";
import type { Behaviour } from "../script/behaviour.ts";
import type { AuthStyle } from "../script/incoming-request.ts";
import { type Answer, type AnswerHeader, utf8 } from "../wire/plan.ts";
import type { ApiCall } from "./api-call.ts";
import { answerChat } from "./chat-completions.ts";
import { answerCompletion } from "./completions.ts";
import type { Dialect } from "./dialect.ts";
import { answerEmbeddings } from "./embeddings.ts";
import { errorBody, putErrorInside } from "./error-forms.ts";
import { findDialect } from "./find-dialect.ts";
import { type ApiError, bytesAnswer, errorOfStatus, eventsAnswer, jsonAnswer, RequestRefused } from "./json-answer.ts";
import { answerImageForm, answerImages, answerSpeech, answerTranscription } from "./media.ts";
import { answerModels } from "./models.ts";
import { answerModerations } from "./moderations.ts";
import { answerCohereRerank, answerRerank } from "./rerank.ts";
import { answerResponses } from "./responses.ts";

type Endpoint = {
  readonly method: string;
  readonly path: RegExp;
  readonly answer: (call: ApiCall) => Answer | Promise<Answer>;
};

/** Which keys are accepted, and how they may be sent. */
export type Access = {
  /** The only accepted key; null accepts any. */
  readonly requiredKey: string | null;
  /** The accepted ways for every path, `none` for requests without a key; null for those of the dialect. */
  readonly authStyles: readonly (AuthStyle | "none")[] | null;
};

const endpoints: readonly Endpoint[] = [
  { method: "POST", path: /^\/v1\/chat\/completions$/, answer: answerChat },
  { method: "POST", path: /^\/v1\/responses$/, answer: answerResponses },
  { method: "POST", path: /^\/v1\/completions$/, answer: answerCompletion },
  { method: "POST", path: /^\/v1\/embeddings$/, answer: answerEmbeddings },
  { method: "POST", path: /^\/v1\/images\/generations$/, answer: answerImages },
  { method: "POST", path: /^\/v1\/images\/(?:edits|variations)$/, answer: answerImageForm },
  { method: "POST", path: /^\/v1\/audio\/speech$/, answer: answerSpeech },
  { method: "POST", path: /^\/v1\/audio\/(?:transcriptions|translations)$/, answer: answerTranscription },
  { method: "POST", path: /^\/v1\/moderations$/, answer: answerModerations },
  { method: "POST", path: /^\/v1\/rerank$/, answer: answerRerank },
  { method: "POST", path: /^\/v2\/rerank$/, answer: answerCohereRerank },
  { method: "GET", path: /^\/v1\/realtime$/, answer: answerRealtime },
  { method: "POST", path: /^(?:\/anthropic)?\/v1\/messages$/, answer: answerMessages },
  { method: "POST", path: /^(?:\/anthropic)?\/v1\/messages\/count_tokens$/, answer: answerTokenCount },
  { method: "POST", path: /^\/v1(?:beta)?\/models\/[^/:]+:(?:g|streamG)enerateContent$/, answer: answerGenerate },
  { method: "POST", path: /^\/v1(?:beta)?\/models\/[^/:]+:countTokens$/, answer: answerCountTokens },
  { method: "POST", path: /^\/v1(?:beta)?\/models\/[^/:]+:embedContent$/, answer: answerEmbed },
  { method: "POST", path: /^\/v1(?:beta)?\/models\/[^/:]+:batchEmbedContents$/, answer: answerBatchEmbed },
  { method: "GET", path: /^\/v1beta\/models(?:\/[^/:]+)?$/, answer: answerModels },
  { method: "GET", path: /^(?:\/anthropic)?\/v1\/models(?:\/[^/]+)?$/, answer: answerModels },
];

/** The response to one request; refusals use the format of its dialect. */
export async function answerRequest(call: ApiCall, access: Access): Promise<Answer> {
  const dialect = findDialect(call.request);
  const scripted = scriptedAnswer(call, dialect);
  const answer = scripted ?? putErrorInside(await ordinaryAnswer(call, dialect, access), call, dialect);
  return {
    ...answer,
    status: scripted === null && answer.status < 400 ? (call.behaviour.status ?? answer.status) : answer.status,
    headers: [...usualHeaders(call), ...dialect.headers(call), ...answer.headers, ...askedHeaders(call.behaviour)],
    form: dialect.form,
  };
}

async function ordinaryAnswer(call: ApiCall, dialect: Dialect, access: Access): Promise<Answer> {
  try {
    checkCredential(call, dialect, access);
    return await findEndpoint(call).answer(call);
  } catch (error) {
    if (error instanceof RequestRefused) {
      return errorAnswer(error.error, call, dialect);
    }
    throw error;
  }
}

function errorAnswer(error: ApiError, call: ApiCall, dialect: Dialect): Answer {
  return jsonAnswer(errorBody(error, call, dialect), error.status);
}

function checkCredential({ request }: ApiCall, dialect: Dialect, access: Access): void {
  const accepted = access.authStyles ?? dialect.authStyles;
  const sent = request.credentials.filter(({ style }) => accepted.includes(style));
  if (sent.length === 0 && !(accepted.includes("none") && request.credentials.length === 0)) {
    throw new RequestRefused(dialect.keyErrors.missing);
  }
  const { requiredKey } = access;
  if (requiredKey !== null && sent.some(({ value }) => value !== requiredKey)) {
    throw new RequestRefused(dialect.keyErrors.wrong);
  }
}

function findEndpoint({ request }: ApiCall): Endpoint {
  const { path, head } = request;
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
function scriptedAnswer(call: ApiCall, dialect: Dialect): Answer | null {
  const { behaviour } = call;
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
    return eventsAnswer([], status);
  }
  if (typeof behaviour.body === "string") {
    return bytesAnswer(utf8(behaviour.body), status, [["Content-Type", "application/json"]]);
  }
  if (behaviour.body !== undefined) {
    return jsonAnswer(behaviour.body, status);
  }
  return status >= 300 ? errorAnswer(errorOfStatus(status), call, dialect) : null;
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

function usualHeaders(call: ApiCall): readonly AnswerHeader[] {
  return [
    ["Date", new Date(call.createdAtSeconds * 1000).toUTCString()],
    ["Server", "sluice-sandbox"],
  ];
}
