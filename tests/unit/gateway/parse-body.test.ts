import { expect, spyOn, test } from "bun:test";
import type { ApiKeyId } from "@sluice/contracts/ids";
import { parseRequest } from "@sluice/control-plane/gateway/admit/parse-request.ts";
import type { CallState, ParsedRequest, Principal } from "@sluice/control-plane/gateway/model.ts";
import type { Operation } from "@sluice/control-plane/gateway/operations/model.ts";
import { findOperation } from "@sluice/control-plane/gateway/operations/table.ts";
import { BodyParser } from "@sluice/control-plane/gateway/parse-body.ts";
import { withModelName } from "@sluice/control-plane/gateway/upstreams/model-name.ts";
import { systemClock } from "@sluice/control-plane/platform/clock.ts";
import { AppError, toAppError } from "@sluice/control-plane/platform/errors.ts";
import { OutlinesByCaller } from "@sluice/control-plane/platform/outlines-by-caller.ts";
import { viewOf } from "@sluice/http-client/packet-part";

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

/** A parser, and how a call at a path is read by it. */
function openParser(path: string): { operation: Operation; parse: (bytes: Buffer) => unknown } {
  const parseAside = () => Promise.reject(new Error("a body of this size is parsed here"));
  const parser = new BodyParser({ parseAside, clock: systemClock });
  const call = { path, headers: new Headers() } as unknown as CallState["call"];
  const state = { call, principal: { apiKeyId: 1n as ApiKeyId } as Principal };
  const operation = findOperation(path);
  return { operation, parse: (bytes) => outcomeOf(() => parser.parse(bytes, state, operation)) };
}

function outcomeOf(parse: () => unknown): unknown {
  try {
    return parse();
  } catch (thrown) {
    const { code, message: words, param } = toAppError(thrown);
    return { code, words, param };
  }
}

test.each(bodies)("%s is read as the first time when most of it comes again", (_, path, fields) => {
  const { operation, parse } = openParser(path);
  for (let turn = 0; turn < 4; turn += 1) {
    const bytes = Buffer.from(JSON.stringify({ ...fields, user: `user ${turn}` }));
    const first = outcomeOf(() => parseRequest(bytes, null, operation));
    expect(parse(bytes)).toEqual(first);
  }
});

const part = { type: "text", text: "a part" };
const called = {
  role: "assistant",
  content: null,
  tool_calls: [{ id: "c", type: "function", function: { name: "f" } }],
};

/** Bodies of each dialect, by the text that is in them. Some are refused. */
const written: readonly [name: string, path: string, fieldsWith: (text: string) => object][] = [
  [
    "a chat",
    "/v1/chat/completions",
    (content) => ({
      ...modelAndStream,
      messages: [
        { role: "system", content },
        { role: "user", content: [part, { type: "text", text: content }] },
        called,
      ],
      metadata: { content: "a tag" },
      max_tokens: 9,
      n: 2,
    }),
  ],
  [
    "a chat with an image and a tool",
    "/v1/chat/completions",
    (shown) => ({
      model: "m",
      user: "u",
      metadata: { team: "t" },
      prompt_cache_key: "k",
      messages: [
        {
          role: "user",
          content: [
            { type: "text", text: shown },
            { type: "image_url", image_url: { url: "https://a/b" } },
          ],
        },
      ],
      tools: [{ type: "function", function: { name: "content", description: "text" } }],
    }),
  ],
  ["a chat that is refused", "/v1/chat/completions", (content) => ({ model: "m", messages: [{ role: "x", content }] })],
  [
    "a response",
    "/v1/responses",
    (shown) => ({
      ...modelAndStream,
      instructions: shown,
      input: [{ role: "user", content: [{ type: "input_text", text: shown }] }],
    }),
  ],
  ["a response to one text", "/v1/responses", (input) => ({ model: "m", input, max_output_tokens: 9 })],
  [
    "a response with a search that is removed",
    "/v1/responses",
    (input) => ({ model: "m", tools: [{ type: "function", name: "f" }, { type: "web_search" }], input }),
  ],
  [
    "a message",
    "/v1/messages",
    (content) => ({
      ...modelAndStream,
      max_tokens: 9,
      system: [{ type: "text", text: content }],
      messages: [{ role: "user", content }],
    }),
  ],
  [
    "a message that may be summarised",
    "/v1/messages",
    (content) => ({
      model: "m",
      max_tokens: 9,
      context_management: { edits: [{ type: "compact_20260112" }] },
      messages: [{ role: "user", content }],
    }),
  ],
  [
    "a message with a priced search",
    "/v1/messages",
    (content) => ({
      model: "m",
      max_tokens: 9,
      tools: [{ ...search, max_uses: 3 }],
      messages: [{ role: "user", content }],
    }),
  ],
  [
    "a message with a document and a result",
    "/v1/messages",
    (content) => ({
      model: "m",
      max_tokens: 9,
      messages: [
        {
          role: "user",
          content: [
            { type: "document", source: { type: "base64", data: "abcd" } },
            { type: "tool_result", content },
          ],
        },
      ],
    }),
  ],
  [
    "a message with a tool that is refused where it is not converted",
    "/v1/messages",
    (system) => ({
      model: "m",
      max_tokens: 9,
      system,
      messages: [message],
      tools: [{ type: "code_execution_20250522", name: "x" }],
    }),
  ],
];
const texts = [
  "hello",
  "",
  'a "quoted" text: with\n\tescapes \\',
  "中文 é 😀",
  "data:image/png;base64,abcd",
  "x".repeat(3_000),
];

