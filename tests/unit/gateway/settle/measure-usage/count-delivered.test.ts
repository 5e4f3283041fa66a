import { describe, expect, test } from "bun:test";
import {
  countDeliveredAnswer,
  DeliveredCount,
} from "@sluice/control-plane/gateway/settle/measure-usage/count-delivered.ts";

type Event = Record<string, unknown>;

const count = (...events: readonly Event[]) => {
  const counted = new DeliveredCount();
  for (const event of events) {
    counted.add(event);
  }
  return counted.delivered;
};
const chunk = (delta: Event) => ({
  id: "chatcmpl-1",
  object: "chat.completion.chunk",
  created: 1_700_000_000,
  model: "gpt-4o-mini",
  service_tier: "default",
  system_fingerprint: "fp_1",
  obfuscation: "x".repeat(200),
  choices: [{ index: 0, delta: { role: "assistant", ...delta }, logprobs: null, finish_reason: null }],
  usage: null,
});
/** Fifty letters are ten tokens. */
const text = "a".repeat(50);
const sound = "A".repeat(32_000);
const picture = "A".repeat(500_000);

describe("whatever a model writes counts", () => {
  test.each<[string, Event]>([
    ["content", { content: text }],
    ["reasoning", { reasoning: text }],
    ["reasoning content", { reasoning_content: text }],
    ["a refusal", { refusal: text }],
    ["a tool call", { tool_calls: [{ index: 0, id: "c", type: "function", function: { name: "", arguments: text } }] }],
    ["the name of a tool", { tool_calls: [{ index: 0, function: { name: text } }] }],
    ["a call of the older kind", { function_call: { name: text.slice(10), arguments: text.slice(40) } }],
    ["the transcript of audio", { audio: { id: "audio_1", transcript: text } }],
    ["sound", { audio: { id: "audio_1", data: sound, expires_at: 1 } }],
    ["content in parts", { content: [{ type: "text", text }] }],
    ["a field that nobody knows yet", { thoughts: { summary: [text] } }],
  ])("in a chunk of chat: %s", (_what, delta) => {
    expect(count(chunk(delta))).toMatchObject({ outputTokens: 10, pictures: 0 });
    const whole = { object: "chat.completion", choices: [{ index: 0, message: delta, finish_reason: "stop" }] };
    expect(countDeliveredAnswer(whole)).toMatchObject({ outputTokens: 10, pictures: 0 });
  });

  test.each<[string, Event]>([
    ["text", { type: "text_delta", text }],
    ["thinking", { type: "thinking_delta", thinking: text }],
    ["the input of a tool", { type: "input_json_delta", partial_json: text }],
  ])("in a delta of the Messages API: %s", (_what, delta) => {
    expect(count({ type: "content_block_delta", index: 0, delta })).toMatchObject({ outputTokens: 10, pictures: 0 });
  });

  test.each([[{ toString: 1 }], [["a"]], [5], [null]])("in an event whose type is %j, not a string", (type) => {
    const counted = new DeliveredCount();
    expect(counted.textOf({ ...chunk({ content: text }), type })).toMatchObject({ item: null });
    expect(count({ ...chunk({ content: text }), type })).toMatchObject({ outputTokens: 10 });
    expect(count({ type, output_index: 0, item: { content: [{ text }] } })).toMatchObject({ outputTokens: 10 });
  });

  test.each([[{ toString: 1 }], ["constructor"], [undefined]])(
    "as an image of usual size: one of quality %j",
    (quality) => {
      expect(count({ type: "image_generation.completed", b64_json: picture, quality })).toMatchObject({
        outputTokens: 1_056,
        pictures: 1,
      });
    },
  );

  test("in a response of the Messages API, with the input of tools as it was written", () => {
    const tool = { type: "tool_use", id: "toolu_1", name: "", input: { type: text.slice(14), id: 1 } };
    const content = [
      { type: "text", text, citations: [{ type: "page_location", cited_text: text }] },
      { type: "thinking", thinking: text, signature: text },
      tool,
      { type: "web_search_tool_result", tool_use_id: "x", content: [{ type: "web_search_result", title: text }] },
    ];
    const answer = {
      id: "msg_1",
      type: "message",
      role: "assistant",
      model: "claude",
      content,
      stop_reason: "tool_use",
    };
    expect(countDeliveredAnswer(answer)).toMatchObject({ outputTokens: 31, pictures: 0 });
  });

  test("in a chunk of the Gemini API, and in a response", () => {
    const parts = [
      { text },
      { text, thought: true, thoughtSignature: text },
      { functionCall: { name: "", args: { name: text.slice(11) } } },
      { inlineData: { mimeType: "image/png", data: picture } },
    ];
    const candidates = [{ content: { role: "model", parts }, finishReason: "STOP", groundingMetadata: { x: text } }];
    const chunkOf = { candidates, usageMetadata: { trafficType: text }, modelVersion: text, responseId: text };
    expect(count(chunkOf)).toMatchObject({ outputTokens: 30, pictures: 0 });
    expect(countDeliveredAnswer(chunkOf)).toMatchObject({ outputTokens: 30, pictures: 0 });
  });

  test.each<[string, Event]>([
    ["text", { type: "response.output_text.delta", delta: text }],
    ["arguments", { type: "response.function_call_arguments.delta", delta: text }],
    ["code", { type: "response.code_interpreter_call_code.delta", delta: text }],
    ["reasoning", { type: "response.reasoning_summary_text.delta", delta: text }],
    ["sound", { type: "response.output_audio.delta", delta: sound }],
    ["a transcript", { type: "response.output_audio_transcript.delta", delta: text }],
    [
      "code that came whole",
      { type: "response.output_item.done", item: { type: "code_interpreter_call", code: text } },
    ],
    ["a search", { type: "response.output_item.done", item: { type: "web_search_call", action: { query: text } } }],
    ["logs", { type: "response.output_item.done", item: { type: "code_interpreter_call", outputs: [{ logs: text }] } }],
    ["what a server said", { type: "response.output_item.done", item: { type: "mcp_call", output: text } }],
  ])("in an event of the Responses API: %s", (_what, event) => {
    expect(count({ item_id: "i", output_index: 0, sequence_number: 1, ...event })).toMatchObject({ outputTokens: 10 });
  });

  test("once, although the Responses API repeats it again and again", () => {
    const place = { item_id: "i", output_index: 0, content_index: 0 };
    const item = { type: "message", role: "assistant", content: [{ type: "output_text", text, annotations: [] }] };
    const all = count(
      { type: "response.created", response: { id: "r", instructions: "be brief".repeat(100), output: [] } },
      { type: "response.output_item.added", output_index: 0, item: { type: "message", content: [] } },
      ...Array.from({ length: 10 }, () => ({ type: "response.output_text.delta", ...place, delta: "aaaaa" })),
      { type: "response.output_text.done", ...place, text },
      { type: "response.content_part.done", ...place, part: { type: "output_text", text } },
      { type: "response.output_item.done", output_index: 0, item },
      { type: "response.completed", response: { output: [item], instructions: "be brief".repeat(100) } },
    );
    expect(all).toMatchObject({ outputTokens: 10, textBytes: 50 });
  });

  test("and a text without a letter does not", () => {
    expect(count(chunk({}), chunk({ content: "" }), chunk({ content: null }), { choices: [] })).toEqual({
      outputTokens: 0,
      textBytes: 0,
      pictures: 0,
      items: 0,
    });
  });
});

