import { expect, test } from "bun:test";
import { type ModelFlags, messagesModelFlags } from "@sluice/dialect-conversion/chat-to-messages/claude-models";

test.each<[string, ModelFlags["thinking"], boolean, boolean]>([
  ["claude-3-haiku-20240307", "none", true, false],
  ["claude-3-5-sonnet-20241022", "none", true, false],
  ["claude-3-7-sonnet-20250219", "budget", true, false],
  ["claude-opus-4-20250514", "budget", true, false],
  ["claude-sonnet-4-5-20250929", "budget", true, false],
  ["anthropic.claude-opus-4-5-20251101-v1:0", "budget", true, false],
  ["claude-opus-4-6", "adaptive", true, false],
  ["anthropic/claude-sonnet-4.6", "adaptive", true, false],
  ["anthropic/claude-4.7-opus", "adaptive", false, false],
  ["us.anthropic.claude-opus-4-7-v1:0", "adaptive", false, false],
  ["claude-opus-4-8", "adaptive", false, true],
  ["claude-sonnet-5", "adaptive", false, false],
  ["claude-opus-5@20260724", "adaptive", false, true],
  ["claude-haiku-5-5", "adaptive", false, true],
  ["claude-sonnet-5-5", "always", false, true],
  ["claude-opus-5-5", "always", false, true],
  ["claude-fable-5-1", "always", false, true],
  ["Claude-Mythos-Preview", "always", false, false],
  ["deepseek-chat", "budget", true, false],
  ["glm-5", "budget", true, false],
])("the model %s thinks: %s, takes sampling: %p, and system turns: %p", (model, thinking, sampling, systemTurns) => {
  expect(messagesModelFlags(model)).toEqual({ thinking, sampling, systemTurns });
});
