import { describe, expect, test } from "bun:test";
import { toMessagesRequest } from "@sluice/dialect-conversion/chat-to-messages/convert-request";
import { composeConversions } from "@sluice/dialect-conversion/compose-conversions";
import { ConversionError, type ConvertedRequest, type JsonObject } from "@sluice/dialect-conversion/model";
import { fromResponsesRequest } from "@sluice/dialect-conversion/responses-to-chat/convert-request";
import { plainFlags } from "../../support/conversion/plain-flags.ts";
import { dataOf, finalOf, readByOpenAi } from "../../support/conversion/responses-calls.ts";

const convertRequest = composeConversions(fromResponsesRequest, toMessagesRequest);

function convert(request: JsonObject): ConvertedRequest {
  let made = 0;
  return convertRequest(request, {
    upstreamModel: "claude-opus-5",
    clientModel: "claude",
    outputTokensMax: 1_000,
    flags: plainFlags,
    makeId: () => {
      made += 1;
      return String(made);
    },
    nowSeconds: 1_800_000_000,
  });
}

const tools = [
  { type: "custom", name: "apply_patch" },
  { type: "namespace", name: "agents", tools: [{ type: "function", name: "wait" }] },
];
const asking = {
  ...{ input: "Hi", tools, include: ["reasoning.encrypted_content"], stream: true },
  ...{ reasoning: { effort: "high" }, prompt_cache_key: "k" },
};
const usage = { input_tokens: 10, cache_read_input_tokens: 30, cache_creation_input_tokens: 5, output_tokens: 1 };
const thinking = (index: number, text: string, signature: string): JsonObject[] => [
  { type: "content_block_start", index, content_block: { type: "thinking", thinking: "", signature: "" } },
  { type: "content_block_delta", index, delta: { type: "thinking_delta", thinking: text } },
  { type: "content_block_delta", index, delta: { type: "signature_delta", signature } },
  { type: "content_block_stop", index },
];
const call = (index: number, id: string, name: string, json: string): JsonObject[] => [
  { type: "content_block_start", index, content_block: { type: "tool_use", id, name, input: {} } },
  { type: "content_block_delta", index, delta: { type: "input_json_delta", partial_json: json } },
  { type: "content_block_stop", index },
];
const upstream: readonly JsonObject[] = [
  { type: "message_start", message: { id: "msg_1", role: "assistant", content: [], usage } },
  ...thinking(0, "Let me see.", "c2ln"),
  { type: "content_block_start", index: 1, content_block: { type: "redacted_thinking", data: "aGlk" } },
  { type: "content_block_stop", index: 1 },
  { type: "content_block_start", index: 2, content_block: { type: "text", text: "" } },
  { type: "content_block_delta", index: 2, delta: { type: "text_delta", text: "Wait." } },
  { type: "content_block_stop", index: 2 },
  ...call(3, "toolu_1", "apply_patch", '{"input":"x"}'),
  ...call(4, "toolu_2", "agents__wait", "{}"),
  { type: "message_delta", delta: { stop_reason: "tool_use" }, usage: { output_tokens: 20 } },
  { type: "message_stop" },
];

function responseTo(request: JsonObject) {
  const stream = convert(request).answers.stream();
  return [...upstream.flatMap((payload) => stream.take(payload)), ...stream.end()];
}

describe("a response of a Messages upstream", () => {
  test("has everything that the client asked for, and its usage", async () => {
    const events = responseTo(asking);
    expect(finalOf(events)).toMatchObject({
      status: "completed",
      output: [
        { type: "reasoning", summary: [{ text: "Let me see." }] },
        { type: "message", content: [{ text: "Wait." }] },
        { type: "custom_tool_call", call_id: "toolu_1", name: "apply_patch", input: "x" },
        { type: "function_call", call_id: "toolu_2", name: "wait", namespace: "agents" },
      ],
      usage: {
        ...{ input_tokens: 45, input_tokens_details: { cached_tokens: 30, cache_write_tokens: 5 } },
        output_tokens: 20,
      },
    });
    expect((await readByOpenAi(events)).output_text).toBe("Wait.");
    expect(events.map(dataOf)).not.toContain("[DONE]");
  });

  test("gives signed reasoning back where it was", () => {
    const output = finalOf(responseTo(asking))["output"] as JsonObject[];
    const outputs = [
      { type: "custom_tool_call_output", call_id: "toolu_1", output: "ok" },
      { type: "function_call_output", call_id: "toolu_2", output: "ok" },
    ];
    const input = [{ role: "user", content: "Hi" }, ...output, ...outputs];
    expect(convert({ ...asking, input }).body["messages"]).toMatchObject([
      { role: "user" },
      {
        role: "assistant",
        content: [
          { type: "thinking", thinking: "Let me see.", signature: "c2ln" },
          { type: "redacted_thinking", data: "aGlk" },
          { type: "text", text: "Wait." },
          { type: "tool_use", id: "toolu_1" },
          { type: "tool_use", id: "toolu_2" },
        ],
      },
      { role: "user", content: [{ type: "tool_result" }, { type: "tool_result" }] },
    ]);
  });

  test("keeps its reasoning to itself unless the client can give it back", () => {
    const [reasoning] = finalOf(responseTo({ ...asking, include: [] }))["output"] as JsonObject[];
    expect(reasoning).not.toHaveProperty("encrypted_content");
  });
});

describe("reasoning that a client gives back", () => {
  const giving = (encrypted: unknown): JsonObject => ({
    input: [
      { type: "reasoning", id: "rs_1", summary: [], encrypted_content: encrypted },
      { role: "assistant", content: "Hi" },
      { role: "user", content: "Hi" },
    ],
  });

  test("is left out when another provider encrypted it", () => {
    expect(JSON.stringify(convert(giving("gAAAAB")).body)).not.toContain("thinking");
  });

  test.each(["sluice1.x", "sluice1.eyJhIjoxfQ", `sluice1.${Buffer.from("[1]").toString("base64url")}`])(
    "is refused when it was changed: %s",
    (encrypted) => {
      expect(() => convert(giving(encrypted))).toThrow(ConversionError);
    },
  );
});

test("an error about the request in between names no field of it", () => {
  const input = [{ role: "user", content: [{ type: "input_image", image_url: "data:image/bmp;base64,AAAA" }] }];
  let refusal: unknown = null;
  try {
    convert({ input });
  } catch (error) {
    refusal = error;
  }
  expect(refusal).toBeInstanceOf(ConversionError);
  expect((refusal as ConversionError).param).toBeNull();
});
