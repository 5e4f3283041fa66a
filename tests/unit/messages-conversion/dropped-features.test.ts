import { describe, expect, test } from "bun:test";
import type { JsonObject } from "@sluice/messages-conversion/json";
import type { ModelFlags } from "@sluice/messages-conversion/model-flags";
import { toCompatDroppedHeader } from "@sluice/messages-conversion/request/dropped-features";
import { convertCall, refusalOf } from "../../support/messages/messages-calls.ts";

const mark = { cache_control: { type: "ephemeral" } };
const tool = { name: "f", input_schema: {} };
const spoken = (block: JsonObject) => ({
  messages: [
    { role: "user", content: "a" },
    { role: "assistant", content: [{ type: "text", text: "b" }, block] },
  ],
});
const asked = (block: JsonObject) => ({ messages: [{ role: "user", content: [{ type: "text", text: "a" }, block] }] });

describe("dropped features are named", () => {
  test.each<[string, JsonObject, Partial<ModelFlags>, string[]]>([
    ["nothing of a plain call", { stream: true, stop_sequences: ["a"], temperature: 0, system: "S" }, {}, []],
    [
      "R2 a cache marker in the system prompt",
      { system: [{ type: "text", text: "S", ...mark }] },
      {},
      ["cache_control"],
    ],
    ["R4 a cache marker in a message", asked({ type: "text", text: "b", ...mark }), {}, ["cache_control"]],
    ["R12 a cache marker on a tool", { tools: [{ ...tool, ...mark }] }, {}, ["cache_control"]],
    ["a cache marker at the top", mark, {}, ["cache_control"]],
    ["null is not a cache marker", { cache_control: null, container: null }, {}, []],
    [
      "R1 unknown fields of the body",
      { context_management: {}, mcp_servers: [{}], betas: ["x"], "x y": 1 },
      {},
      ["betas", "context_management", "mcp_servers", "unknown"],
    ],
    ["fields that ask for nothing", { speed: "standard", mcp_servers: [], service_tier: "auto" }, {}, []],
    [
      "R6 citations of a document",
      asked({ type: "document", citations: { enabled: true }, source: { type: "text", data: "T" } }),
      {},
      ["citations"],
    ],
    [
      "R6 the context of a document",
      asked({ type: "document", context: "c", source: { type: "text", data: "T" } }),
      {},
      ["document.context"],
    ],
    [
      "R11 thinking in the history",
      spoken({ type: "thinking", thinking: "t", signature: "" }),
      {},
      ["thinking_history"],
    ],
    [
      "R11 nothing where thinking is kept",
      spoken({ type: "thinking", thinking: "t", signature: "" }),
      { reasoning_history: "keep" },
      [],
    ],
    [
      "R11 encrypted thinking",
      spoken({ type: "redacted_thinking", data: "t" }),
      { reasoning_history: "keep" },
      ["redacted_thinking"],
    ],
    [
      "R12 options of tools beside their schema",
      { tools: [{ ...tool, input_examples: [{}], defer_loading: true, allowed_callers: ["direct", "x"] }] },
      {},
      ["allowed_callers", "defer_loading", "input_examples"],
    ],
    [
      "R12 options of tools that ask for nothing",
      {
        tools: [
          {
            ...tool,
            input_examples: [],
            defer_loading: false,
            allowed_callers: ["direct"],
            eager_input_streaming: true,
          },
        ],
      },
      {},
      [],
    ],
    [
      "R13 server-side tools",
      { tools: [tool, { type: "web_search_20250305", name: "web_search" }] },
      {},
      ["web_search_20250305"],
    ],
    [
      "R14 one call at a time",
      { tools: [tool], tool_choice: { type: "auto", disable_parallel_tool_use: true } },
      { parallel_flag: false },
      ["disable_parallel_tool_use"],
    ],
    ["R16 stop sequences", { stop_sequences: ["a"] }, { stop_limit: 0 }, ["stop_sequences"]],
    ["R17 sampling", { temperature: 0, top_p: 0, top_k: 1 }, { sampling: false }, ["temperature", "top_k", "top_p"]],
    ["R18 the user id", { metadata: { user_id: "u" } }, {}, ["metadata.user_id"]],
    ["R20 thinking", { thinking: { type: "adaptive" } }, {}, ["thinking"]],
    ["R20 an effort", { output_config: { effort: "high" } }, {}, ["effort"]],
    [
      "R20 both beside tools",
      { tools: [tool], thinking: { type: "adaptive" }, output_config: { effort: "high" } },
      { reasoning: true, effort_with_tools: false },
      ["effort", "thinking"],
    ],
    ["R20 thinking that is switched off", { thinking: { type: "disabled" } }, {}, []],
    [
      "R20 other settings of the output",
      { output_config: { task_budget: { type: "tokens", total: 1 } } },
      {},
      ["output_config.task_budget"],
    ],
    ["R22 the service tier", { service_tier: "standard_only" }, {}, ["service_tier"]],
  ])("%s", (_rule, fields, flags, expected) => {
    expect(convertCall(fields, flags).dropped).toEqual(expected);
  });

  test("in a header, in alphabetical order", () => {
    const { dropped } = convertCall({ thinking: { type: "adaptive" }, system: [{ type: "text", text: "S", ...mark }] });
    expect(toCompatDroppedHeader(dropped)).toBe("cache_control,thinking");
    expect(toCompatDroppedHeader([])).toBeNull();
  });

  test("a client can't inject a header, or make one endless", () => {
    const fields = Object.fromEntries(
      Array.from({ length: 500 }, (_, index) => [`field_${index}\r\nset-cookie: a`, 1]),
    );
    expect(convertCall(fields).dropped).toEqual(["unknown"]);
    const many = Object.fromEntries(Array.from({ length: 2_000 }, (_, index) => [`field_${index}`, 1]));
    expect(convertCall(many).dropped.length).toBe(1_000);
  });
});

describe("strict", () => {
  test("a call that would lose something is refused, naming what", () => {
    const attempt = () => convertCall({ thinking: { type: "adaptive" }, top_k: 1 }, {}, true);
    expect(refusalOf(attempt)).toMatchObject({
      status: 400,
      type: "invalid_request_error",
      message: "not supported by this model: thinking, top_k",
    });
  });

  test("a call that loses nothing passes", () => {
    expect(convertCall({ temperature: 0 }, {}, true).body.temperature).toBe(0);
  });
});
