import { describe, expect, test } from "bun:test";
import { toMessagesErrorBody } from "@sluice/messages-conversion/errors/messages-error";
import type { JsonObject } from "@sluice/messages-conversion/json";
import { completeModelFlags, defaultModelFlags, type ModelFlags } from "@sluice/messages-conversion/model-flags";
import { readMessagesRequest } from "@sluice/messages-conversion/request/from-messages-request";
import { convertCall, refusalOf, refusedCall, sha256Hex, upstreamBody } from "../../support/messages/messages-calls.ts";

type Row = [rule: string, fields: JsonObject, flags: Partial<ModelFlags>, expected: JsonObject];

/** The upstream request's fields besides model, messages and those that every test call has. */
function settings(fields: JsonObject, flags: Partial<ModelFlags>): JsonObject {
  const {
    model: _model,
    messages: _messages,
    stream: _stream,
    max_tokens: limit,
    ...rest
  } = upstreamBody(fields, flags);
  return { ...rest, ...(limit === undefined || limit === 1_000 ? {} : { max_tokens: limit }) };
}

describe("converted settings", () => {
  test.each<Row>([
    [
      "R15 the limit goes under the other name",
      {},
      { token_param: "max_completion_tokens" },
      { max_completion_tokens: 1_000 },
    ],
    [
      "R15 the limit is lowered to what the model can do",
      { max_tokens: 64_000 },
      { max_output: 16_384 },
      { max_tokens: 16_384 },
    ],
    ["R15 the limit is never raised", { max_tokens: 5 }, { max_output: 16_384 }, { max_tokens: 5 }],
    ["R16 B20 a single stop sequence becomes a list", { stop_sequences: ["a"] }, {}, { stop: ["a"] }],
    ["R16 an empty list of stop sequences is not sent", { stop_sequences: [] }, {}, {}],
    [
      "R16 as many stop sequences are sent as the model takes",
      { stop_sequences: ["a", "b", "c", "d"] },
      { stop_limit: 4 },
      { stop: ["a", "b", "c", "d"] },
    ],
    [
      "R16 no stop sequences are sent to a model that knows none",
      { stop_sequences: ["a"] },
      { reasoning: true, stop_limit: 0 },
      {},
    ],
    [
      "R17 temperature and top_p stay unchanged",
      { temperature: 0.7, top_p: 0.9 },
      {},
      { temperature: 0.7, top_p: 0.9 },
    ],
    ["R17 zero is a value", { temperature: 0, top_p: 0 }, {}, { temperature: 0, top_p: 0 }],
    ["R17 null is not sent", { temperature: null, top_p: null, top_k: null }, {}, {}],
    ["R17 top_k is left out", { top_k: 5 }, {}, {}],
    ["R17 top_k=send sends it", { top_k: 5 }, { top_k: "send" }, { top_k: 5 }],
    [
      "R17 sampling=false leaves all three out",
      { temperature: 1, top_p: 0.9, top_k: 5 },
      { sampling: false, top_k: "send" },
      {},
    ],
    ["R18 the user id is left out", { metadata: { user_id: "u" } }, {}, {}],
    [
      "R18 user_field=user sends it as user",
      { metadata: { user_id: "u", other: 1 } },
      { user_field: "user" },
      { user: "u" },
    ],
    [
      "R18 64 characters fit",
      { metadata: { user_id: "u".repeat(64) } },
      { user_field: "safety_identifier" },
      { safety_identifier: "u".repeat(64) },
    ],
    [
      "R18 F6 a longer one goes as a digest",
      { metadata: { user_id: "u".repeat(65) } },
      { user_field: "safety_identifier" },
      { safety_identifier: sha256Hex("u".repeat(65)) },
    ],
    ["R18 a missing user id sends nothing", { metadata: { user_id: null } }, { user_field: "user" }, {}],
    ["R19 a stream asks for usage", { stream: true }, {}, { stream_options: { include_usage: true } }],
    ["R19 no stream asks for nothing", { stream: false }, {}, {}],
    ["R19 include_usage=false asks for nothing", { stream: true }, { include_usage: false }, {}],
    [
      "R21 a schema is sent",
      { output_config: { format: { type: "json_schema", schema: { type: "object", required: [] } } } },
      {},
      {
        response_format: {
          type: "json_schema",
          json_schema: { name: "structured_output", schema: { type: "object", required: [] }, strict: true },
        },
      },
    ],
    [
      "R21 a schema in the older place is sent",
      { output_format: { type: "json_schema", schema: { type: "object" } } },
      {},
      {
        response_format: {
          type: "json_schema",
          json_schema: { name: "structured_output", schema: { type: "object" }, strict: true },
        },
      },
    ],
    ["R22 the service tier is left out", { service_tier: "standard_only" }, {}, {}],
    ["R22 service_tier=true auto", { service_tier: "auto" }, { service_tier: true }, { service_tier: "auto" }],
    [
      "R22 service_tier=true standard_only",
      { service_tier: "standard_only" },
      { service_tier: true },
      { service_tier: "default" },
    ],
    ["R22 an unknown tier is left out", { service_tier: "x" }, { service_tier: true }, {}],
  ])("%s", (_rule, fields, flags, expected) => {
    expect(settings(fields, flags)).toEqual(expected);
  });

  test("R19 B33 stream is always a boolean", () => {
    expect(upstreamBody({}).stream).toBe(false);
    expect(upstreamBody({ stream: null }).stream).toBe(false);
    expect(upstreamBody({ stream: true }).stream).toBe(true);
  });

  test("R15 only one of the two limits is sent", () => {
    expect(upstreamBody({}, { token_param: "max_completion_tokens" })).not.toHaveProperty("max_tokens");
  });

  test("R15 a limit of 0 warms a cache and makes no call", () => {
    expect(convertCall({ max_tokens: 0 }).isPreWarm).toBe(true);
    expect(convertCall({ max_tokens: 1 }).isPreWarm).toBe(false);
  });

  test("R15 counting tokens needs no limit", () => {
    const body = { model: "m", messages: [{ role: "user", content: "a" }] };
    expect(readMessagesRequest(body, false).maxTokens).toBeNull();
    expect(refusalOf(() => readMessagesRequest(body)).message).toBe("max_tokens: Field required");
  });

  test("F14 a stored model only names what is unusual", () => {
    expect(completeModelFlags({ vision: false })).toEqual({ ...defaultModelFlags, vision: false });
  });
});

