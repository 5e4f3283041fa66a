import { expect, test } from "bun:test";
import { parseRequest } from "@sluice/control-plane/gateway/admit/parse-request.ts";
import { findSurface } from "@sluice/control-plane/gateway/surfaces.ts";
import { AppError } from "@sluice/control-plane/platform/errors.ts";

const messages = [{ role: "user", content: "Hello" }];

function parse(path: string, fields: Record<string, unknown>) {
  const body = Buffer.from(JSON.stringify({ model: "any", ...fields }));
  return parseRequest(body, "application/json", findSurface(path));
}

test("a limit of the output that the path does not know bounds nothing", () => {
  expect(parse("/v1/chat/completions", { messages, max_output_tokens: 1 }).outputTokensMax).toBeNull();
  expect(parse("/v1/completions", { prompt: "Hello", max_completion_tokens: 1 }).outputTokensMax).toBeNull();
  expect(parse("/v1/responses", { input: "Hello", max_tokens: 1 }).outputTokensMax).toBeNull();
});

test("the limit of the output is the one that the path knows, and of two the higher", () => {
  const both = { messages, max_completion_tokens: 1, max_tokens: 4_000 };
  expect(parse("/v1/chat/completions", both).outputTokensMax).toBe(4_000);
  expect(parse("/v1/completions", { prompt: "Hello", max_tokens: 16 }).outputTokensMax).toBe(16);
  expect(parse("/v1/responses", { input: "Hello", max_output_tokens: 16 }).outputTokensMax).toBe(16);
});

test("every completion that is paid for is set aside: prompts in a list, choices, attempts", () => {
  const choices = (fields: Record<string, unknown>) => parse("/v1/completions", fields).choices;
  expect(choices({ prompt: "Hello" })).toBe(1);
  expect(choices({ prompt: ["a", "b", "c"], n: 2 })).toBe(6);
  expect(choices({ prompt: ["a", "b"], n: 2, best_of: 5 })).toBe(10);
  expect(choices({ prompt: [[1, 2], [3]] })).toBe(2);
  expect(choices({ prompt: [1, 2, 3] })).toBe(1);
});

function parseForm(path: string, fields: Record<string, string>) {
  const parts = Object.entries({ model: "any", ...fields }).map(
    ([name, value]) => `--b\r\nContent-Disposition: form-data; name="${name}"\r\n\r\n${value}\r\n`,
  );
  return parseRequest(Buffer.from(`${parts.join("")}--b--\r\n`), "multipart/form-data; boundary=b", findSurface(path));
}

test("a form that asks for several images is set aside and charged for all of them", () => {
  expect(parseForm("/v1/images/edits", { n: "10" }).choices).toBe(10);
  expect(parseForm("/v1/images/variations", {}).choices).toBe(1);
  expect(parseForm("/v1/audio/transcriptions", { n: "10" }).choices).toBe(1);
});

test("a number of images that is none is refused", () => {
  for (const n of ["0", "129", "2.5", "many", ""]) {
    expect(() => parseForm("/v1/images/edits", { n })).toThrow(AppError);
  }
});

test.each([
  ["an earlier answer", { previous_response_id: "resp_1" }, true],
  ["a conversation", { conversation: "conv_1" }, true],
  ["a stored prompt", { prompt: { id: "pmpt_1" } }, true],
  ["a hosted tool", { tools: [{ type: "web_search" }] }, true],
  ["a file by its id", { input: [{ type: "input_file", file_id: "file_1" }] }, true],
  ["text and functions", { input: "x", tools: [{ type: "function", name: "f" }] }, false],
])("input that is not in the body is noticed: %s", (_, fields, isElsewhere) => {
  const body = Buffer.from(JSON.stringify({ model: "gpt-4o-mini", ...fields }));
  const request = parseRequest(body, "application/json", findSurface("/v1/responses"));
  expect(request.isInputElsewhere).toBe(isElsewhere);
});
