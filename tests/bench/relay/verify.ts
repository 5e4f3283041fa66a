import type { RunningArm } from "./arm.ts";
import { type Answers, withoutSendTimes } from "./load/answers.ts";
import { type CallDialect, type Conversion, callOf, chatCall, dialectPaths, type LoadCall } from "./load/call.ts";
import { callBody } from "./load/chat-request.ts";
import { dialectAnswers } from "./load/dialect-answers.ts";
import { readAnswer } from "./load/read-answer.ts";

const ANSWER_MS_MAX = 30_000;

/**
 * Calls the arm once without and once with a stream and compares the bodies with what the provider sends, byte for
 * byte; only the send times in a stream differ from call to call.
 * @throws Error that shows both bodies where they differ
 */
export async function verifyAnswers(
  arm: Pick<RunningArm, "port" | "path" | "headers">,
  answers: Answers,
): Promise<void> {
  for (const isStream of [false, true]) {
    const received = await fetchAnswer(arm, chatCall, isStream);
    requireSame(received, decode(isStream ? answers.streamBody : answers.jsonBody), isStream);
  }
}

/** The same for a gateway that may rewrite answers: text and usage are those that the provider sends. */
export function verifyRewritten(arm: Pick<RunningArm, "port" | "headers">, call: LoadCall): Promise<void> {
  return verifyMeaning(arm, call, call.dialect);
}

/**
 * Makes this call once without and once with a stream: text and usage are those that the provider sends in its own
 * dialect.
 * @throws Error that shows both where they differ
 */
export function verifyConversion(arm: Pick<RunningArm, "port" | "headers">, conversion: Conversion): Promise<void> {
  return verifyMeaning(arm, callOf(conversion), conversion.upstream);
}

async function verifyMeaning(
  arm: Pick<RunningArm, "port" | "headers">,
  call: LoadCall,
  upstream: CallDialect,
): Promise<void> {
  const answers = dialectAnswers[upstream];
  const place = { ...arm, path: dialectPaths[call.dialect] };
  for (const isStream of [false, true]) {
    const received = readAnswer(call.dialect, await fetchAnswer(place, call, isStream), isStream);
    const sent = decode(isStream ? answers.streamBody : answers.jsonBody);
    requireSame(JSON.stringify(received), JSON.stringify(readAnswer(upstream, sent, isStream)), isStream);
  }
}

/** The body of an answer with status and content type that are right, with zeros for the send times of a stream. */
async function fetchAnswer(
  arm: Pick<RunningArm, "port" | "path" | "headers">,
  call: LoadCall,
  isStream: boolean,
): Promise<string> {
  const response = await fetch(`http://127.0.0.1:${arm.port}${arm.path}`, {
    method: "POST",
    headers: arm.headers.map(([name, value]): [string, string] => [name, value]),
    body: callBody(call, isStream),
    signal: AbortSignal.timeout(ANSWER_MS_MAX),
  });
  const body = await response.text();
  const what = whatOf(isStream);
  if (response.status !== 200) {
    throw new Error(`the ${what} has status ${response.status}: ${body.slice(0, 500)}`);
  }
  const contentType = response.headers.get("content-type") ?? "";
  if (!contentType.startsWith(isStream ? "text/event-stream" : "application/json")) {
    throw new Error(`the ${what} has content type "${contentType}"`);
  }
  return isStream ? withoutSendTimes(body) : body;
}

function whatOf(isStream: boolean): string {
  return isStream ? "stream" : "answer";
}

function requireSame(received: string, expected: string, isStream: boolean): void {
  if (received !== expected) {
    const at = firstDifference(received, expected);
    const excerpt = (text: string) => JSON.stringify(text.slice(Math.max(0, at - 40), at + 80));
    throw new Error(
      `the ${whatOf(isStream)} differs from the provider's at byte ${at} (${received.length} of ${expected.length}): ` +
        `${excerpt(received)} instead of ${excerpt(expected)}`,
    );
  }
}

function firstDifference(left: string, right: string): number {
  let index = 0;
  while (index < left.length && left[index] === right[index]) {
    index += 1;
  }
  return index;
}

function decode(bytes: Uint8Array): string {
  return new TextDecoder().decode(bytes);
}
