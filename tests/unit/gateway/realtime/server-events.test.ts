import { describe, expect, test } from "bun:test";
import {
  cleanError,
  readPiece,
  readServerEvent,
  readTranscriptPiece,
} from "@sluice/control-plane/gateway/realtime/server-events.ts";

const read = (event: object) => readServerEvent(JSON.stringify(event));
const none = { cacheWriteTokens: 0, reasoningTokens: 0, images: 0, audioMs: 0, cacheWrite1hTokens: 0, searches: 0 };

describe("an event that matters is parsed", () => {
  test("the beginning of a response", () => {
    const event = { type: "response.created", response: { id: "resp_1", status: "in_progress" } };
    expect(read(event)).toEqual({ kind: "response_begun", id: "resp_1" });
  });

  test("the end of a response with its usage: audio and text count alike, cached tokens separately", () => {
    const usage = {
      total_tokens: 253,
      input_tokens: 132,
      output_tokens: 121,
      input_token_details: { text_tokens: 119, audio_tokens: 13, cached_tokens: 64 },
      output_token_details: { text_tokens: 30, audio_tokens: 91 },
    };
    expect(read({ type: "response.done", response: { id: "resp_1", status: "completed", usage } })).toEqual({
      kind: "response_ended",
      id: "resp_1",
      status: "completed",
      units: { ...none, inputTokens: 132, outputTokens: 121, cacheReadTokens: 64 },
      isFiltered: false,
      output: null,
    });
  });

  test("the end of a response that the content filter ended", () => {
    const response = {
      id: "r",
      status: "incomplete",
      status_details: { type: "incomplete", reason: "content_filter" },
    };
    expect(read({ type: "response.done", response })).toMatchObject({ kind: "response_ended", isFiltered: true });
  });

  test.each([[null], [{}], [{ input_tokens: "12" }]])("the end of a response that was not counted: %p", (usage) => {
    const event = { type: "response.done", response: { id: "resp_1", status: "failed", usage } };
    expect(read(event)).toEqual({
      kind: "response_ended",
      id: "resp_1",
      status: "failed",
      units: null,
      isFiltered: false,
      output: null,
    });
  });

  test("never more cached tokens than tokens, and a negative count is not accepted", () => {
    const usage = { input_tokens: 5, output_tokens: -3, input_token_details: { cached_tokens: 9 } };
    const event = read({ type: "response.done", response: { id: "r", status: "completed", usage } });
    expect(event).toMatchObject({ units: { isOdd: true, inputTokens: 5, outputTokens: 0, cacheReadTokens: 5 } });
  });

  test("a transcription, by tokens or by time", () => {
    const type = "conversation.item.input_audio_transcription.completed";
    const byTime = { type, item_id: "i", transcript: "hi", usage: { type: "duration", seconds: 1.5 } };
    expect(read(byTime)).toEqual({
      ...{ kind: "transcribed", itemId: "i", textBytes: 2 },
      units: { ...none, inputTokens: 0, outputTokens: 0, cacheReadTokens: 0, audioMs: 1500 },
    });
    expect(read({ type, transcript: "hié" })).toEqual({
      ...{ kind: "transcribed", itemId: "", textBytes: 4, units: null },
    });
    const byTokens = { ...byTime, usage: { type: "tokens", input_tokens: 17, output_tokens: 9, total_tokens: 26 } };
    expect(read(byTokens)).toMatchObject({ kind: "transcribed", units: { inputTokens: 17, outputTokens: 9 } });
  });

  test("an error, and whether the client is at fault", () => {
    const error = { type: "invalid_request_error", message: "no", event_id: "event_1" };
    expect(read({ type: "error", error })).toEqual({ kind: "error", isRequestFault: true, eventId: "event_1" });
    expect(read({ type: "error", error: { type: "server_error" } })).toMatchObject({ isRequestFault: false });
  });

  test("what is repeated at the end of a response", () => {
    const output = [{ id: "i", type: "message", content: [{ type: "output_text", text: "four words of text" }] }];
    const event = read({ type: "response.done", response: { id: "r", status: "completed", output } });
    expect(event).toMatchObject({ output: { letters: 18, signs: 0, soundCharacters: 0 } });
  });
});

describe("everything else passes unparsed", () => {
  test.each([
    ["a piece of text that quotes an event", { type: "response.output_text.delta", delta: '"response.done"' }],
    ["an event of another kind", { type: "rate_limits.updated", rate_limits: [] }],
    ["a marker in a place without meaning", { type: "x", error: null, note: "response.done" }],
  ])("%s", (_what, event) => {
    expect(read(event)).toBeNull();
  });

  test.each(["", "[]", "null", '{"type":"response.done"', '"response.done"'])("not an event: %s", (frame) => {
    expect(readServerEvent(frame)).toBeNull();
  });
});

