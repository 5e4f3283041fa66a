import { expect, test } from "bun:test";
import type { ParsedRequest } from "@sluice/control-plane/gateway/model.ts";
import { measureAnswer, measureStream } from "@sluice/control-plane/gateway/settle/measure-usage.ts";
import { noUnits } from "@sluice/control-plane/gateway/usage-log/model.ts";

const request: ParsedRequest = {
  model: "any",
  isStream: true,
  wantsUsage: false,
  outputTokensMax: null,
  choices: 1,
  images: 1,
  inputBytes: 20_000_000,
  body: new Uint8Array(),
  contentType: "application/json",
};
const bound = { ...noUnits, inputTokens: 128_000n, outputTokens: 2n };
const text = "much longer than two tokens";

test("our own count of a stream that broke off stays within what was set aside", () => {
  const event = Buffer.from(`data: ${JSON.stringify({ choices: [{ delta: { content: text } }] })}\n\n`);
  const answer = { kind: "chat", isComplete: false, reported: null, request, bound } as const;
  const { units, usageSource } = measureStream({ ...answer, pieces: [event], bytesSent: event.length });
  expect(usageSource).toBe("estimated");
  expect(units).toEqual(bound);
});

test("our own count of a whole answer without usage stays within what was set aside", () => {
  const body = Buffer.from(JSON.stringify({ choices: [{ message: { content: text } }] }));
  const { units, usageSource } = measureAnswer(body, request, "chat", bound);
  expect(usageSource).toBe("estimated");
  expect(units).toEqual(bound);
});

test("a count of the provider is taken as it is, also beyond the bound", () => {
  const usage = { prompt_tokens: 200_000, completion_tokens: 3 };
  const body = Buffer.from(JSON.stringify({ choices: [{ message: { content: text } }], usage }));
  expect(measureAnswer(body, request, "chat", bound).units).toMatchObject({ inputTokens: 200_000n, outputTokens: 3n });
});
