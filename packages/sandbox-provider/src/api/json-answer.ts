/** JSON responses, and the refusal of a request, which becomes an error in the format of the client's dialect. */
import { type Answer, type AnswerHeader, type SseEvent, utf8 } from "../wire/plan.ts";

export type ApiError = {
  readonly status: number;
  readonly message: string;
  /** For OpenAI clients; other dialects derive theirs from the status. */
  readonly type?: string;
  readonly param?: string | null;
  readonly code?: string | null;
  /** A behaviour asked for it, not a mistake of the client. */
  readonly isScripted?: boolean;
};

/** Thrown by an endpoint to refuse a request; becomes the response. */
export class RequestRefused extends Error {
  readonly error: ApiError;

  constructor(error: ApiError) {
    super(error.message);
    this.name = "RequestRefused";
    this.error = error;
  }
}

const eventStreamHeaders: readonly AnswerHeader[] = [
  ["Content-Type", "text/event-stream; charset=utf-8"],
  ["Cache-Control", "no-cache"],
];

const jsonHeader: AnswerHeader = ["Content-Type", "application/json"];

export function jsonAnswer(value: unknown, status = 200, headers: readonly AnswerHeader[] = []): Answer {
  return bytesAnswer(utf8(JSON.stringify(value)), status, [jsonHeader, ...headers]);
}

export function bytesAnswer(bytes: Uint8Array, status: number, headers: readonly AnswerHeader[]): Answer {
  return { status, headers, body: { kind: "whole", bytes } };
}

export function eventsAnswer(events: Iterable<SseEvent>, status = 200): Answer {
  return { status, headers: eventStreamHeaders, body: { kind: "events", events } };
}

/** The error that a behaviour with this status asks for. */
export function errorOfStatus(status: number): ApiError {
  return { status, message: `The sandbox answers ${status} because it was told to.`, isScripted: true };
}

/** A 400 that names the parameter. */
export function refuse(message: string, param: string | null = null, code: string | null = null): RequestRefused {
  return new RequestRefused({ status: 400, message, param, code });
}
