/** What a request of the Messages API may ask for, and what bounds its cost. */
import { describe, expect, test } from "bun:test";
import { parseRequest } from "@sluice/control-plane/gateway/admit/parse-request.ts";
import type { ParsedRequest } from "@sluice/control-plane/gateway/model.ts";
import { AppError } from "@sluice/control-plane/platform/errors.ts";
import { operationOf } from "../../../../support/calls/operations.ts";

const base = { model: "m", max_tokens: 100, messages: [{ role: "user", content: "hi" }] };

function parse(fields: object): ParsedRequest {
  const body = Buffer.from(JSON.stringify({ ...base, ...fields }));
  return parseRequest(body, "application/json", operationOf("messages"));
}

function refusalOf(fields: object): string {
  try {
    const { refusal } = parse(fields);
    if (refusal !== undefined) {
      return `${refusal.code} ${refusal.param}`;
    }
  } catch (error) {
    if (error instanceof AppError) {
      return `${error.code} ${error.param}`;
    }
    throw error;
  }
  return "nothing was thrown";
}

const withBlock = (block: object) => ({ messages: [{ role: "user", content: [block] }] });
const inner = "messages[0].content[0]";

describe("what costs extra, steers or is stored at the provider is refused, with its name", () => {
  test.each([
    [{ service_tier: "priority" }, "unpriced_option service_tier"],
    [{ speed: "fast" }, "unpriced_option speed"],
    [{ inference_geo: "us" }, "unpriced_option inference_geo"],
    [{ mcp_servers: [{ type: "url", url: "https://example.com", name: "x" }] }, "unpriced_option mcp_servers"],
    [{ container: "c_1" }, "unpriced_option container"],
    [{ betas: ["fast-mode-2026-02-01"] }, "unpriced_option betas"],
    [{ fallbacks: ["other"] }, "unknown_field fallbacks"],
    [{ billing_policy: { type: "billing_policy", bill_to: "user_profile" } }, "unknown_field billing_policy"],
    [{ user_profile_id: "p" }, "unknown_field user_profile_id"],
    [{ workspace_id: "w" }, "unknown_field workspace_id"],
    [{ thread: { type: "create" } }, "provider_object thread"],
    [{ Max_Tokens: 100_000 }, "unknown_field Max_Tokens"],
    [{ contextManagement: {} }, "unknown_field contextManagement"],
    ...[
      ...[
        "web_search",
        "web_search_20250305x",
        "web_fetch_20260318",
        "code_execution_20260521",
        "advisor_20260301",
        "mcp_toolset",
      ],
      ...["tool_search_tool_regex_20251119", "tool_search_tool_bm25", "bash", "Custom", "memory_20250818x"],
    ].map((type): [object, string] => [{ tools: [{ type, name: "x" }] }, "unpriced_option tools[0].type"]),
    [{ tools: "all" }, "invalid_type tools"],
    [{ tools: ["x"] }, "invalid_type tools[0]"],
    [
      withBlock({ type: "image", source: { type: "file", file_id: "file_1" } }),
      `provider_object ${inner}.source.file_id`,
    ],
    [withBlock({ type: "container_upload", file_id: "file_1" }), `provider_object ${inner}.file_id`],
    [withBlock({ type: "image", Source: {} }), `unknown_field ${inner}.Source`],
    [
      withBlock({ type: "image", source: { type: "url", url: "http://10.0.0.1/x.png" } }),
      `invalid_value ${inner}.source.url`,
    ],
    [
      withBlock({ type: "tool_result", tool_use_id: "t", content: [{ type: "document", source: { file_id: "f" } }] }),
      `provider_object ${inner}.content[0].source.file_id`,
    ],
    [
      withBlock({ type: "tool_addition", tool: { type: "tool_definition", definition: { type: "mcp_toolset" } } }),
      `unpriced_option ${inner}.tool.definition.type`,
    ],
  ])("%j", (fields, refusal) => {
    expect(refusalOf(fields)).toBe(refusal);
  });
});

test("a search is bounded by its limit, and what it finds by the context of the model", () => {
  const search = { type: "web_search_20250305", name: "web_search" };
  const boundsWith = (...tools: object[]) => parse({ tools }).bounds;
  expect(boundsWith({ name: "f", input_schema: {} })).toMatchObject({
    searches: 0,
    inputTokensMax: expect.any(Number),
  });
  expect(boundsWith({ ...search, max_uses: 3 })).toMatchObject({ searches: 3, inputTokensMax: null });
  const later = { ...search, type: "web_search_20260209", max_uses: 8 };
  expect(boundsWith({ ...search, max_uses: 3 }, later)).toMatchObject({ searches: 11 });
  for (const unlimited of [search, { ...search, max_uses: null }]) {
    expect(refusalOf({ tools: [later, unlimited] })).toBe("missing_field tools[1].max_uses");
  }
  for (const max_uses of [0, 1.5, "3", 101]) {
    expect(refusalOf({ tools: [{ ...search, max_uses }] })).toBe("invalid_value max_uses");
  }
  const added = { type: "tool_addition", tool: { type: "tool_definition", definition: search } };
  expect(refusalOf(withBlock(added))).toBe(`unpriced_option ${inner}.tool.definition.type`);
});

