/** A client of the service that hides nothing from a test: exact bytes, framing, and how the connection ended. */

import { patienceMs } from "../values/patience.ts";
import { connectRaw, type RawConnection, rawRequest } from "../wire/raw-tcp-client.ts";

export type RelayedResponse = {
  readonly status: number;
  /** Lower-case names; the last one of a name wins. */
  readonly headers: ReadonlyMap<string, string>;
  /** The body without its framing. */
  readonly body: Buffer;
  /** Whether the body is complete according to its framing. */
  readonly isWhole: boolean;
  readonly requestId: string;
};

export type CallOptions = {
  readonly apiKey: string;
  readonly body: Readonly<Record<string, unknown>>;
  readonly path?: string;
  readonly headers?: readonly string[];
};

const answerMsMax = patienceMs;

/** The bytes of a request, a chat unless it says otherwise, that asks for the connection to be closed after the response. */
export function relayedRequest({ apiKey, body, path, headers }: CallOptions): string {
  const lines = [
    `POST ${path ?? "/v1/chat/completions"} HTTP/1.1`,
    "Host: 127.0.0.1",
    "Connection: close",
    `Authorization: Bearer ${apiKey}`,
    "Content-Type: application/json",
    ...(headers ?? []),
  ];
  const question = "input" in body ? {} : { messages: [{ role: "user", content: "hello" }] };
  return rawRequest(lines, JSON.stringify({ ...question, ...body }));
}

/** Makes a call and waits until the service ends the connection. @throws Error when it does not within 20 s */
export async function relayedCall(url: string, options: CallOptions): Promise<RelayedResponse> {
  const connection = await connectRaw(Number(new URL(url).port));
  connection.send(relayedRequest(options));
  return await finishedAnswer(connection);
}

/** The response on a connection once it has ended. @throws Error when it does not within 20 s */
export async function finishedAnswer(connection: RawConnection): Promise<RelayedResponse> {
  const timer = setTimeout(() => connection.close("rst"), answerMsMax);
  const startedAt = performance.now();
  await connection.ended;
  clearTimeout(timer);
  if (performance.now() - startedAt >= answerMsMax) {
    throw new Error(`the answer did not end: ${Buffer.from(connection.received()).toString("utf8")}`);
  }
  return parseAnswer(Buffer.from(connection.received()));
}

/** Parses a response. @throws Error when its head is incomplete */
export function parseAnswer(bytes: Buffer): RelayedResponse {
  const headEnd = bytes.indexOf("\r\n\r\n");
  const [statusLine = "", ...lines] = bytes.toString("latin1", 0, Math.max(0, headEnd)).split("\r\n");
  const status = /^HTTP\/1\.1 (\d{3})/.exec(statusLine)?.[1];
  if (headEnd === -1 || status === undefined) {
    throw new Error(`no answer: ${bytes.toString("latin1")}`);
  }
  const headers = new Map(
    lines.map((line) => [line.slice(0, line.indexOf(":")).toLowerCase(), line.slice(line.indexOf(":") + 1).trim()]),
  );
  const framed = bytes.subarray(headEnd + 4);
  const length = headers.get("content-length");
  const { body, isWhole } =
    length === undefined ? unchunk(framed) : { body: framed, isWhole: framed.length === Number(length) };
  return { status: Number(status), headers, body, isWhole, requestId: headers.get("x-request-id") ?? "" };
}

function unchunk(framed: Buffer): { body: Buffer; isWhole: boolean } {
  const pieces: Buffer[] = [];
  for (let at = 0; ; ) {
    const lineEnd = framed.indexOf("\r\n", at);
    const size = lineEnd === -1 ? Number.NaN : Number.parseInt(framed.toString("latin1", at, lineEnd), 16);
    if (Number.isNaN(size)) {
      return { body: Buffer.concat(pieces), isWhole: false };
    }
    const start = lineEnd + 2;
    if (size === 0) {
      return { body: Buffer.concat(pieces), isWhole: framed.toString("latin1", start) === "\r\n" };
    }
    pieces.push(framed.subarray(start, start + size));
    at = start + size + 2;
  }
}

/** The payloads of the events in a body, in order; JSON is parsed. */
export function eventPayloads(body: Buffer): unknown[] {
  return body
    .toString("utf8")
    .split(/\r\n\r\n|\n\n|\r\r/)
    .flatMap((event) => {
      const data = event
        .split(/\r\n|\n|\r/)
        .flatMap((line) => (line.startsWith("data:") ? [line.slice(5).trim()] : []));
      return data.length === 0 ? [] : [data[0] === "[DONE]" ? "[DONE]" : parseLeniently(data.join("\n"))];
    });
}

function parseLeniently(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

/** The text that a client would have assembled from a chat stream. */
export function streamedText(body: Buffer): string {
  return eventPayloads(body)
    .map((payload) => (payload as { choices?: { delta?: { content?: string } }[] }).choices?.[0]?.delta?.content ?? "")
    .join("");
}

/** The error in a body or in the last event of a stream, or null. */
export function errorIn(body: Buffer): { code: string; message: string; type: string; param: string | null } | null {
  const text = body.toString("utf8");
  const holder = text.startsWith("{") ? parseLeniently(text) : eventPayloads(body).at(-1);
  return (
    (holder as { error?: { code: string; message: string; type: string; param: null } } | undefined)?.error ?? null
  );
}
