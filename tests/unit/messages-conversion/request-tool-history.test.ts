import { describe, expect, test } from "bun:test";
import type { ChatMessage } from "@sluice/messages-conversion/chat-completions";
import type { JsonObject } from "@sluice/messages-conversion/json";
import type { ModelFlags } from "@sluice/messages-conversion/model-flags";
import { refusedCall, upstreamMessages } from "../../support/messages/messages-calls.ts";

const image = { type: "image", source: { type: "base64", media_type: "image/png", data: "AA" } };
const imagePart = { type: "image_url", image_url: { url: "data:image/png;base64,AA" } };
const use = (id: string, more: JsonObject = {}): JsonObject => ({
  type: "tool_use",
  id,
  name: "f",
  input: {},
  ...more,
});
const result = (id: string, content?: unknown, more: JsonObject = {}): JsonObject => ({
  type: "tool_result",
  tool_use_id: id,
  ...(content === undefined ? {} : { content }),
  ...more,
});
const said = (content: unknown): JsonObject => ({ role: "assistant", content });
const answered = (...content: unknown[]): JsonObject => ({ role: "user", content });
const opening = { role: "user", content: "go" };

/** What a turn becomes, without the opening. */
function turn(...messages: JsonObject[]): ChatMessage[] {
  return upstreamMessages([opening, ...messages]).slice(1);
}

function spoken(content: unknown, flags: Partial<ModelFlags> = {}): ChatMessage[] {
  return upstreamMessages([opening, said(content), { role: "user", content: "next" }], flags).slice(1, -1);
}

describe("R7 calls", () => {
  const call = (args: string) => [{ id: "c1", type: "function", function: { name: "f", arguments: args } }];

  test.each<[string, unknown[], Partial<ModelFlags>, JsonObject]>([
    [
      "R7 B21 text beside a call survives",
      [{ type: "text", text: "T" }, use("c1", { input: { a: 1 } })],
      {},
      { content: "T", tool_calls: call('{"a":1}') },
    ],
    ["R7 no text is null", [use("c1")], {}, { content: null, tool_calls: call("{}") }],
    [
      "R7 no text is an empty text where the upstream needs one",
      [use("c1")],
      { empty_content: "empty_string" },
      { content: "", tool_calls: call("{}") },
    ],
    [
      "R7 a missing input is an empty object",
      [{ type: "tool_use", id: "c1", name: "f" }],
      {},
      { content: null, tool_calls: call("{}") },
    ],
    ["R7 a null input is an empty object", [use("c1", { input: null })], {}, { content: null, tool_calls: call("{}") }],
    [
      "R7 arguments are compact and keep the order of their keys",
      [use("c1", { input: { z: [1, { b: null, a: "é" }], a: true } })],
      {},
      { content: null, tool_calls: call('{"z":[1,{"b":null,"a":"é"}],"a":true}') },
    ],
    [
      "R7 fields that only the Messages API has are left out",
      [use("c1", { caller: { type: "direct" }, toolset_name: "x", cache_control: {} })],
      {},
      { content: null, tool_calls: call("{}") },
    ],
  ])("%s", (_rule, content, flags, expected) => {
    const messages = upstreamMessages([opening, said(content), answered(result("c1", "r"))], flags);
    expect(messages[1]).toEqual({ role: "assistant", ...expected } as ChatMessage);
  });

  test("R7 an empty assistant message is left out", () => {
    expect(spoken([])).toEqual([]);
    expect(spoken([{ type: "text", text: "" }])).toEqual([]);
    expect(spoken("")).toEqual([]);
  });

  test.each<[string, JsonObject, string]>([
    ["R7 an id is required", { type: "tool_use", name: "f" }, "messages.1.content.0.tool_use.id: Field required"],
    ["R7 a name is required", { type: "tool_use", id: "c1" }, "messages.1.content.0.tool_use.name: Field required"],
    [
      "R7 an input is an object",
      use("c1", { input: [1] }),
      "messages.1.content.0.tool_use.input: Input should be an object",
    ],
  ])("%s", (_rule, block, message) => {
    expect(refusedCall({ messages: [opening, said([block]), answered(result("c1"))] }).message).toBe(message);
  });

  test("R7 an input that is nested too deeply is refused, not a crash", () => {
    const deep = JSON.parse(`${'{"a":'.repeat(50_000)}1${"}".repeat(50_000)}`);
    expect(
      refusedCall({ messages: [opening, said([use("c1", { input: deep })]), answered(result("c1"))] }).message,
    ).toBe("messages.1.content.0.tool_use.input: Input is nested too deeply");
  });
});

