/** The flags of the model map: each one changes what the provider is sent, or how its response is converted. */
import { afterAll, afterEach, beforeAll, describe, expect, test } from "bun:test";
import type { MessagesModelInput } from "@sluice/contracts/messages-models";
import { defaultModelFlags, type ModelFlags } from "@sluice/messages-conversion/model-flags";
import type { Behaviour } from "@sluice/sandbox-provider/script/behaviour";
import { MessagesRig } from "../support/messages/messages-rig.ts";
import { arrangements } from "../support/service/sluice.ts";

const tool = { name: "f", input_schema: { type: "object" } };
const talk = (...messages: readonly [role: string, content: unknown][]) => ({
  messages: messages.map(([role, content]) => ({ role, content })),
});
const picture = { type: "image", source: { type: "base64", media_type: "image/png", data: "AAAA" } };
const paper = { type: "document", source: { type: "base64", media_type: "application/pdf", data: "AAAA" } };
const used = talk(
  ["user", "hi"],
  [
    "assistant",
    [
      { type: "thinking", thinking: "hm", signature: "" },
      { type: "tool_use", id: "c1", name: "f", input: {} },
    ],
  ],
  ["user", [{ type: "tool_result", tool_use_id: "c1", content: "r" }]],
);
const rulesInBetween = talk(["user", "a"], ["system", "S"], ["assistant", "b"], ["user", "c"]);
const schema = { type: "object", properties: {} };
const format = { output_config: { format: { type: "json_schema", schema } } };
const thinking = { thinking: { type: "enabled", budget_tokens: 1_024 }, max_tokens: 4_000 };

const chunk = (delta: object) => ({ id: "1", object: "chat.completion.chunk", choices: [{ index: 0, delta }] });
const wordsWithoutEnd: Behaviour = {
  events: [chunk({ role: "assistant" }), chunk({ content: "Hello there" })],
  noDone: true,
};

type Seen = { readonly status: number; readonly sent: Record<string, unknown>; readonly answer: string };
/** The visible effects of one call with the default and one with the flag. */
type Row = {
  readonly flags: MessagesModelInput["flags"];
  readonly fields: object;
  readonly script?: Behaviour;
  readonly look: (seen: Seen) => unknown;
  readonly byDefault: unknown;
  readonly withFlag: unknown;
};

const sent =
  (...names: readonly string[]) =>
  (seen: Seen): unknown[] =>
    names.map((name) => seen.sent[name]);
const status = (seen: Seen): number => seen.status;
const messagesOf = (seen: Seen) => seen.sent["messages"] as Record<string, unknown>[];
const roles = (seen: Seen): unknown[] => messagesOf(seen).map(({ role }) => role);
const ending = ({ answer }: Seen): string =>
  /"stop_reason":"(\w+)"|event: (error)/.exec(answer)?.slice(1).join("") ?? "";

const rows: { [Flag in keyof ModelFlags]: Row } = {
  token_param: {
    flags: { token_param: "max_completion_tokens" },
    fields: {},
    look: sent("max_tokens", "max_completion_tokens"),
    byDefault: [100, undefined],
    withFlag: [undefined, 100],
  },
  max_output: { flags: { max_output: 7 }, fields: {}, look: sent("max_tokens"), byDefault: [100], withFlag: [7] },
  reasoning: {
    flags: { reasoning: true },
    fields: thinking,
    look: sent("reasoning_effort"),
    byDefault: [undefined],
    withFlag: ["low"],
  },
  reasoning_efforts: {
    flags: { reasoning: true, reasoning_efforts: ["medium", "xhigh"] },
    fields: thinking,
    look: sent("reasoning_effort"),
    byDefault: [undefined],
    withFlag: ["medium"],
  },
  effort_with_tools: {
    flags: { reasoning: true, effort_with_tools: false },
    fields: { ...thinking, tools: [tool] },
    look: sent("reasoning_effort"),
    byDefault: [undefined],
    withFlag: ["none"],
  },
  sampling: {
    flags: { sampling: false },
    fields: { temperature: 0.5, top_p: 0.4 },
    look: sent("temperature", "top_p"),
    byDefault: [0.5, 0.4],
    withFlag: [undefined, undefined],
  },
  vision: { flags: { vision: false }, fields: talk(["user", [picture]]), look: status, byDefault: 200, withFlag: 400 },
  files: { flags: { files: true }, fields: talk(["user", [paper]]), look: status, byDefault: 400, withFlag: 200 },
  mid_system: {
    flags: { mid_system: "user" },
    fields: rulesInBetween,
    look: roles,
    byDefault: ["user", "system", "assistant", "user"],
    withFlag: ["user", "user", "assistant", "user"],
  },
  reasoning_history: {
    flags: { reasoning_history: "keep" },
    fields: used,
    look: (seen) => messagesOf(seen)[1]?.["reasoning_content"],
    byDefault: undefined,
    withFlag: "hm",
  },
  top_k: { flags: { top_k: "send" }, fields: { top_k: 5 }, look: sent("top_k"), byDefault: [undefined], withFlag: [5] },
  stop_limit: {
    flags: { stop_limit: 1 },
    fields: { stop_sequences: ["a", "b"] },
    look: status,
    byDefault: 200,
    withFlag: 400,
  },
  parallel_flag: {
    flags: { parallel_flag: false },
    fields: { tools: [tool], tool_choice: { type: "auto", disable_parallel_tool_use: true } },
    look: sent("parallel_tool_calls"),
    byDefault: [false],
    withFlag: [undefined],
  },
  user_field: {
    flags: { user_field: "safety_identifier" },
    fields: { metadata: { user_id: "u1" } },
    look: sent("user", "safety_identifier"),
    byDefault: [undefined, undefined],
    withFlag: [undefined, "u1"],
  },
  service_tier: {
    flags: { service_tier: true },
    fields: { service_tier: "standard_only" },
    look: sent("service_tier"),
    byDefault: [undefined],
    withFlag: ["default"],
  },
  json_schema: {
    flags: { json_schema: false },
    fields: format,
    look: (seen) => typeof seen.sent["response_format"],
    byDefault: "object",
    withFlag: "undefined",
  },
  include_usage: {
    flags: { include_usage: false },
    fields: { stream: true },
    look: sent("stream", "stream_options"),
    byDefault: [true, { include_usage: true }],
    withFlag: [true, undefined],
  },
  empty_content: {
    flags: { empty_content: "empty_string" },
    fields: used,
    look: (seen) => messagesOf(seen)[1]?.["content"],
    byDefault: null,
    withFlag: "",
  },
  merge: {
    flags: { merge: true },
    fields: talk(["user", "a"], ["user", "b"]),
    look: roles,
    byDefault: ["user", "user"],
    withFlag: ["user"],
  },
  lenient_eof: {
    flags: { lenient_eof: true },
    fields: { stream: true },
    script: wordsWithoutEnd,
    look: ending,
    byDefault: "error",
    withFlag: "end_turn",
  },
  split_think: {
    flags: { split_think: true },
    fields: { ...thinking, stream: false },
    script: { text: "<think>hm</think>yes" },
    look: ({ answer }) => (JSON.parse(answer) as { content: { type: string }[] }).content.map(({ type }) => type),
    byDefault: ["text"],
    withFlag: ["thinking", "text"],
  },
};