test.each(written)("%s is read as the first time when it comes again with other texts", (name, path, fieldsWith) => {
  const { operation, parse } = openParser(path);
  const finding = spyOn(OutlinesByCaller.prototype, "find");
  for (const each of [...texts, ...texts]) {
    const bytes = Buffer.from(JSON.stringify(fieldsWith(each)));
    expect(parse(bytes)).toEqual(outcomeOf(() => parseRequest(bytes, null, operation)));
  }
  const known = finding.mock.results.filter(({ value }) => value !== null);
  finding.mockRestore();
  // Two teach what others have in common with them; one that is refused teaches nothing.
  expect(known).toHaveLength(name === "a chat that is refused" ? 0 : 2 * texts.length - 2);
});

/** Each has a field after its texts whose name has a colon, so that its fields are read with their places. */
const scanned: readonly [name: string, path: string, fieldsWith: (text: string) => object][] = [
  [
    "a chat with stream options",
    "/v1/chat/completions",
    (content) => ({
      messages: [{ role: "user", content }],
      ...modelAndStream,
      stream_options: { include_usage: false },
      metadata: { "a:b": "c" },
    }),
  ],
  [
    "a response with a search that is removed",
    "/v1/responses",
    (input) => ({
      input,
      model: "m",
      metadata: { "a:b": "c" },
      tools: [{ type: "function", name: "f" }, { type: "web_search" }],
    }),
  ],
  [
    "a message",
    "/v1/messages",
    (system) => ({ system, messages: [message], model: "m", max_tokens: 9, metadata: { "a:b": "c" } }),
  ],
];

test.each(scanned)("%s is sent on with its own model, options and tools when it comes with other texts", (...row) => {
  const [, path, fieldsWith] = row;
  const { operation, parse } = openParser(path);
  for (const each of ["hello", ...texts]) {
    const bytes = Buffer.from(JSON.stringify(fieldsWith(each)));
    const request = withModelName(parse(bytes) as ParsedRequest, "another");
    const first = withModelName(parseRequest(bytes, null, operation), "another");
    expect(viewOf(request.body).toString()).toBe(viewOf(first.body).toString());
    expect({ ...request, modelPlace: null }).toEqual({ ...first, modelPlace: null });
  }
});

test("what is read of a body is not changed by what is made of it", () => {
  const frozen = (value: unknown): unknown => {
    if (typeof value === "object" && value !== null) {
      Object.values(value).map(frozen);
    }
    return Object.freeze(value);
  };
  for (const [, path, fieldsWith] of written) {
    const operation = findOperation(path);
    const bytes = Buffer.from(JSON.stringify(fieldsWith("hello")));
    const fields = frozen(JSON.parse(bytes.toString())) as Record<string, unknown>;
    try {
      parseRequest(bytes, null, operation, () => ({ fields, topLevel: null }));
    } catch (thrown) {
      expect(thrown).toBeInstanceOf(AppError);
    }
  }
});
