import { describe, expect, test } from "bun:test";
import type { ModelEntry } from "@sluice/control-plane/gateway/model.ts";
import { ConversationCount, ResponseCount } from "@sluice/control-plane/gateway/realtime/response-count.ts";
import type { Piece } from "@sluice/control-plane/gateway/realtime/server-events.ts";
import { Tally } from "@sluice/control-plane/gateway/usage-count/tally.ts";
import type { Units } from "@sluice/control-plane/models/units.ts";

const model = { contextTokensMax: 1_000, outputTokensMax: 50 } as ModelEntry;

const units = (inputTokens: number, outputTokens: number): Units => ({
  inputTokens,
  outputTokens,
  cacheReadTokens: 0,
  cacheWriteTokens: 0,
  reasoningTokens: 0,
  images: 0,
  audioMs: 0,
  cacheWrite1hTokens: 0,
  searches: 0,
});

function responseOf(...pieces: ["text" | "audio", number][]): ResponseCount {
  const count = new ResponseCount();
  for (const [kind, length] of pieces) {
    count.add({ responseId: "r", item: "0", kind, length, signs: 0 });
  }
  return count;
}

describe("a response that was never counted", () => {
  test("has one token for each piece of text that has the size of one, else for each 5 letters", () => {
    expect(responseOf(["text", 4], ["text", 6], ["text", 5]).outputTokens()).toBe(3);
    expect(responseOf(["text", 1], ["text", 1], ["text", 1]).outputTokens()).toBe(1);
    expect(responseOf(["text", 41]).outputTokens()).toBe(9);
  });

  test("has one token for each 50 ms of audio: 2,400 bytes, 3,200 characters of base64", () => {
    expect(responseOf(["audio", 3_200], ["audio", 3_200]).outputTokens()).toBe(2);
  });

  const whole = (part: string, said: object, item = "0"): Piece => {
    const size = new Tally();
    size.add(said, "", 0);
    return { responseId: "r", item, kind: "whole", part, size };
  };
  const text = { text: "four words of text, and more" };

  test("counts each part that is sent whole once, however often it is repeated", () => {
    const count = responseOf();
    count.add(whole("0", text));
    expect(count.outputTokens()).toBe(6);
    count.add(whole("0", { part: text }));
    count.add(whole("all", { item: { content: [text] } }));
    expect(count.outputTokens()).toBe(6);
    count.add(whole("1", text));
    expect(count.outputTokens()).toBe(12);
    count.add(whole("0", { text: "less" }));
    count.add(whole("all", { item: { content: [text, text] } }));
    expect(count.outputTokens()).toBe(12);
    count.add(whole("0", text, "1"));
    expect(count.outputTokens()).toBe(18);
  });

  test("counts deltas and their repetition once, and parts that were only sent whole in addition", () => {
    const count = responseOf(["text", 5], ["text", 5], ["text", 5], ["text", 5], ["text", 5], ["text", 5]);
    count.add(whole("0", text));
    expect(count.outputTokens()).toBe(6);
    const spoken = responseOf(["audio", 6_400]);
    spoken.add(whole("0", { transcript: text.text }));
    spoken.add(whole("all", { item: { content: [{ transcript: text.text }] } }));
    expect(spoken.outputTokens()).toBe(8);
  });

  test("has none when nothing was delivered", () => {
    expect(responseOf().outputTokens()).toBe(0);
  });
});

describe("its conversation", () => {
  test("is what the client sent, by bytes of text and time of audio", () => {
    const conversation = new ConversationCount();
    conversation.onClientFrame("x".repeat(400));
    const sound = JSON.stringify({ type: "input_audio_buffer.append", audio: "" });
    conversation.onClientFrame(sound.replace('""', `"${"A".repeat(64_000 - sound.length)}"`));
    expect(conversation.estimate(responseOf(["text", 4]), model).inputTokens).toBe(90);
  });

  test("is what the provider counted last and what came since, the former out of its cache", () => {
    const conversation = new ConversationCount();
    conversation.onClientFrame("x".repeat(4_000));
    conversation.onCounted(units(200, 30));
    conversation.onClientFrame("x".repeat(40));
    expect(conversation.estimate(responseOf(["text", 4]), model)).toMatchObject({
      inputTokens: 238,
      cacheReadTokens: 230,
      outputTokens: 1,
    });
  });

  test("is never larger than the model's context, and neither is the response", () => {
    const conversation = new ConversationCount();
    conversation.onCounted(units(5_000, 0));
    expect(conversation.estimate(responseOf(["text", 4_000]), model)).toMatchObject({
      inputTokens: 1_000,
      cacheReadTokens: 1_000,
      outputTokens: 50,
    });
  });
});
