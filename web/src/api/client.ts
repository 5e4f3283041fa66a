import { organisationHeader, organisationParameter } from "@sluice/contracts/organisation-rights";
import type { ResponseOf } from "@sluice/contracts/wire";
import type { ZodType } from "zod";
import { takeFirstResponse } from "./first-responses.ts";

/** The fields of an `ApiError`. */
export type ErrorDetail = {
  readonly code: string;
  readonly message: string;
  readonly status: number;
  readonly requestId?: string | null;
  readonly fields?: Readonly<Record<string, string>>;
  readonly retryAfterSeconds?: number | null;
};

/** What the backend refused, or what prevented a request (`offline`, `unreadable`). */
export class ApiError extends Error {
  readonly code: string;
  /** The status; 0 if there was no response. */
  readonly status: number;
  readonly requestId: string | null;
  /** The error of each field, by name. */
  readonly fields: Readonly<Record<string, string>>;
  readonly retryAfterSeconds: number | null;

  constructor(detail: ErrorDetail) {
    super(detail.message);
    this.name = "ApiError";
    this.code = detail.code;
    this.status = detail.status;
    this.requestId = detail.requestId ?? null;
    this.fields = detail.fields ?? {};
    this.retryAfterSeconds = detail.retryAfterSeconds ?? null;
  }
}

type QueryValue = string | number | boolean | null | undefined;

export type RequestOptions = {
  /** Null, undefined and empty values are omitted. */
  readonly query?: Readonly<Record<string, QueryValue>>;
  readonly signal?: AbortSignal | undefined;
  /** The key of a write, so that a repeated one has no second effect; see `newIdempotencyKey`. */
  readonly idempotencyKey?: string;
  /** Whether the request uses another login than the page, so that its refusal does not end the session here. */
  readonly isOtherLogin?: boolean;
};

let readDetail: (detail: ErrorDetail) => Promise<ErrorDetail> = (detail) => Promise.resolve(detail);

/** Passes every later error to the reader, who may translate it. */
export function readErrorsWith(reader: typeof readDetail): void {
  readDetail = reader;
}

const sessionEnded = new EventTarget();
/** The backend's response to callers without a login. */
const endedCodes: ReadonlySet<string> = new Set(["unauthenticated", "session_expired"]);

/** Whether a request was refused for lack of a login. */
export function isSessionEnd(error: unknown): boolean {
  return error instanceof ApiError && endedCodes.has(error.code);
}

/** Calls back when a response says that the login has expired. */
export function onSessionEnded(handler: () => void): () => void {
  sessionEnded.addEventListener("ended", handler);
  return () => sessionEnded.removeEventListener("ended", handler);
}

let organisation: string | null = null;

/** From now on, requests and download links are for the account of an organisation; null for the person's own. */
export function actForOrganisation(id: string | null): void {
  organisation = id;
}

const refused = new EventTarget();

/** Calls back when a response is refused with this code. */
export function onRefused(code: string, handler: () => void): () => void {
  refused.addEventListener(code, handler);
  return () => refused.removeEventListener(code, handler);
}

let stepUp: (() => Promise<boolean>) | null = null;

/**
 * Asks the visitor to log in again when a response says that the login is not recent. The refused request is then sent
 * once more; `ask` resolves to false if the visitor declines.
 */
export function answerStepUpsWith(ask: () => Promise<boolean>): () => void {
  stepUp = ask;
  return () => {
    stepUp = stepUp === ask ? null : stepUp;
  };
}

export function newIdempotencyKey(): string {
  return [...crypto.getRandomValues(new Uint8Array(16))].map((byte) => byte.toString(16).padStart(2, "0")).join("");
}

/**
 * Requests the backend; returns the fields beside `"ok": true`, typed by the schema that the endpoint declares in
 * packages/contracts: `apiGet<typeof userResponse>("/backend/auth/me/")`. Only types come from there, no zod.
 * @throws ApiError
 */
export async function apiGet<Schema extends ZodType>(
  path: string,
  options: RequestOptions = {},
): Promise<ResponseOf<Schema>> {
  return await send<Schema>(path, { method: "GET" }, options);
}

/**
 * Posts to the backend.
 * @throws ApiError
 */
export async function apiPost<Schema extends ZodType>(
  path: string,
  body: Readonly<Record<string, unknown>>,
  options: RequestOptions = {},
): Promise<ResponseOf<Schema>> {
  const headers: Record<string, string> = { "content-type": "application/json" };
  if (options.idempotencyKey !== undefined) {
    headers["idempotency-key"] = options.idempotencyKey;
  }
  return await send<Schema>(path, { method: "POST", headers, body: JSON.stringify(body) }, options);
}