describe("images", () => {
  test.each<[string, number, Event[]]>([
    ["a draft", 1, [{ type: "image_generation.partial_image", b64_json: picture }]],
    ["drafts of one image", 1, [0, 1, 2].map(() => ({ type: "image_edit.partial_image", b64_json: picture }))],
    ["a draft in a response", 1, [{ type: "r.partial_image", output_index: 0, partial_image_b64: picture }]],
    [
      "an image whose drafts came before",
      1,
      [
        { type: "image_generation.partial_image", b64_json: picture },
        { type: "image_generation.completed", b64_json: picture },
      ],
    ],
    [
      "two items of a response",
      2,
      [0, 1].flatMap((place) => [
        { type: "r.partial_image", output_index: place, partial_image_b64: picture },
        {
          type: "response.output_item.done",
          output_index: place,
          item: { type: "image_generation_call", result: picture },
        },
      ]),
    ],
    [
      "an image in a chunk of chat",
      1,
      [chunk({ images: [{ image_url: { url: `data:image/png;base64,${picture}` } }] })],
    ],
  ])("%s: %i, at an image's token cost and not by its bytes", (_what, pictures, events) => {
    expect(count(...events)).toEqual({ outputTokens: pictures * 1_056, textBytes: 0, pictures, items: 0 });
  });
});

describe("a stream that is cut is charged no more tokens than it delivered", () => {
  const stream = (words: readonly string[]) => count(...words.map((content) => chunk({ content }))).outputTokens;

  test.each([40, 60, 1, 500])("if each of %i events is a token", (events) => {
    expect(stream(Array.from({ length: events }, (_, index) => `tok${index % 90} `))).toBe(events);
  });

  test("if events are single letters, or whole paragraphs", () => {
    expect(stream([...text])).toBe(10);
    expect(stream([text, text])).toBe(20);
  });

  test("in Chinese, whether a token or a letter comes in each event", () => {
    const sign = "\u6c34";
    expect(stream(Array.from({ length: 20 }, () => sign.repeat(2)))).toBe(20);
    expect(stream(Array.from({ length: 20 }, () => sign))).toBe(10);
  });
});

describe("what a model wrote is text", () => {
  const long = "a".repeat(40_000);
  const written = { outputTokens: 8_000, pictures: 0 };

  test.each(["content", "reasoning", "refusal"])("where %s only begins like the address of an image", (name) => {
    const message = { [name]: `data:image/${long}`.slice(0, long.length) };
    expect(countDeliveredAnswer({ choices: [{ message }] })).toMatchObject(written);
  });

  test.each(["metadata", "url", "audio", "b64_json", "id"])("whatever a parameter is called: %s", (name) => {
    const value = long.slice(name.length + 7);
    for (const inner of [{ [name]: value }, { [name]: [value] }]) {
      const message = { tool_calls: [{ function: { name: "", arguments: inner } }] };
      const { outputTokens, pictures } = countDeliveredAnswer({ choices: [{ message }] });
      expect([Math.abs(outputTokens - 8_000) < 3, pictures]).toEqual([true, 0]);
    }
  });

  test("in scripts of signs, however long it is", () => {
    const content = "\u6c34".repeat(100_000);
    expect(countDeliveredAnswer({ choices: [{ message: { content } }] })).toMatchObject({ outputTokens: 50_000 });
  });
});
