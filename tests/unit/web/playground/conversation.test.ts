import { expect, test } from "bun:test";
import {
  type Answer,
  awaitsResults,
  emptyStep,
  type Round,
  type Step,
  toMessages,
} from "@sluice/web/src/console/pages/playground/conversation.ts";
import { joinToolCalls } from "@sluice/web/src/console/pages/playground/tool-calls.ts";

const step = (change: Partial<Step>): Step => ({ ...emptyStep, ...change });
const answer = (...steps: readonly Step[]): Answer => ({ model: "some-model", steps });
const round = (text: string, answers: Readonly<Record<string, Answer>> = {}): Round => ({
  id: text,
  text,
  attachments: [],
  answers,
});
const call = { id: "call_1", name: "get_time", arguments: '{"zone":"UTC"}' };
const failed = step({ problem: { code: "upstream_error", message: "It failed.", requestId: null } });

test("a request has the system prompt, what was said, and the new message", () => {
  const rounds = [round("Hi", { "1": answer(step({ text: "Hello." })) }), round("And now?")];
  expect(toMessages(rounds, "1", "Be brief.")).toEqual([
    { role: "system", content: "Be brief." },
    { role: "user", content: "Hi" },
    { role: "assistant", content: "Hello." },
    { role: "user", content: "And now?" },
  ]);
  expect(toMessages(rounds, "1", "  ")[0]).toEqual({ role: "user", content: "Hi" });
});

test("each model continues with its own answers, and one that came later with those of the first", () => {
  const rounds = [round("Hi", { "1": answer(step({ text: "one" })), "2": answer(step({ text: "two" })) }), round("?")];
  expect(toMessages(rounds, "2", "")[1]).toEqual({ role: "assistant", content: "two" });
  expect(toMessages(rounds, "3", "")[1]).toEqual({ role: "assistant", content: "one" });
});

test("a message that nobody has answered is not sent again, but the last one is", () => {
  const rounds = [round("lost", { "1": answer(failed) }), round("kept", { "1": answer(failed) })];
  expect(toMessages(rounds, "1", "")).toEqual([{ role: "user", content: "kept" }]);
});

test("what arrived of an answer that was cut is part of what follows", () => {
  const cut = { ...failed, text: "half" };
  expect(toMessages([round("Hi", { "1": answer(cut) }), round("?")], "1", "")[1]).toEqual({
    role: "assistant",
    content: "half",
  });
});

test("the calls of tools are sent with their results, in the order of the calls", () => {
  const asked = step({ toolCalls: [call, { ...call, id: "call_2" }] });
  expect(awaitsResults(answer(asked))).toBe(true);
  expect(awaitsResults(answer({ ...asked, results: ["1", "2"] }))).toBe(false);
  expect(awaitsResults(answer(failed))).toBe(false);
  const [, called, ...results] = toMessages(
    [round("Hi", { "1": answer({ ...asked, results: ["12:00", "13:00"] }) })],
    "1",
    "",
  );
  expect(called).toMatchObject({
    role: "assistant",
    tool_calls: [{ id: "call_1", type: "function", function: { name: "get_time", arguments: '{"zone":"UTC"}' } }, {}],
  });
  expect(results).toEqual([
    { role: "tool", tool_call_id: "call_1", content: "12:00" },
    { role: "tool", tool_call_id: "call_2", content: "13:00" },
  ]);
});

test("pictures, files and texts come before the message", () => {
  const attachments = [
    { id: "1", name: "a.png", kind: "image" as const, data: "data:image/png;base64,AA==", bytes: 1 },
    { id: "2", name: "b.pdf", kind: "file" as const, data: "data:application/pdf;base64,AA==", bytes: 1 },
    { id: "3", name: "c.txt", kind: "text" as const, data: "text", bytes: 4 },
  ];
  expect(toMessages([{ ...round("What is it?"), attachments }], "1", "")).toEqual([
    {
      role: "user",
      content: [
        { type: "image_url", image_url: { url: "data:image/png;base64,AA==" } },
        { type: "file", file: { filename: "b.pdf", file_data: "data:application/pdf;base64,AA==" } },
        { type: "text", text: "c.txt:\n\ntext" },
        { type: "text", text: "What is it?" },
      ],
    },
  ]);
});

test("the pieces of tool calls are joined by their index", () => {
  const first = joinToolCalls([], [{ index: 0, id: "call_1", function: { name: "get_time", arguments: "" } }]);
  const second = joinToolCalls(first, [
    { index: 0, function: { arguments: '{"zone":' } },
    { index: 1, id: "call_2", function: { name: "other", arguments: "{}" } },
  ]);
  expect(joinToolCalls(second, [{ index: 0, function: { arguments: '"UTC"}' } }])).toEqual([
    call,
    { id: "call_2", name: "other", arguments: "{}" },
  ]);
  // A provider's index that leaves a gap, or is none, makes no hole.
  expect(
    joinToolCalls(
      [],
      [
        { index: 7, id: "call_7" },
        { index: "x", id: "call_8" },
      ],
    ),
  ).toEqual([
    { id: "call_7", name: "", arguments: "" },
    { id: "call_8", name: "", arguments: "" },
  ]);
});
