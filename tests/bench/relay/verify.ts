import type { RunningArm } from "./arm.ts";
import { type Answers, withoutSendTimes } from "./load/answers.ts";
import { chatBody } from "./load/chat-request.ts";

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
  await compare(arm, { isStream: false, contentType: "application/json", expected: decode(answers.jsonBody) });
  await compare(arm, { isStream: true, contentType: "text/event-stream", expected: decode(answers.streamBody) });
}

type Expectation = { readonly isStream: boolean; readonly contentType: string; readonly expected: string };

async function compare(arm: Pick<RunningArm, "port" | "path" | "headers">, expectation: Expectation): Promise<void> {
  const response = await fetch(`http://127.0.0.1:${arm.port}${arm.path}`, {
    method: "POST",
    headers: arm.headers.map(([name, value]): [string, string] => [name, value]),
    body: chatBody(expectation.isStream),
    signal: AbortSignal.timeout(ANSWER_MS_MAX),
  });
  const body = await response.text();
  const what = expectation.isStream ? "stream" : "answer";
  if (response.status !== 200) {
    throw new Error(`the ${what} has status ${response.status}: ${body.slice(0, 500)}`);
  }
  const contentType = response.headers.get("content-type") ?? "";
  if (!contentType.startsWith(expectation.contentType)) {
    throw new Error(`the ${what} has content type "${contentType}"`);
  }
  const received = expectation.isStream ? withoutSendTimes(body) : body;
  if (received !== expectation.expected) {
    const at = firstDifference(received, expectation.expected);
    const excerpt = (text: string) => JSON.stringify(text.slice(Math.max(0, at - 40), at + 80));
    throw new Error(
      `the ${what} differs from the provider's at byte ${at} (${received.length} of ${expectation.expected.length}): ` +
        `${excerpt(received)} instead of ${excerpt(expectation.expected)}`,
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
