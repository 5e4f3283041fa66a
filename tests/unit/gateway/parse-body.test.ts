import { expect, test } from "bun:test";
import type { ApiKeyId } from "@sluice/contracts/ids";
import { parseRequest } from "@sluice/control-plane/gateway/admit/parse-request.ts";
import type { CallState, Principal } from "@sluice/control-plane/gateway/model.ts";
import { findOperation } from "@sluice/control-plane/gateway/operations/table.ts";
import { BodyParser } from "@sluice/control-plane/gateway/parse-body.ts";
import { systemClock } from "@sluice/control-plane/platform/clock.ts";
import { toAppError } from "@sluice/control-plane/platform/errors.ts";

const text = "a text: with colons, ".repeat(300);
const parameters = { type: "object", properties: { path: { type: "string", description: text } } };
const message = { role: "user", content: "hello" };
const named = { type: "function", name: "read", parameters };
const search = { type: "web_search_20250305", name: "web_search" };
const modelAndStream = { model: "m", stream: true };

/** Long bodies of each dialect, with fields that agents repeat. Some are refused. */
const bodies: readonly [name: string, path: string, fields: object][] = [
  [
    "a chat with tools",
    "/v1/chat/completions",
    { ...modelAndStream, messages: [message], tools: [{ type: "function", function: named }] },
  ],
  [
    "a chat with a tool that is refused",
    "/v1/chat/completions",
    { tools: [{ type: "web_search", text }], ...modelAndStream, messages: [message] },
  ],
  [
    "a chat with a field in disguise in a tool",
    "/v1/chat/completions",
    { ...modelAndStream, messages: [message], tools: [{ type: "function", Type: "x", text }] },
  ],
  [
    "a response without the search that is removed",
    "/v1/responses",
    { ...modelAndStream, instructions: text, input: "hello", tools: [named, { type: "web_search" }] },
  ],
  [
    "a response with a tool that is refused",
    "/v1/responses",
    { ...modelAndStream, input: [message], tools: [{ type: "file_search", text }] },
  ],
  [
    "a message with a long system prompt",
    "/v1/messages",
    { ...modelAndStream, max_tokens: 9, system: [{ type: "text", text }], messages: [message] },
  ],
  [
    "a message with a priced search",
    "/v1/messages",
    {
      ...modelAndStream,
      max_tokens: 9,
      messages: [message],
      tools: [
        { name: "a", text },
        { ...search, max_uses: 3 },
      ],
    },
  ],
  [
    "a message with a search without a limit",
    "/v1/messages",
    { ...modelAndStream, max_tokens: 9, messages: [message], tools: [{ name: "a", text }, search] },
  ],
  [
    "a message without its limit",
    "/v1/messages",
    { ...modelAndStream, messages: [message], tools: [{ name: "a", input_schema: parameters }] },
  ],
];

test.each(bodies)("%s is read as the first time when most of it comes again", (_, path, fields) => {
  const operation = findOperation(path);
  const parseAside = () => Promise.reject(new Error("a body of this size is parsed here"));
  const parser = new BodyParser({ parseAside, clock: systemClock });
  const call = { path, headers: new Headers() } as unknown as CallState["call"];
  const state = { call, principal: { apiKeyId: 1n as ApiKeyId } as Principal };
  const outcomeOf = (parse: () => unknown): unknown => {
    try {
      return parse();
    } catch (thrown) {
      const { code, message: words, param } = toAppError(thrown);
      return { code, words, param };
    }
  };
  for (let turn = 0; turn < 4; turn += 1) {
    const bytes = Buffer.from(JSON.stringify({ ...fields, user: `user ${turn}` }));
    const first = outcomeOf(() => parseRequest(bytes, null, operation));
    expect(outcomeOf(() => parser.parse(bytes, state, operation))).toEqual(first);
  }
});