describe("R20 thinking and effort", () => {
  const all: Partial<ModelFlags> = {
    reasoning: true,
    reasoning_efforts: ["none", "minimal", "low", "medium", "high", "xhigh", "max"],
  };
  const usual: Partial<ModelFlags> = { reasoning: true };
  const budget = (tokens: number) => ({ max_tokens: 64_000, thinking: { type: "enabled", budget_tokens: tokens } });
  const effort = (named: string) => ({ output_config: { effort: named } });
  const tools = [{ name: "f", input_schema: {} }];

  test.each<[string, JsonObject, Partial<ModelFlags>, string | undefined]>([
    ["R20 reasoning=false sends nothing", { ...budget(4_000), ...effort("high") }, {}, undefined],
    ["R20 nothing is sent unless it was requested", {}, all, undefined],
    ["R20 a small budget", budget(1_024), usual, "low"],
    ["R20 just below the middle", budget(2_047), usual, "low"],
    ["R20 the middle", budget(2_048), usual, "medium"],
    ["R20 just below the top", budget(8_191), usual, "medium"],
    ["R20 the top", budget(8_192), usual, "high"],
    ["R20 adaptive", { thinking: { type: "adaptive" } }, usual, "medium"],
    ["R20 a named effort goes before the budget", { ...budget(2_000), ...effort("high") }, usual, "high"],
    ["R20 max where it is known", effort("max"), all, "max"],
    ["R20 max falls to xhigh", effort("max"), { ...usual, reasoning_efforts: ["low", "xhigh"] }, "xhigh"],
    ["R20 max falls to high", effort("max"), usual, "high"],
    ["R20 xhigh falls to high", effort("xhigh"), usual, "high"],
    [
      "R20 medium falls to minimal where that is all below",
      effort("medium"),
      { ...usual, reasoning_efforts: ["none", "minimal", "high"] },
      "minimal",
    ],
    [
      "R20 low rises where nothing is below but off",
      effort("low"),
      { ...usual, reasoning_efforts: ["none", "medium", "high"] },
      "medium",
    ],
    ["R20 disabled is none where it is known", { thinking: { type: "disabled" } }, all, "none"],
    ["R20 disabled sends nothing elsewhere", { thinking: { type: "disabled" } }, usual, undefined],
    ["R20 between_tools is the same", { thinking: { type: "between_tools" } }, all, "none"],
    [
      "R20 F12 B13 none beside tools that need it",
      { tools, ...effort("high") },
      { ...usual, effort_with_tools: false },
      "none",
    ],
    ["R20 F12 none beside tools even if nothing was asked", { tools }, { ...usual, effort_with_tools: false }, "none"],
    ["R20 F12 without tools the effort is sent", effort("high"), { ...usual, effort_with_tools: false }, "high"],
    ["R20 an unknown kind of thinking has no effect", { thinking: { type: "deep" } }, all, undefined],
    ["R20 an unknown effort has no effect", effort("extreme"), all, undefined],
    ["R20 display has no effect", { thinking: { type: "adaptive", display: "omitted" } }, usual, "medium"],
  ])("%s", (_rule, fields, flags, expected) => {
    expect(upstreamBody(fields, flags).reasoning_effort).toBe(expected as never);
  });

  test.each<[string, JsonObject, boolean]>([
    ["R20 P4 enabled thinking is shown", budget(2_000), true],
    ["R20 P4 adaptive thinking is shown", { thinking: { type: "adaptive" } }, true],
    ["R20 P4 an effort alone shows nothing", effort("high"), false],
    ["R20 P4 between_tools shows nothing", { thinking: { type: "between_tools" } }, false],
  ])("%s", (_rule, fields, isShown) => {
    expect(convertCall(fields).facts.wantsThinking).toBe(isShown);
  });

  test.each<[string, JsonObject, string]>([
    [
      "R20 a budget below 1024",
      budget(1_023),
      "thinking.enabled.budget_tokens: Input should be greater than or equal to 1024",
    ],
    [
      "R20 a budget as large as the limit",
      { ...budget(2_000), max_tokens: 2_000 },
      "`max_tokens` must be greater than `thinking.budget_tokens`.",
    ],
    ["R20 no budget", { thinking: { type: "enabled" } }, "thinking.enabled.budget_tokens: Field required"],
    [
      "R20 a budget that is not an integer",
      { thinking: { type: "enabled", budget_tokens: 2000.5 } },
      "thinking.enabled.budget_tokens: Input should be a valid integer",
    ],
  ])("%s is refused", (_rule, fields, message) => {
    expect(refusedCall(fields)).toMatchObject({ status: 400, message });
  });
});

