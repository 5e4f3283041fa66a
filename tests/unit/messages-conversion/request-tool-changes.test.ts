/** What messages of a conversation change about its tools and its effort, as `role: "system"` entries carry it. */
import { describe, expect, test } from "bun:test";
import type { JsonObject } from "@sluice/messages-conversion/json";
import type { ReasoningEffort } from "@sluice/messages-conversion/model-flags";
import { convertCall, refusedCall, upstreamBody } from "../../support/messages/messages-calls.ts";

const tool = (name: string, more: JsonObject = {}): JsonObject => ({ name, input_schema: { type: "object" }, ...more });
const reference = (name: string): JsonObject => ({ type: "tool_reference", name });
const added = (what: JsonObject): JsonObject => ({ type: "tool_addition", tool: what });
const removed = (name: string): JsonObject => ({ type: "tool_removal", tool: reference(name) });
const definition = (value: JsonObject): JsonObject => ({ type: "tool_definition", definition: value });

/** A conversation in which each of the lists of blocks is a separate system message. */
function talk(...changes: readonly JsonObject[][]): JsonObject[] {
  const turns = changes.flatMap((content) => [
    { role: "system", content },
    { role: "assistant", content: "ok" },
    { role: "user", content: "go on" },
  ]);
  return [{ role: "user", content: "hi" }, ...turns];
}

const toolNames = (messages: readonly JsonObject[], tools: readonly JsonObject[] = [tool("f"), tool("g")]) =>
  upstreamBody({ tools, messages }).tools?.map(({ function: { name } }) => name);

describe("R3 R12 tools that change during the conversation", () => {
  test.each<[string, JsonObject[], string[] | undefined]>([
    ["R12 a removed tool is not offered", talk([removed("f")]), ["g"]],
    ["R12 a tool that comes back is offered again", talk([removed("f")], [added(reference("f"))]), ["g", "f"]],
    ["R12 a tool that comes and goes is not offered", talk([added(reference("f"))], [removed("f")]), ["g"]],
    [
      "R12 a tool that is defined during the conversation is offered",
      talk([added(definition(tool("h")))]),
      ["f", "g", "h"],
    ],
    [
      "R12 a tool can be defined, removed and named again",
      talk([added(definition(tool("h"))), removed("h")], [added(reference("h"))]),
      ["f", "g", "h"],
    ],
    ["R12 a conversation whose last tool was removed sends no tools", talk([removed("f"), removed("g")]), undefined],
    ["R12 an unknown tool can be removed", talk([removed("unknown")]), ["f", "g"]],
  ])("%s", (_rule, messages, expected) => {
    expect(toolNames(messages)).toEqual(expected as string[]);
  });

  test("R12 a later definition replaces an earlier one", () => {
    const messages = talk([added(definition(tool("f", { description: "new" })))]);
    const { tools } = upstreamBody({ tools: [tool("f", { description: "old" })], messages });
    expect(tools?.map(({ function: { description } }) => description)).toEqual(["new"]);
  });

  test("R3 the blocks are not text, and the text beside them keeps its place", () => {
    const messages = talk([{ type: "text", text: "S2" }, removed("f")]);
    const { body, dropped } = convertCall({ tools: [tool("f"), tool("g")], messages });
    expect(body.messages[1]).toEqual({ role: "system", content: "S2" });
    expect(dropped).toEqual([]);
    const silent = talk([removed("f")]);
    expect(upstreamBody({ messages: silent }).messages.map(({ role }) => role)).toEqual(["user", "assistant", "user"]);
    // An empty message has nothing to refuse.
    expect(upstreamBody({ messages: silent }, { mid_system: "refuse" }).messages).toHaveLength(3);
  });

  test("R12 changes that were made before a compaction still apply", () => {
    const summary = {
      type: "compaction",
      content: "so far",
      tool_changes: [removed("f"), added(definition(tool("h")))],
    };
    const messages = [
      { role: "assistant", content: [summary] },
      { role: "user", content: "go on" },
    ];
    expect(toolNames(messages)).toEqual(["g", "h"]);
  });

  test("R13 server-side tools of either kind are dropped and named", () => {
    const web = { type: "web_search_20250305", name: "web_search" };
    const messages = talk([
      added({ type: "mcp_toolset_reference", server_name: "s" }),
      { type: "tool_removal", tool: { type: "mcp_tool_reference", server_name: "s", name: "t" } },
      added(definition(web)),
      added(reference("mystery")),
    ]);
    const { body, dropped } = convertCall({ tools: [tool("f")], messages });
    expect(body.tools).toHaveLength(1);
    expect(dropped).toEqual(["tool_addition", "tool_removal", "web_search_20250305"]);
  });

  test("R14 a removed tool can't be chosen", () => {
    const choice = { tool_choice: { type: "tool", name: "f" }, tools: [tool("f"), tool("g")] };
    expect(refusedCall({ ...choice, messages: talk([removed("f")]) }).message).toStartWith("tool_choice.name: ");
    expect(upstreamBody({ ...choice, messages: talk([removed("g")]) }).tool_choice).toMatchObject({ type: "function" });
  });

  test("R12 a change that does not name its tool is refused with its path", () => {
    expect(refusedCall({ messages: talk([{ type: "tool_removal" }]) }).message).toStartWith(
      "messages.1.content.0.tool: ",
    );
    expect(refusedCall({ messages: talk([added({ type: "tool_reference" })]) }).message).toStartWith(
      "messages.1.content.0.tool.name: ",
    );
  });
});

describe("R20 an effort that changes during the conversation", () => {
  const effortOf = (messages: readonly JsonObject[]) =>
    upstreamBody({ messages, output_config: { effort: "high" } }, { reasoning: true }).reasoning_effort;
  const set = (effort: unknown, more: JsonObject = {}) => ({ role: "system", output_config: { effort }, ...more });
  const [hi, ok, go] = [
    { role: "user", content: "hi" },
    { role: "assistant", content: "ok" },
    { role: "user", content: "go" },
  ];

  test.each<[string, JsonObject[], string]>([
    ["R20 an effort may come without content", [hi, set("low")], "low"],
    ["R20 an effort may come with an empty list of content", [hi, set("low", { content: [] })], "low"],
    ["R20 the last effort counts", [hi, set("low"), ok, go, set("medium")], "medium"],
    ["R20 an effort holds for the turns that follow", [hi, set("low"), ok, go], "low"],
    ["R20 a message without an effort leaves the previous one", [hi, set("low"), ok, go, set(null)], "low"],
    ["R20 without such a message the request's own effort counts", [hi, ok, go], "high"],
  ])("%s", (_rule, messages, expected) => {
    expect(effortOf(messages)).toBe(expected as ReasoningEffort);
  });

  test("R25 a system message with neither content nor settings is refused", () => {
    for (const message of [
      { role: "system" },
      { role: "system", output_config: {} },
      { role: "user", output_config: { effort: "low" } },
    ]) {
      expect(refusedCall({ messages: [hi, message] }).message).toBe("messages.1.content: Field required");
    }
  });
});
