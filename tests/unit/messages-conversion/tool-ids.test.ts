/** Ids of calls over a whole conversation, as a client sees them that returns every response in its next request. */
import { describe, expect, test } from "bun:test";
import type { ChatMessage } from "@sluice/messages-conversion/chat-completions";
import type { JsonObject } from "@sluice/messages-conversion/json";
import type { ContentBlock } from "@sluice/messages-conversion/messages";
import { toMessagesResponse } from "@sluice/messages-conversion/response/to-messages-response";
import { MessagesStream } from "@sluice/messages-conversion/stream/messages-stream";
import { callPiece, convertCall, done, finish, foldEvents } from "../../support/messages/messages-calls.ts";

const turns = 4;
let made = 0;
const ids = {
  messageId: "msg_0",
  makeToolUseId: () => {
    made += 1;
    return `toolu_made_${made}`;
  },
};

type Answer = (request: ReturnType<typeof convertCall>, upstreamIds: readonly string[]) => readonly ContentBlock[];

const answers: Record<string, Answer> = {
  whole: ({ facts }, upstreamIds) => {
    const calls = upstreamIds.map((id) => ({ id, type: "function", function: { name: "f", arguments: "{}" } }));
    const message = { role: "assistant", content: null, tool_calls: calls };
    return toMessagesResponse({ choices: [{ index: 0, message, finish_reason: "tool_calls" }] }, facts, ids).content;
  },
  streamed: ({ facts }, upstreamIds) => {
    const stream = new MessagesStream({ facts, ids, inputTokens: 1, nowMs: 0 });
    const pieces = upstreamIds.map((id, index) => callPiece({ index, id, name: "f", arguments: "{}" }));
    const events = [...pieces, finish("tool_calls"), done].flatMap((input) => stream.reduce(input, 0));
    return foldEvents(events).content;
  },
};

const callsIn = (messages: readonly ChatMessage[]): string[] =>
  messages.flatMap((message) => (message.role === "assistant" ? (message.tool_calls ?? []).map(({ id }) => id) : []));
const resultsIn = (messages: readonly ChatMessage[]): string[] =>
  messages.flatMap((message) => (message.role === "tool" ? [`${message.tool_call_id}=${message.content}`] : []));

/** A conversation in which the upstream gives the calls of each turn the same ids. */
function converse(answer: Answer, upstreamIds: readonly string[]) {
  const history: JsonObject[] = [{ role: "user", content: "hi" }];
  const seen: string[] = [];
  const said: string[] = [];
  let before: readonly ChatMessage[] = [];
  for (let turn = 0; turn < turns; turn += 1) {
    const request = convertCall({ messages: structuredClone(history), tools: [{ name: "f", input_schema: {} }] });
    const { messages } = request.body;
    expect(messages.slice(0, before.length)).toEqual([...before]);
    before = messages;
    const content = answer(request, upstreamIds);
    const used = content.flatMap((block) => (block.type === "tool_use" ? [block.id] : []));
    seen.push(...used);
    said.push(...used.map((id) => `${id}=${turn}`));
    // Results come in the order in which tools finish.
    const results = used.map((id) => ({ type: "tool_result", tool_use_id: id, content: String(turn) })).toReversed();
    history.push(
      { role: "assistant", content: content as unknown as JsonObject[] },
      { role: "user", content: results },
    );
  }
  return { seen, said, last: convertCall({ messages: history }).body.messages };
}

describe.each(Object.keys(answers))("a conversation, %s", (how) => {
  test.each([[["c1"]], [["0"]], [["functions.Bash:0"]], [["c1", "c2"]], [["c1", "c1"]], [["", "c1", ""]]])(
    "P6 ids %j that start again with each turn are made distinct, and each result belongs to its call",
    (upstreamIds) => {
      const { seen, said, last } = converse(answers[how] as Answer, upstreamIds);
      expect(seen).toHaveLength(turns * upstreamIds.length);
      expect(new Set(seen).size).toBe(seen.length);
      expect(callsIn(last)).toEqual(seen);
      expect(resultsIn(last)).toEqual(said);
    },
  );

  test("P6 the first use of an id stays as the upstream gave it", () => {
    const { seen } = converse(answers[how] as Answer, ["functions.Bash:0"]);
    expect(seen[0]).toBe("functions.Bash:0");
    expect(seen.slice(1).every((id) => id.startsWith("toolu_"))).toBe(true);
  });
});
