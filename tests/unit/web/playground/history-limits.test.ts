import { expect, test } from "bun:test";
import { emptyStep, type Round } from "@sluice/web/src/console/pages/playground/conversation.ts";
import { toLine } from "@sluice/web/src/console/pages/playground/history-limits.ts";

test("a conversation is listed by the beginning of its first message, with what it weighs", () => {
  const image = { id: "1", name: "a.png", kind: "image" as const, data: "x".repeat(1_000), bytes: 750 };
  const answers = { "1": { model: "one", steps: [{ ...emptyStep, text: "y".repeat(20), reasoning: "z" }] } };
  const rounds: Round[] = [{ id: "1", text: `  Say\n\nhello ${"😀".repeat(100)}`, attachments: [image], answers }];
  const places = [
    { id: "1", model: "one" },
    { id: "2", model: "two" },
    { id: "3", model: "one" },
  ];
  const line = toLine("c1", rounds, { places, now: 5 });
  expect(line).toMatchObject({ id: "c1", models: ["one", "two"], updatedAt: 5 });
  expect(line.title).toBe(`Say hello ${"😀".repeat(70)}`);
  expect(line.bytes).toBe(1_000 + 21 + (rounds[0]?.text.length ?? 0));
});
