import { expect, test } from "bun:test";
import { parseRequest } from "@sluice/control-plane/gateway/admit/parse-request.ts";
import { findOperation } from "@sluice/control-plane/gateway/operations/table.ts";
import { AppError } from "@sluice/control-plane/platform/errors.ts";

/** `String` throws for the first one. */
const odd = [{ toString: 1 }, ["function"], [{ toString: 1 }], 5, true];
const messages = [{ role: "user", content: "hi" }];
const contents = [{ parts: [{ text: "hi" }] }];

/** The status of the refusal; 200 for a request that is accepted. */
function statusOf(path: string, body: object): number {
  try {
    const bytes = Buffer.from(JSON.stringify(path.includes(":") ? body : { model: "m", ...body }));
    return parseRequest(bytes, "application/json", findOperation(path)).refusal === undefined ? 200 : 400;
  } catch (error) {
    if (error instanceof AppError) {
      return error.status;
    }
    throw error;
  }
}

test.each<[string, string, (type: unknown) => object]>([
  ["a tool of a chat", "/v1/chat/completions", (type) => ({ messages, tools: [{ type, function: { name: "f" } }] })],
  ["a part of a message", "/v1/chat/completions", (type) => ({ messages: [{ role: "user", content: [{ type }] }] })],
  ["a tool of a message", "/v1/messages", (type) => ({ max_tokens: 1, messages, tools: [{ type, name: "t" }] })],
  ["an edit", "/v1/messages", (type) => ({ max_tokens: 1, messages, context_management: { edits: [{ type }] } })],
  ["an item", "/v1/responses", (type) => ({ input: [{ type, content: "hi" }] })],
  ["a tool of a response", "/v1/responses", (type) => ({ input: "hi", tools: [{ type, name: "t" }] })],
  [
    "an output",
    "/v1beta/models/m:generateContent",
    (type) => ({ contents, generationConfig: { responseModalities: [type] } }),
  ],
])("a type of %s that is not a string causes no failure", (_, path, body) => {
  for (const type of odd) {
    expect([200, 400]).toContain(statusOf(path, body(type)));
  }
});

test("an edit whose type is not a string may be a summary, which is paid for", () => {
  for (const type of odd) {
    const context = { context_management: { edits: [{ type }] } };
    const bytes = Buffer.from(JSON.stringify({ model: "m", max_tokens: 1, messages, ...context }));
    const { bounds } = parseRequest(bytes, "application/json", findOperation("/v1/messages"));
    expect(bounds).toMatchObject({ choices: 2, isOneContext: false });
  }
});