describe.each(arrangements)("the flags of the model map, %s", (arrangement) => {
  let messages: MessagesRig;

  beforeAll(async () => {
    messages = await MessagesRig.start(arrangement);
    await messages.addModel("flag-none");
    await Promise.all(Object.entries(rows).map(([name, { flags }]) => messages.addModel(`flag-${name}`, { flags })));
  });
  afterEach(() => messages.provider.reset());
  afterAll(() => messages.close());

  async function see(model: string, { fields, script }: Row): Promise<Seen> {
    messages.provider.reset();
    if (script !== undefined) {
      messages.provider.script(script);
    }
    const answer = await messages.post({ model, ...fields });
    const text = await answer.text();
    const isAsked = messages.provider.requests.length > 0;
    return { status: answer.status, sent: isAsked ? messages.upstreamBody(0) : {}, answer: text };
  }

  test.each(Object.keys(defaultModelFlags) as (keyof ModelFlags)[])("%s makes the difference", async (flag) => {
    const row = rows[flag];
    expect(row.look(await see("flag-none", row))).toEqual(row.byDefault);
    expect(row.look(await see(`flag-${flag}`, row))).toEqual(row.withFlag);
  });

  test("a stream whose usage was not requested is charged by our own count, which the client gets as usage", async () => {
    messages.provider.script({ text: "one two three four five six" });
    const answer = await messages.post({ model: "flag-include_usage", stream: true });
    const text = await answer.text();
    expect(text).toContain("event: message_stop");
    expect(text).toMatch(/"message_delta".*"input_tokens":[1-9]\d*,"output_tokens":[1-9]/);
    const usage = await messages.usageOf(answer);
    expect(usage).toMatchObject({ outcome: "completed", http_status: 200, error_code: null });
    expect(usage.output_tokens).toBeGreaterThan(0n);
    expect(usage.quota).toBeGreaterThan(0n);
  });

  test("a stream that just ends is complete in the books only if the upstream is known to end so", async () => {
    for (const framing of ["chunked", "close"] as const) {
      messages.provider.script({ ...wordsWithoutEnd, framing });
      const whole = await messages.post({ model: "flag-lenient_eof", stream: true });
      expect(await whole.text()).toContain("event: message_stop");
      expect(await messages.usageOf(whole)).toMatchObject({ outcome: "completed", http_status: 200, error_code: null });
      expect((await messages.usageOf(whole)).quota).toBeGreaterThan(0n);
      messages.provider.script({ ...wordsWithoutEnd, framing });
      const cut = await messages.post({ model: "flag-none", stream: true });
      expect(await cut.text()).toContain("The provider closed the stream early.");
      expect(await messages.usageOf(cut)).toMatchObject({ outcome: "failed", error_code: "stream_interrupted" });
    }
    expect(await messages.rig.checkMoney()).toEqual([]);
  });

  test("even from such an upstream, a stream that is reset, breaks off an event or has no content is incomplete", async () => {
    for (const script of [
      { ...wordsWithoutEnd, cut: { afterChunks: 2, with: "rst" } },
      { ...wordsWithoutEnd, malformedChunk: 1 },
      { events: [], noDone: true },
    ] satisfies Behaviour[]) {
      messages.provider.script(script);
      const answer = await messages.post({ model: "flag-lenient_eof", stream: true });
      expect(await answer.text()).not.toContain("message_stop");
    }
  });
});