describe("refused settings", () => {
  test.each<[string, JsonObject, Partial<ModelFlags>, string]>([
    ["R15 a limit that is not a number", { max_tokens: "5" }, {}, "max_tokens: Input should be a valid integer"],
    ["R15 a limit that is not an integer", { max_tokens: 1.5 }, {}, "max_tokens: Input should be a valid integer"],
    ["R15 a limit below 0", { max_tokens: -1 }, {}, "max_tokens: Input should be greater than or equal to 0"],
    [
      "R16 more stop sequences than the model takes",
      { stop_sequences: ["a", "b", "c", "d", "e"] },
      { stop_limit: 4 },
      "stop_sequences: this model takes at most 4",
    ],
    [
      "R16 a stop sequence that is not a text",
      { stop_sequences: ["a", 1] },
      {},
      "stop_sequences.1: Input should be a valid string",
    ],
    [
      "R16 stop sequences that are not a list",
      { stop_sequences: "a" },
      {},
      "stop_sequences: Input should be a valid list",
    ],
    ["R17 a temperature above 1", { temperature: 1.1 }, {}, "temperature: Input should be less than or equal to 1"],
    ["R17 a temperature below 0", { temperature: -0.1 }, {}, "temperature: Input should be greater than or equal to 0"],
    ["R17 a temperature that is not a number", { temperature: "1" }, {}, "temperature: Input should be a valid number"],
    [
      "R18 a user id that is not a text",
      { metadata: { user_id: 7 } },
      {},
      "metadata.user_id: Input should be a valid string",
    ],
    [
      "R21 a schema for a model that knows none",
      { output_config: { format: { type: "json_schema", schema: {} } } },
      { json_schema: false },
      "output_config.format: json_schema is not supported by this model",
    ],
    [
      "R21 another form",
      { output_config: { format: { type: "xml" } } },
      {},
      "output_config.format.type: Input should be 'json_schema'",
    ],
    ["R21 no schema", { output_format: { type: "json_schema" } }, {}, "output_format.schema: Field required"],
  ])("%s", (_rule, fields, flags, message) => {
    expect(refusedCall(fields, flags)).toMatchObject({ status: 400, type: "invalid_request_error", message });
  });
});

describe("a conversation that the server is asked to store", () => {
  test.each([{ type: "create" }, { type: "continue", previous_message_id: "msg_1" }])(
    "%j is refused by its code",
    (thread) => {
      const error = refusedCall({ thread });
      expect(toMessagesErrorBody(error, "req_1")).toMatchObject({
        error: { type: "invalid_request_error", details: { error_code: "thread_unsupported_request" } },
      });
      expect(error.status).toBe(400);
    },
  );

  test("is not one without a thread", () => {
    expect(convertCall({ thread: null }).dropped).toEqual([]);
  });
});