/** The file that a write responds with, and its name. */
export async function apiFile(
  path: string,
  body: Readonly<Record<string, unknown>>,
): Promise<{ readonly content: Blob; readonly name: string }> {
  const headers = { "content-type": "application/json" };
  const answer = await request(path, { method: "POST", headers, body: JSON.stringify(body) }, {});
  if (!answer.ok) {
    throw await failureOf(answer, await readJson(answer), {});
  }
  const [, name = "data.json"] = /filename="([^"]+)"/.exec(answer.headers.get("content-disposition") ?? "") ?? [];
  return { content: await answer.blob(), name };
}

/** The URL of a download: it names the organisation in its query, as links have no headers. */
export function apiUrl(path: string, query: RequestOptions["query"] = {}): string {
  return urlOf(path, { ...query, [organisationParameter]: organisation });
}

function urlOf(path: string, query: RequestOptions["query"] = {}): string {
  const pairs = Object.entries(query).filter(([, value]) => value !== null && value !== undefined && value !== "");
  const text = new URLSearchParams(pairs.map(([name, value]): [string, string] => [name, String(value)])).toString();
  return text === "" ? path : `${path}?${text}`;
}

async function send<Schema extends ZodType>(
  path: string,
  init: RequestInit,
  options: RequestOptions,
): Promise<ResponseOf<Schema>> {
  try {
    return await sendOnce<Schema>(path, init, options);
  } catch (error) {
    const mayTryAgain = error instanceof ApiError && error.code === "step_up_required" && stepUp !== null;
    if (mayTryAgain && (await stepUp?.())) {
      return await sendOnce<Schema>(path, init, options);
    }
    throw error;
  }
}

async function sendOnce<Schema extends ZodType>(
  path: string,
  init: RequestInit,
  options: RequestOptions,
): Promise<ResponseOf<Schema>> {
  const answer = await request(path, init, options);
  const body = await readJson(answer);
  if (answer.ok && body["ok"] === true) {
    return body as ResponseOf<Schema>;
  }
  throw await failureOf(answer, body, options);
}

async function request(path: string, init: RequestInit, options: RequestOptions): Promise<Response> {
  const address = urlOf(path, options.query);
  // The document asks for the user's own account only.
  const first = init.method === "GET" && organisation === null ? takeFirstResponse(address) : null;
  const response = await first?.catch(() => null);
  options.signal?.throwIfAborted();
  return response ?? (await sendTo(address, init, options.signal));
}

async function sendTo(address: string, init: RequestInit, signal: AbortSignal | undefined): Promise<Response> {
  return await fetch(address, {
    ...init,
    signal: signal ?? null,
    headers: {
      accept: "application/json",
      ...(organisation === null ? {} : { [organisationHeader]: organisation }),
      ...init.headers,
    },
  }).catch(async (reason: unknown) => {
    if (reason instanceof DOMException && reason.name === "AbortError") {
      throw reason;
    }
    const detail = { code: "offline", message: "The service can't be reached.", status: 0 };
    throw new ApiError(await readDetail(detail));
  });
}

async function failureOf(
  answer: Response,
  body: Readonly<Record<string, unknown>>,
  options: RequestOptions,
): Promise<ApiError> {
  const error = new ApiError(await readDetail(toErrorDetail(answer, body)));
  if (isSessionEnd(error) && options.isOtherLogin !== true) {
    sessionEnded.dispatchEvent(new Event("ended"));
  }
  refused.dispatchEvent(new Event(error.code));
  return error;
}

async function readJson(answer: Response): Promise<Record<string, unknown>> {
  try {
    const body: unknown = await answer.json();
    return typeof body === "object" && body !== null ? (body as Record<string, unknown>) : {};
  } catch {
    // Servers between the service and the browser send other bodies; then only the status counts.
    return {};
  }
}

function toErrorDetail(answer: Response, body: Readonly<Record<string, unknown>>): ErrorDetail {
  const error = (typeof body["error"] === "object" && body["error"] !== null ? body["error"] : {}) as {
    readonly code?: unknown;
    readonly message?: unknown;
    readonly request_id?: unknown;
    readonly fields?: unknown;
  };
  const retryAfter = Number(answer.headers.get("retry-after") ?? Number.NaN);
  return {
    code: typeof error.code === "string" ? error.code : "unreadable",
    message: typeof error.message === "string" ? error.message : `The response could not be read (${answer.status}).`,
    status: answer.status,
    requestId: typeof error.request_id === "string" ? error.request_id : answer.headers.get("x-request-id"),
    fields: typeof error.fields === "object" && error.fields !== null ? (error.fields as Record<string, string>) : {},
    retryAfterSeconds: Number.isFinite(retryAfter) ? retryAfter : null,
  };
}
