import { expect, test } from "bun:test";
import type { StatedCapability } from "@sluice/contracts/model-capabilities";
import { capabilitiesOf } from "@sluice/control-plane/models/capabilities.ts";

const chat = (name: string, imageTokens = 0, capabilities: StatedCapability[] | null = null) =>
  capabilitiesOf({ name, kind: "chat", image_tokens_max: imageTokens, capabilities });

test("what a model can do follows from the name of its family", () => {
  expect(chat("gpt-4o-mini", 50_000)).toEqual(["vision", "tools", "structured_output"]);
  expect(chat("anthropic/claude-sonnet-4-5", 5_000)).toEqual(["vision", "tools", "reasoning", "structured_output"]);
  expect(chat("claude-sonnet-4-20250514")).toEqual(["tools", "reasoning"]);
  expect(chat("claude-3-5-haiku")).toEqual(["tools"]);
  expect(chat("o1-mini")).toEqual(["reasoning"]);
  expect(chat("gpt-5.1-chat-latest")).toEqual(["structured_output"]);
  expect(chat("gemini-2.5-flash")).toEqual(["tools", "reasoning", "structured_output", "audio_input"]);
  expect(chat("Qwen3-Max")).toEqual(["tools"]);
});

test("nothing is said of an unknown name, nor of a model of another kind", () => {
  expect(chat("our-own-model")).toEqual([]);
  expect(capabilitiesOf({ name: "gpt-4o-transcribe", kind: "audio", image_tokens_max: 0, capabilities: null })).toEqual(
    [],
  );
});

test("the word of the operator counts more than the name", () => {
  expect(chat("gpt-4o-mini", 0, [])).toEqual([]);
  expect(chat("our-own-model", 1, ["reasoning"])).toEqual(["vision", "reasoning"]);
});