describe("a delta of a response is measured without being parsed", () => {
  test("as text, with the length of its content", () => {
    const frame = JSON.stringify({ type: "response.output_text.delta", response_id: "resp_1", delta: "hello" });
    expect(readPiece(frame)).toEqual({ responseId: "resp_1", item: "", kind: "text", length: 5, signs: 0 });
  });

  test("arguments of a function count to their end, including quotes", () => {
    const delta = '{"city":"Oslo \\\\"}'.repeat(20);
    const type = "response.function_call_arguments.delta";
    const measured = readPiece(JSON.stringify({ type, response_id: "r", delta, item_id: "i" }));
    expect(measured).toMatchObject({ length: JSON.stringify(delta).length - 2 });
  });

  test.each(["response.output_audio.delta", "response.audio.delta"])("as audio: %s", (type) => {
    const frame = JSON.stringify({ type, response_id: "resp_1", delta: "AAAA" }, null, 1);
    expect(readPiece(frame)).toEqual({ responseId: "resp_1", item: "", kind: "audio", length: 4, signs: 0 });
  });

  test("a transcript of audio is text", () => {
    const type = "response.output_audio_transcript.delta";
    expect(readPiece(JSON.stringify({ type, response_id: "r", delta: "AAAA" }))?.kind).toBe("text");
  });

  test("for the item that it belongs to", () => {
    const frame = {
      type: "response.output_text.delta",
      response_id: "r",
      output_index: 12,
      delta: 'a "output_index": 7',
    };
    expect(readPiece(JSON.stringify(frame))).toMatchObject({ item: "12", kind: "text", length: 21 });
  });

  const place = { response_id: "r", item_id: "i", output_index: 2, content_index: 1 };
  const item = { id: "i", type: "function_call", call_id: "c", name: "f", arguments: '{"a":1}' };

  test.each([
    ["response.output_text.done", { ...place, text: "hello" }, "1", 5, 0],
    ["response.text.done", { ...place, text: "hello" }, "1", 5, 0],
    ["response.output_audio_transcript.done", { ...place, transcript: "hello" }, "1", 5, 0],
    [
      "response.content_part.done",
      { ...place, part: { type: "audio", transcript: "hello", audio: "AAAA" } },
      "1",
      5,
      4,
    ],
    ["response.function_call_arguments.done", { ...place, content_index: undefined, arguments: "{}" }, "all", 2, 0],
    ["response.output_item.done", { response_id: "r", output_index: 2, item }, "all", 8, 0],
    [
      "response.output_item.added",
      { response_id: "r", output_index: 2, item: { ...item, name: "", arguments: "" } },
      "all",
      0,
      0,
    ],
  ] as const)("as a whole if it is sent whole: %s", (...said) => {
    const [type, event, part, letters, soundCharacters] = said;
    expect(readPiece(JSON.stringify({ type, event_id: "e", ...event }))).toMatchObject({
      ...{ responseId: "r", item: "2", kind: "whole", part },
      size: { letters, soundCharacters },
    });
  });

  test("not for a response that it only quotes", () => {
    const event = { type: "conversation.item.added", item: { content: [{ text: "x", response_id: "r" }] } };
    expect(readPiece(JSON.stringify(event))).toBeNull();
  });

  test("as the user's speech, if it is that", () => {
    const type = "conversation.item.input_audio_transcription.delta";
    expect(readTranscriptPiece(JSON.stringify({ type, item_id: "i", delta: "hié" }))).toEqual({
      itemId: "i",
      textBytes: 4,
    });
    expect(readTranscriptPiece(JSON.stringify({ type: "response.output_text.delta", delta: type }))).toBeNull();
  });

  test("not when it belongs to no response", () => {
    expect(readPiece(JSON.stringify({ type: "conversation.item.x.delta", delta: "AAAA" }))).toBeNull();
  });
});

test("an error shows neither the credential of the channel nor anything that looks like one", () => {
  const said = 'Incorrect API key provided: own-secret, or sk-abcdefghijklmnop; "Bearer abcdefghijk"';
  const cleaned = cleanError(said, "own-secret");
  expect(cleaned).not.toContain("own-secret");
  expect(cleaned).not.toContain("abcdefghijk");
});