describe("R8 results", () => {
  test("R8 F9 results follow the calls in the order of the calls, before the text of the turn", () => {
    const messages = turn(
      said([use("c1"), use("c2")]),
      answered(
        { type: "text", text: "note" },
        result("c2", "r2"),
        result("c1", [
          { type: "text", text: "a" },
          { type: "text", text: "b" },
        ]),
      ),
    );
    expect(messages.slice(1)).toEqual([
      { role: "tool", tool_call_id: "c1", content: "a\nb" },
      { role: "tool", tool_call_id: "c2", content: "r2" },
      { role: "user", content: "note" },
    ]);
  });

  test.each<[string, unknown, JsonObject, string]>([
    ["R8 no content is an empty text", undefined, {}, ""],
    ["R8 null is an empty text", null, {}, ""],
    ["R8 an empty list is an empty text", [], {}, ""],
    ["R8 texts among the blocks are text blocks", ["a", { type: "text", text: "b" }], {}, "a\nb"],
    ["R8 an error is marked", "no such file", { is_error: true }, "Error: no such file"],
    ["R8 an error that is already marked is not marked twice", "Error: no", { is_error: true }, "Error: no"],
    [
      "R8 an error in the form of a client is left alone",
      "<tool_use_error>no</tool_use_error>",
      { is_error: true },
      "<tool_use_error>no</tool_use_error>",
    ],
    ["R8 an empty error is one word", "", { is_error: true }, "Error"],
    ["R8 is_error=false changes nothing", "fine", { is_error: false }, "fine"],
    ["R8 a loaded tool is named", [{ type: "tool_reference", tool_name: "Grep" }], {}, "[tool loaded: Grep]"],
    [
      "R8 a search result is its text",
      [{ type: "search_result", title: "T", source: "S", content: [{ type: "text", text: "a" }] }],
      {},
      "T\nS\na",
    ],
    [
      "R8 a document of text is its text",
      [{ type: "document", source: { type: "text", media_type: "text/plain", data: "T" } }],
      {},
      "T",
    ],
    [
      "R8 an unknown block is compact JSON",
      [{ type: "browser_state", tabs: [{ tab_id: "1" }], cache_control: {} }],
      {},
      '{"type":"browser_state","tabs":[{"tab_id":"1"}]}',
    ],
    [
      "R8 encoded data is never part of the text",
      [{ type: "audio", source: { type: "base64", media_type: "audio/mp3", data: "AAAA" }, data: "B".repeat(300) }],
      {},
      '{"type":"audio","source":{"type":"base64","media_type":"audio/mp3","data":"[data]"},"data":"[data]"}',
    ],
  ])("%s", (_rule, content, more, expected) => {
    const messages = turn(said([use("c1")]), answered(result("c1", content, more)));
    expect(messages.slice(1)).toEqual([{ role: "tool", tool_call_id: "c1", content: expected }]);
  });

  test("R8 results that are spread over several messages belong to the same turn", () => {
    const messages = turn(
      said([use("c1"), use("c2")]),
      answered(result("c2", "b"), { type: "text", text: "x" }),
      answered(result("c1", "a"), { type: "text", text: "y" }),
    );
    expect(messages.slice(1)).toEqual([
      { role: "tool", tool_call_id: "c1", content: "a" },
      { role: "tool", tool_call_id: "c2", content: "b" },
      { role: "user", content: "x" },
      { role: "user", content: "y" },
    ]);
  });
});