test.each([
  [{ max_tokens: undefined }, "missing_field max_tokens"],
  [{ max_tokens: 1.5 }, "invalid_value max_tokens"],
  [{ max_tokens: -1 }, "invalid_value max_tokens"],
  [{ messages: undefined }, "missing_field messages"],
  [{ messages: "hi" }, "invalid_type messages"],
  [{ messages: [] }, "invalid_value messages"],
  [{ messages: ["hi"] }, "invalid_type messages[0]"],
  [{ messages: [{ role: "tool", content: "x" }] }, "invalid_value messages[0].role"],
  [{ stream: "yes" }, "invalid_type stream"],
])("what every provider would refuse costs nobody a call: %j", (fields, refusal) => {
  expect(refusalOf(fields)).toBe(refusal);
});

test.each([
  { service_tier: "standard_only", speed: "standard", inference_geo: "global", mcp_servers: [], container: null },
  { service_tier: "auto", thread: null, fallbacks: null, metadata: { user_id: "u" }, diagnostics: null },
  { thinking: { type: "adaptive", display: "omitted" }, output_config: { effort: "high" }, cache_control: null },
  { context_management: { edits: [{ type: "clear_thinking_20251015", keep: "all" }] }, unheard_of: { a: 1 } },
  {
    tools: [
      { name: "f", input_schema: { type: "object", properties: { file_id: { type: "string" }, Type: {} } } },
      { type: "custom", name: "g", input_schema: {}, defer_loading: true, eager_input_streaming: true },
      ...["bash_20250124", "text_editor_20250728", "memory_20250818", "computer_20251124"].map((type) => ({ type })),
      ...["browser_toolset_20260801", "computer_toolset_20260801"].map((type) => ({ type })),
    ],
  },
  {
    messages: [
      { role: "user", content: "a" },
      { role: "system", content: [{ type: "text", text: "b", cache_control: { type: "ephemeral", ttl: "1h" } }] },
      {
        role: "assistant",
        content: [
          { type: "thinking", thinking: "", signature: "s" },
          { type: "tool_use", id: "t", name: "f", input: { file_id: "x", Role: 1, source: { file_id: "y" } } },
        ],
      },
      { role: "user", content: [{ type: "tool_result", tool_use_id: "t", content: [{ type: "text", text: "ok" }] }] },
    ],
  },
])("everything else passes: %j", (fields) => {
  expect(refusalOf(fields)).toBe("nothing was thrown");
});

describe("what bounds the cost", () => {
  test("is the text of the body and max_tokens, which include thinking", () => {
    const { bounds, inputBytes, body } = parse({ thinking: { type: "enabled", budget_tokens: 50 } });
    expect(bounds).toMatchObject({ inputTokensMax: inputBytes, outputTokensMax: 100, choices: 1, isOneContext: true });
    expect(body.byteLength).toBe(inputBytes);
  });

  test("is nothing of output for a prompt that is only cached", () => {
    expect(parse({ max_tokens: 0 }).bounds.outputTokensMax).toBe(0);
  });

  test("counts images and the letters of files at any depth", () => {
    const image = { type: "image", source: { type: "base64", media_type: "image/png", data: "A".repeat(400) } };
    const url = { type: "image", source: { type: "url", url: "https://example.com/x.png" } };
    const content = [image, url, { type: "tool_result", tool_use_id: "t", content: [image] }];
    const { bounds } = parse({ messages: [{ role: "user", content }] });
    expect(bounds).toMatchObject({ inputImages: 3, fileLetters: 800, inputPages: 0 });
    expect(bounds.inputTokensMax).not.toBeNull();
  });

  test("is the context of the model where a document may be larger than it looks, and the body where it can't", () => {
    const document = (source: object) => parse(withBlock({ type: "document", source })).bounds;
    const pdf = document({ type: "base64", media_type: "application/pdf", data: "A".repeat(140_000) });
    expect(pdf).toMatchObject({ inputTokensMax: null, inputPages: 3, fileLetters: 140_000 });
    expect(document({ type: "url", url: "https://example.com/x.pdf" })).toMatchObject({ inputTokensMax: null });
    const text = document({ type: "text", media_type: "text/plain", data: "plain" });
    expect(text).toMatchObject({ inputPages: 0, fileLetters: 0 });
    expect(text.inputTokensMax).not.toBeNull();
    const nested = [{ type: "image", source: { type: "base64", media_type: "image/png", data: "AAAA" } }];
    expect(document({ type: "content", content: nested })).toMatchObject({ inputImages: 1, fileLetters: 4 });
  });

  test.each([
    [{ context_management: { edits: [{ type: "compact_20260112" }] } }],
    [{ compaction: { type: "summarize" } }],
  ])("is twice as much where the provider may summarize first: %j", (fields) => {
    const { bounds, inputBytes } = parse(fields);
    expect(bounds).toMatchObject({ inputTokensMax: inputBytes * 2, choices: 2, isOneContext: false });
  });
});
