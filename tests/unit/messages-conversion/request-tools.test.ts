import { describe, expect, test } from "bun:test";
import type { ChatCompletionRequest } from "@sluice/messages-conversion/chat-completions";
import type { JsonObject } from "@sluice/messages-conversion/json";
import type { ModelFlags } from "@sluice/messages-conversion/model-flags";
import { convertCall, refusedCall, sha256Hex, upstreamBody } from "../../support/messages/messages-calls.ts";

const schema = { type: "object", properties: { a: { type: "string" } }, required: ["a"] };
const tool = { name: "f", description: "d", input_schema: schema };
const search = { type: "web_search_20250305", name: "web_search", max_uses: 8 };

const toolsOf = (...tools: unknown[]): ChatCompletionRequest["tools"] => upstreamBody({ tools }).tools;

describe("R12 tools", () => {
  test.each<[string, JsonObject, JsonObject]>([
    [
      "R12 only what the upstream knows is sent",
      {
        ...tool,
        cache_control: { type: "ephemeral" },
        input_examples: [{ a: "x" }],
        eager_input_streaming: true,
        defer_loading: true,
      },
      { name: "f", description: "d", parameters: schema },
    ],
    [
      "R12 B10 type custom leaves the schema alone",
      { ...tool, type: "custom" },
      { name: "f", description: "d", parameters: schema },
    ],
    ["R12 type null is custom", { ...tool, type: null }, { name: "f", description: "d", parameters: schema }],
    [
      "R12 a missing type and missing properties are added",
      { name: "f", input_schema: {} },
      { name: "f", parameters: { type: "object", properties: {} } },
    ],
    [
      "R12 everything else of the schema is verbatim",
      { name: "f", input_schema: { $schema: "x", additionalProperties: false, ...schema } },
      { name: "f", parameters: { $schema: "x", additionalProperties: false, ...schema } },
    ],
    [
      "R12 strict=true is sent",
      { ...tool, strict: true },
      { name: "f", description: "d", parameters: schema, strict: true },
    ],
    ["R12 strict=false is not sent", { ...tool, strict: false }, { name: "f", description: "d", parameters: schema }],
    ["R12 a missing description stays missing", { name: "f", input_schema: schema }, { name: "f", parameters: schema }],
    [
      "R12 a typed tool with a schema of its own is an ordinary one",
      { type: "bash_20250124", name: "bash", input_schema: schema },
      { name: "bash", parameters: schema },
    ],
  ])("%s", (_rule, given, expected) => {
    expect(toolsOf(given)).toEqual([{ type: "function", function: expected as never }]);
  });

  test("R12 without tools neither a choice nor a setting for parallel calls is sent", () => {
    const body = upstreamBody({ tools: [], tool_choice: { type: "any", disable_parallel_tool_use: true } });
    expect(body).not.toContainAnyKeys(["tools", "tool_choice", "parallel_tool_calls"]);
  });

  test.each<[string, unknown, string]>([
    ["R12 a tool is an object", "f", "tools.0: Input should be an object"],
    ["R12 a name is required", { input_schema: schema }, "tools.0.custom.name: Field required"],
    [
      "R12 a name is not empty",
      { name: "", input_schema: schema },
      "tools.0.custom.name: String should have at least 1 character",
    ],
    ["R12 a schema is required", { name: "f" }, "tools.0.custom.input_schema: Field required"],
    ["R12 names of tools are distinct", tool, "tools: Tool names must be unique."],
    [
      "R12 a schema has a limited depth",
      { name: "g", input_schema: JSON.parse(`${'{"a":'.repeat(9_000)}1${"}".repeat(9_000)}`) },
      "tools.0.custom.input_schema: Input is nested too deeply",
    ],
  ])("%s", (_rule, given, message) => {
    expect(refusedCall({ tools: [given, tool] })).toMatchObject({ status: 400, message });
  });

  test("R12 tools that are not a list are refused", () => {
    expect(refusedCall({ tools: {} }).message).toBe("tools: Input should be a valid list");
  });
});

describe("R12 names", () => {
  const long = `mcp__${"server".repeat(10)}__tool`;
  const digest = (name: string) => sha256Hex(name).slice(0, 8);

  test.each<[string, string, string]>([
    ["R12 a name of 64 characters is kept", "a".repeat(64), "a".repeat(64)],
    ["R12 a longer name is cut and gets a digest", long, `${long.slice(0, 55)}_${digest(long)}`],
    ["R12 other characters are replaced and the name gets a digest", "a.b/c", `a_b_c_${digest("a.b/c")}`],
    ["R12 a name in another script gets a digest", "查找", `___${digest("查找")}`],
  ])("%s", (_rule, name, upstreamName) => {
    expect(upstreamName).toMatch(/^[a-zA-Z0-9_-]{1,64}$/);
    const { body, facts } = convertCall({
      tools: [{ ...tool, name }],
      tool_choice: { type: "tool", name },
      messages: [
        { role: "user", content: "go" },
        { role: "assistant", content: [{ type: "tool_use", id: "c1", name, input: {} }] },
        { role: "user", content: [{ type: "tool_result", tool_use_id: "c1" }] },
      ],
    });
    expect(body.tools?.[0]?.function.name).toBe(upstreamName);
    expect(body.tool_choice).toEqual({ type: "function", function: { name: upstreamName } });
    expect(body.messages[1]).toMatchObject({ tool_calls: [{ function: { name: upstreamName } }] });
    expect(facts.toolNames.get(upstreamName) ?? name).toBe(name);
    expect(facts.toolNames.size).toBe(name === upstreamName ? 0 : 1);
  });

  test("R12 two long names with the same beginning stay distinct", () => {
    const names = toolsOf({ ...tool, name: `${long}_a` }, { ...tool, name: `${long}_b` })?.map(
      (one) => one.function.name,
    );
    expect(new Set(names).size).toBe(2);
  });

  test("R12 names in a history without tools are converted anyway", () => {
    const messages = [
      { role: "user", content: "go" },
      { role: "assistant", content: [{ type: "tool_use", id: "c1", name: "a.b", input: {} }] },
      { role: "user", content: [{ type: "tool_result", tool_use_id: "c1" }] },
    ];
    expect(upstreamBody({ messages }).messages[1]).toMatchObject({
      tool_calls: [{ function: { name: `a_b_${digest("a.b")}` } }],
    });
  });
});

