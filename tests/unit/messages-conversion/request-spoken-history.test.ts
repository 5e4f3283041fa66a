import { describe, expect, test } from "bun:test";
import type { ChatMessage } from "@sluice/messages-conversion/chat-completions";
import type { JsonObject } from "@sluice/messages-conversion/json";
import type { ModelFlags } from "@sluice/messages-conversion/model-flags";
import { refusedCall, upstreamMessages } from "../../support/messages/messages-calls.ts";

const image = { type: "image", source: { type: "base64", media_type: "image/png", data: "AA" } };
const opening = { role: "user", content: "go" };
const said = (content: unknown): JsonObject => ({ role: "assistant", content });
const call = { type: "tool_use", id: "c1", name: "f", input: {} };
const result = { type: "tool_result", tool_use_id: "c1", content: "r" };

/** What a message of the assistant becomes. */
function spoken(content: unknown, flags: Partial<ModelFlags> = {}): ChatMessage[] {
  return upstreamMessages([opening, said(content), { role: "user", content: "next" }], flags).slice(1, -1);
}

describe("R11 thinking in the history", () => {
  const thinking = (text: string, signature = "") => ({ type: "thinking", thinking: text, signature });

  test.each<[string, unknown[], Partial<ModelFlags>, JsonObject[]]>([
    [
      "R11 thinking is left out",
      [thinking("t"), { type: "text", text: "a" }],
      {},
      [{ role: "assistant", content: "a" }],
    ],
    ["R11 a message of thinking alone is left out", [thinking("t")], {}, []],
    [
      "R11 B23 reasoning_history=keep keeps thinking, whatever its signature",
      [thinking("t1"), thinking("t2", "sig"), { type: "text", text: "a" }],
      { reasoning_history: "keep" },
      [{ role: "assistant", content: "a", reasoning_content: "t1t2" }],
    ],
    [
      "R11 reasoning_history=keep keeps a message of thinking alone",
      [thinking("t")],
      { reasoning_history: "keep" },
      [{ role: "assistant", content: "", reasoning_content: "t" }],
    ],
    [
      "R11 encrypted thinking is always left out",
      [
        { type: "redacted_thinking", data: "x" },
        { type: "text", text: "a" },
      ],
      { reasoning_history: "keep" },
      [{ role: "assistant", content: "a" }],
    ],
  ])("%s", (_rule, content, flags, expected) => {
    expect(spoken(content, flags)).toEqual(expected as ChatMessage[]);
  });

  test("R11 thinking is on the message with the calls", () => {
    const messages = upstreamMessages([opening, said([thinking("t"), call]), { role: "user", content: [result] }], {
      reasoning_history: "keep",
    });
    expect(messages[1]).toMatchObject({ content: null, reasoning_content: "t", tool_calls: [{ id: "c1" }] });
  });
});

describe("R13 server-side tools in the history", () => {
  test("R13 calls and results of server-side tools become text", () => {
    const content = [
      { type: "text", text: "Let me look." },
      { type: "server_tool_use", id: "s1", name: "web_search", input: { query: "x" } },
      {
        type: "web_search_tool_result",
        tool_use_id: "s1",
        content: [
          { type: "web_search_result", title: "T", url: "https://x", encrypted_content: "zzz" },
          { type: "web_search_result", url: "https://y" },
        ],
      },
      { type: "text", text: "Found." },
    ];
    expect(spoken(content)).toEqual([
      {
        role: "assistant",
        content: 'Let me look.\n[web_search {"query":"x"}]\n[web_search_tool_result: T https://x\nhttps://y]\nFound.',
      },
    ]);
  });

  test.each<[string, JsonObject, string]>([
    [
      "R13 an error of a server-side tool",
      {
        type: "web_search_tool_result",
        tool_use_id: "s1",
        content: { type: "web_search_tool_result_error", error_code: "unavailable" },
      },
      '[web_search_tool_result: {"type":"web_search_tool_result_error","error_code":"unavailable"}]',
    ],
    [
      "R13 what a program printed",
      {
        type: "bash_code_execution_tool_result",
        tool_use_id: "s1",
        content: { type: "r", stdout: "1", encrypted_stdout: "z" },
      },
      '[bash_code_execution_tool_result: {"type":"r","stdout":"1"}]',
    ],
    [
      "R13 a connected server's tool",
      { type: "mcp_tool_use", id: "m1", name: "find", server_name: "s", input: {} },
      "[find {}]",
    ],
    [
      "R13 a connected server's result",
      { type: "mcp_tool_result", tool_use_id: "m1", content: [{ type: "text", text: "a" }] },
      "[mcp_tool_result: a]",
    ],
    ["R13 a summary", { type: "compaction", content: "earlier: a" }, "earlier: a"],
    [
      "R13 a document of text",
      { type: "document", source: { type: "text", media_type: "text/plain", data: "T" } },
      "T",
    ],
    ["R13 an image", image, "[image]"],
    ["R13 an unknown block", { type: "new_thing", a: 1 }, '{"type":"new_thing","a":1}'],
  ])("%s does not leave the message empty", (_rule, block, expected) => {
    expect(spoken([block])).toEqual([{ role: "assistant", content: expected }]);
  });

  test("R25 a result in an assistant message is refused with its path", () => {
    expect(refusedCall({ messages: [opening, said([result])] }).message).toBe(
      "messages.1.content.0: tool_result blocks can only be in user messages",
    );
  });
});