describe("R9 attachments of results", () => {
  const note = "[image attached in the next user message]";

  test("R9 images follow all tool messages in one user message", () => {
    const messages = turn(said([use("c1"), use("c2")]), answered(result("c1", [image]), result("c2", "hi")));
    expect(messages.slice(1)).toEqual([
      { role: "tool", tool_call_id: "c1", content: note },
      { role: "tool", tool_call_id: "c2", content: "hi" },
      { role: "user", content: [{ type: "text", text: "Image from tool result c1:" }, imagePart] },
    ] as ChatMessage[]);
  });

  test("R9 the text of the turn comes after the images, in the same message", () => {
    const content = [{ type: "text", text: "a" }, image, image];
    const messages = turn(said([use("c1")]), answered({ type: "text", text: "see" }, result("c1", content)));
    expect(messages.slice(1)).toEqual([
      { role: "tool", tool_call_id: "c1", content: `a\n${note}\n${note}` },
      {
        role: "user",
        content: [
          { type: "text", text: "Image from tool result c1:" },
          imagePart,
          imagePart,
          { type: "text", text: "see" },
        ],
      },
    ] as ChatMessage[]);
  });

  test("R9 R6 a PDF in a result is handled alike", () => {
    const document = {
      type: "document",
      title: "a.pdf",
      source: { type: "base64", media_type: "application/pdf", data: "AA" },
    };
    const messages = upstreamMessages([opening, said([use("c1")]), answered(result("c1", [document]))], {
      files: true,
    });
    expect(messages.slice(2)).toEqual([
      { role: "tool", tool_call_id: "c1", content: "[document attached in the next user message]" },
      {
        role: "user",
        content: [
          { type: "text", text: "Document from tool result c1:" },
          { type: "file", file: { filename: "a.pdf", file_data: "data:application/pdf;base64,AA" } },
        ],
      },
    ]);
  });

  test("R5 R9 vision=false refuses an image in a result with its path", () => {
    expect(
      refusedCall({ messages: [opening, said([use("c1")]), answered(result("c1", [image]))] }, { vision: false })
        .message,
    ).toBe("messages.2.content.0.tool_result.content.0: images are not supported by this model");
  });
});

describe("R10 calls and results match", () => {
  const unanswered =
    "`tool_use` ids were found without `tool_result` blocks immediately after: c1. Each `tool_use` block must have a corresponding `tool_result` block in the next message.";
  const unexpected = (place: string, id: string) =>
    `${place}: unexpected \`tool_use_id\` found in \`tool_result\` blocks: ${id}. Each \`tool_result\` block must have a corresponding \`tool_use\` block in the previous message.`;

  test.each<[string, JsonObject[], string]>([
    [
      "R10 a call without a result",
      [opening, said([use("c1")]), answered({ type: "text", text: "x" })],
      `messages.1: ${unanswered}`,
    ],
    ["R10 a call at the very end", [opening, said([use("c1")])], `messages.1: ${unanswered}`],
    [
      "R10 a call whose result comes a turn too late",
      [opening, said([use("c1")]), opening, said("x"), answered(result("c1"))],
      `messages.1: ${unanswered}`,
    ],
    [
      "R10 one of two calls without a result",
      [opening, said([use("c1"), use("c2")]), answered(result("c2"))],
      `messages.1: ${unanswered}`,
    ],
    [
      "R10 a result without a call",
      [opening, said("x"), answered(result("c9"))],
      unexpected("messages.2.content.0", "c9"),
    ],
    [
      "R10 a result at the very beginning",
      [answered({ type: "text", text: "a" }, result("c9"))],
      unexpected("messages.0.content.1", "c9"),
    ],
    [
      "R10 F10 the same call twice",
      [opening, said([use("c1"), use("c1")]), answered(result("c1"))],
      "messages.1.content.1: `tool_use` ids must be unique",
    ],
  ])("%s is refused with its path", (_rule, messages, message) => {
    expect(refusedCall({ messages })).toMatchObject({ status: 400, type: "invalid_request_error", message });
  });

  test("R10 of two results for one call the last one counts, with its images", () => {
    const messages = turn(said([use("c1")]), answered(result("c1", [image]), result("c1", "second")));
    expect(messages.slice(1)).toEqual([{ role: "tool", tool_call_id: "c1", content: "second" }]);
  });

  test("R10 the same id in another turn is another call", () => {
    const round = [said([use("call_0")]), answered(result("call_0", "a"))];
    expect(turn(...round, ...round)).toHaveLength(4);
  });
});