describe("R13 server-side tools", () => {
  test.each([
    ...["web_search_20250305", "web_fetch_20250910", "code_execution_20250522", "tool_search_tool_bm25"],
    ...["tool_search_tool_regex_20251119", "mcp_toolset", "advisor_20260301"],
  ])("R13 %s is dropped beside other tools, and refused alone", (type) => {
    const foreign = type === "mcp_toolset" ? { type, mcp_server_name: "s" } : { type, name: "x" };
    const { body, dropped } = convertCall({ tools: [foreign, tool] });
    expect(body.tools?.map((one) => one.function.name)).toEqual(["f"]);
    expect(dropped).toEqual([type]);
    expect(refusedCall({ tools: [foreign] })).toMatchObject({
      status: 400,
      message: `tools.0: ${type} is not supported by this model`,
    });
  });

  test("R13 an agent's search, which names its only tool, is refused and not answered with made-up results", () => {
    expect(refusedCall({ tools: [search], tool_choice: { type: "tool", name: "web_search" } }).message).toBe(
      "tools.0: web_search_20250305 is not supported by this model",
    );
  });

  test("R13 a named server-side tool is refused beside other tools too", () => {
    expect(refusedCall({ tools: [tool, search], tool_choice: { type: "tool", name: "web_search" } }).message).toBe(
      "tools.1: web_search_20250305 is not supported by this model",
    );
  });

  test.each<[string, string[]]>([
    ["bash_20250124", ["command", "restart"]],
    ["text_editor_20250728", ["command", "path", "file_text", "old_str", "new_str", "insert_line", "view_range"]],
  ])("R13 %s gets the schema that clients expect", (type, fields) => {
    const [converted] = toolsOf({ type, name: "own_name" }) ?? [];
    expect(converted?.function.name).toBe("own_name");
    expect(Object.keys(converted?.function.parameters["properties"] ?? {})).toEqual(fields);
  });

  test.each([
    "memory_20250818",
    "computer_20250124",
    "computer_toolset_20260801",
    "browser_toolset_20260801",
    "new_20300101",
  ])("R13 %s without a schema is refused", (type) => {
    expect(refusedCall({ tools: [tool, { type, name: "x" }] }).message).toBe(
      `tools.1: ${type} is not supported by this model`,
    );
  });
});

describe("R14 tool_choice", () => {
  const tools = [tool];

  test.each<[string, unknown, Partial<ModelFlags>, JsonObject]>([
    ["R14 auto", { type: "auto" }, {}, { tool_choice: "auto" }],
    ["R14 B28 any becomes required", { type: "any" }, {}, { tool_choice: "required" }],
    ["R14 none", { type: "none" }, {}, { tool_choice: "none" }],
    [
      "R14 B21 a named tool becomes a function choice",
      { type: "tool", name: "f" },
      {},
      { tool_choice: { type: "function", function: { name: "f" } } },
    ],
    ["R14 an absent choice stays absent", undefined, {}, {}],
    ["R14 null", null, {}, {}],
    [
      "R14 B14 one call at a time",
      { type: "auto", disable_parallel_tool_use: true },
      {},
      { tool_choice: "auto", parallel_tool_calls: false },
    ],
    [
      "R14 several calls at a time are the default",
      { type: "auto", disable_parallel_tool_use: false },
      {},
      { tool_choice: "auto" },
    ],
    [
      "R14 parallel_flag=false",
      { type: "any", disable_parallel_tool_use: true },
      { parallel_flag: false },
      { tool_choice: "required" },
    ],
  ])("%s", (_rule, choice, flags, expected) => {
    const { tool_choice, parallel_tool_calls } = upstreamBody({ tools, tool_choice: choice }, flags);
    expect({
      ...(tool_choice === undefined ? {} : { tool_choice }),
      ...(parallel_tool_calls === undefined ? {} : { parallel_tool_calls }),
    }).toEqual(expected as never);
  });

  test.each<[string, unknown, string]>([
    ["R14 an unknown choice", { type: "some" }, "tool_choice.type: Input should be 'auto', 'any', 'tool' or 'none'"],
    ["R14 a plain text", "auto", "tool_choice: Input should be an object"],
    ["R14 an unknown tool", { type: "tool", name: "g" }, "tool_choice.name: Tool 'g' not found in provided tools"],
    ["R14 a tool without a name", { type: "tool" }, "tool_choice.name: Field required"],
  ])("%s is refused", (_rule, choice, message) => {
    expect(refusedCall({ tools, tool_choice: choice })).toMatchObject({ status: 400, message });
  });
});
