import { describe, expect, test } from "bun:test";
import { type ErrorCode, errorTable } from "@sluice/contracts/errors";
import { MessagesError, toMessagesErrorBody } from "@sluice/messages-conversion/errors/messages-error";
import {
  type ErrorResponse,
  toMessagesError,
  toMessagesErrorOfCode,
} from "@sluice/messages-conversion/errors/to-messages-error";

const facts = { requestedModel: "claude-test", upstreamModel: "upstream-model", maxTokens: 64_000 };

const ofUpstream = (status: number, body: unknown, headers: Record<string, string> = {}): MessagesError =>
  toMessagesError({ status, body, headers, origin: "upstream" }, facts);
const ofGateway = (status: number, body: unknown, headers: Record<string, string> = {}): MessagesError =>
  toMessagesError({ status, body, headers, origin: "gateway" }, facts);
const said = (message: string, more: object = {}) => ({
  error: { message, type: "x", param: null, code: null, ...more },
});

describe("E4 the body", () => {
  test("E4 has type, message and request id", () => {
    const error = new MessagesError(400, "invalid_request_error", "max_tokens: Field required");
    expect(toMessagesErrorBody(error, "req_1")).toEqual({
      type: "error",
      error: { type: "invalid_request_error", message: "max_tokens: Field required" },
      request_id: "req_1",
    });
  });
});

describe("E4 an upstream's errors", () => {
  test.each<[number, number, MessagesError["type"], string]>([
    [400, 400, "invalid_request_error", "words"],
    [422, 400, "invalid_request_error", "words"],
    [409, 400, "invalid_request_error", "words"],
    [401, 502, "api_error", "The provider refused our credential."],
    [402, 502, "api_error", "The provider refused our credential."],
    [403, 502, "api_error", "The provider refused our credential."],
    [404, 404, "not_found_error", "model: claude-test"],
    [408, 504, "timeout_error", "The provider did not respond in time."],
    [413, 413, "request_too_large", "words"],
    [429, 429, "rate_limit_error", "words"],
    [500, 502, "api_error", "The provider failed."],
    [502, 502, "api_error", "The provider failed."],
    [503, 529, "overloaded_error", "The provider is overloaded."],
    [504, 504, "timeout_error", "The provider did not respond in time."],
    [520, 502, "api_error", "The provider failed."],
    [529, 529, "overloaded_error", "The provider is overloaded."],
  ])("E4 upstream %d is %d %s", (status, expectedStatus, type, message) => {
    expect(ofUpstream(status, said("words"))).toMatchObject({ status: expectedStatus, type, message });
  });

  test.each<[string, unknown, string]>([
    ["E4 the form of OpenAI", said("words"), "words"],
    ["E4 as text", JSON.stringify(said("words")), "words"],
    ["E4 an error that is a text", { error: "words" }, "words"],
    ["E4 the form of vLLM", { object: "error", message: "words", code: 400 }, "words"],
    ["E4 the form of FastAPI", { detail: "words" }, "words"],
    [
      "E4 a list of what is wrong where",
      { detail: [{ loc: ["body", "tools", 0], msg: "words" }] },
      "body.tools.0: words",
    ],
    ["E4 in a list", [said("words")], "words"],
    ["E4 HTML", "<html>Bad Request</html>", "The provider rejected the request."],
    ["E4 nothing", "", "The provider rejected the request."],
    ["E4 null", null, "The provider rejected the request."],
    ["E4 another form", { ok: false }, "The provider rejected the request."],
  ])("%s", (_rule, body, message) => {
    expect(ofUpstream(400, body)).toMatchObject({ status: 400, message });
  });

  test("E4 waiting times are passed on, other headers are not", () => {
    const headers = { "retry-after": "2", "retry-after-ms": "1500", "set-cookie": "a", "x-request-id": "b" };
    expect(ofUpstream(429, said("words"), headers).headers).toEqual({ "retry-after": "2", "retry-after-ms": "1500" });
  });

  test("E4 an empty account of ours is not retried", () => {
    expect(ofUpstream(429, said("words", { code: "insufficient_quota" }))).toMatchObject({
      status: 429,
      type: "rate_limit_error",
      headers: { "x-should-retry": "false" },
    });
  });

  test("E4 P2 names, addresses and credentials of ours are hidden", () => {
    const message =
      "upstream-model at https://api.internal.example/v1?key=abc refused sk-proj-abcdef123456, Bearer abcdef123456, org-ABCDEFGH1234";
    expect(ofUpstream(400, said(message)).message).toBe(
      "claude-test at [address] refused [redacted], Bearer [redacted], [redacted]",
    );
  });

  test("E4 an address of ours without a scheme is hidden, a number with dots is not", () => {
    expect(ofUpstream(400, said("worker 10.1.2.3:8080 behind localhost:3000 (192.168.0.9)")).message).toBe(
      "worker [address] behind [address] ([address])",
    );
    const plain = "version 1.2.3, section 4.5.6.7.8, 0.15 of 1.000";
    expect(ofUpstream(400, said(plain)).message).toBe(plain);
  });

  test("E4 a message has a limited length", () => {
    expect(ofUpstream(400, said("x".repeat(100_000))).message.length).toBeLessThanOrEqual(2_000);
  });
});

describe("E4 the gateway's errors", () => {
  test.each<[ErrorCode, number, number, MessagesError["type"]]>([
    ["missing_api_key", 401, 401, "authentication_error"],
    ["invalid_api_key", 401, 401, "authentication_error"],
    ["account_disabled", 403, 403, "permission_error"],
    ["insufficient_quota", 429, 402, "billing_error"],
    ["rate_limit_exceeded", 429, 429, "rate_limit_error"],
    ["request_too_large", 413, 413, "request_too_large"],
    ["no_upstream", 503, 529, "overloaded_error"],
    ["upstream_rate_limited", 429, 429, "rate_limit_error"],
    ["upstream_error", 502, 502, "api_error"],
    ["upstream_unreachable", 502, 502, "api_error"],
    ["upstream_timeout", 504, 504, "timeout_error"],
    ["temporarily_unavailable", 503, 529, "overloaded_error"],
    ["internal_error", 500, 500, "api_error"],
  ])("E4 %s", (code, status, expectedStatus, type) => {
    const { message } = errorTable[code];
    expect(ofGateway(status, said(message, { code }), { "retry-after": "3" })).toMatchObject({
      status: expectedStatus,
      type,
      message,
      headers: { "retry-after": "3" },
    });
    expect(toMessagesErrorOfCode(code)).toMatchObject({ status: expectedStatus, type, message });
  });

  test("E4 R1 a model that the key may not use is named as the client named it", () => {
    expect(ofGateway(404, said("The model does not exist", { code: "model_not_found" }))).toMatchObject({
      status: 404,
      type: "not_found_error",
      message: "model: claude-test",
    });
  });

  test.each([
    [401, "authentication_error"],
    [402, "billing_error"],
    [403, "permission_error"],
    [405, "invalid_request_error"],
  ])("E4 %d of a gateway that does not know our codes is about the client", (status, type) => {
    expect(ofGateway(status, said("words"))).toMatchObject({ status, type: type as never, message: "words" });
  });

  test("E4 one of our codes from an upstream within a rejected request is not about the client's key", () => {
    const body = said("API key not valid", { code: "invalid_api_key" });
    expect(ofGateway(400, body)).toMatchObject({ status: 400, type: "invalid_request_error" });
  });

  test("E4 F7 the upstream's message about the context passes through the gateway", () => {
    const body = said(
      "This model's maximum context length is 100 tokens. However, your messages resulted in 130 tokens.",
      { code: "context_length_exceeded" },
    );
    expect(ofGateway(400, body).message).toBe("prompt is too long: 130 tokens > 100 maximum");
  });
});

describe("F7 B22 a context that is full", () => {
  const tooLong = (input: number, limit: number) => `prompt is too long: ${input} tokens > ${limit} maximum`;
  const tooMuch = (input: number, completion: number, limit: number) =>
    `input length and \`max_tokens\` exceed context limit: ${input} + ${completion} > ${limit}, decrease input length or \`max_tokens\` and try again`;

  test.each<[string, string, string]>([
    [
      "OpenAI, prompt",
      "This model's maximum context length is 128000 tokens. However, your messages resulted in 130001 tokens. Please reduce the length of the messages.",
      tooLong(130_001, 128_000),
    ],
    [
      "OpenAI, prompt that fits without the response",
      "This model's maximum context length is 128000 tokens. However, your messages resulted in 100000 tokens.",
      tooMuch(100_000, 64_000, 128_000),
    ],
    [
      "OpenAI, older",
      "This model's maximum context length is 4097 tokens, however you requested 5000 tokens (1000 in your prompt; 4000 for the completion). Please reduce your prompt.",
      tooMuch(1_000, 4_000, 4_097),
    ],
    [
      "vLLM",
      "This model's maximum context length is 32768 tokens. However, you requested 70000 tokens (6000 in the messages, 64000 in the completion). Please reduce.",
      tooMuch(6_000, 64_000, 32_768),
    ],
    [
      "vLLM, newer",
      "'max_tokens' or 'max_completion_tokens' is too large: 64000. This model's maximum context length is 65536 tokens and your request has 10000 input tokens (64000 > 65536 - 10000).",
      tooMuch(10_000, 64_000, 65_536),
    ],
    [
      "SGLang, both",
      "Requested token count exceeds the model's maximum context length of 40960 tokens. You requested a total of 74000 tokens: 10000 tokens from the input messages and 64000 tokens for the completion.",
      tooMuch(10_000, 64_000, 40_960),
    ],
    [
      "SGLang, prompt",
      "The input (50000 tokens) is longer than the model's context length (40960 tokens).",
      tooLong(50_000, 40_960),
    ],
    [
      "OpenRouter",
      "This endpoint's maximum context length is 32768 tokens. However, you requested about 74000 tokens (10000 of text input, 64000 in the output).",
      tooMuch(10_000, 64_000, 32_768),
    ],
    [
      "llama.cpp",
      "request (16384 tokens) exceeds the available context size (8192 tokens), try increasing it",
      tooLong(16_384, 8_192),
    ],
    [
      "Gemini",
      "The input token count (1200000) exceeds the maximum number of tokens allowed (1048576).",
      tooLong(1_200_000, 1_048_576),
    ],
    [
      "Mistral",
      "Prompt contains 40000 tokens and 0 draft tokens, too large for model with 32768 maximum context length",
      tooLong(40_000, 32_768),
    ],
    ["Anthropic's own words", "prompt is too long: 210000 tokens > 200000 maximum", tooLong(210_000, 200_000)],
    [
      "Anthropic's own words about the limit on output",
      "input length and `max_tokens` exceed context limit: 150000 + 64000 > 200000, decrease input length or `max_tokens` and try again",
      tooMuch(150_000, 64_000, 200_000),
    ],
    [
      "a total alone",
      "This model's maximum context length is 70000 tokens. However, you requested 74000 tokens.",
      tooMuch(10_000, 64_000, 70_000),
    ],
    [
      "numbers with separators",
      "This model's maximum context length is 128,000 tokens. However, your messages resulted in 130,001 tokens.",
      tooLong(130_001, 128_000),
    ],
    [
      "no numbers",
      "Your input exceeds the context window of this model. Please adjust your input and try again.",
      "prompt is too long",
    ],
  ])("F7 B22 %s", (_who, message, expected) => {
    const error = ofUpstream(400, said(message));
    expect(error).toMatchObject({ status: 400, type: "invalid_request_error", message: expected });
    const understood =
      /prompt is too long[^0-9]*(\d+)\s*tokens?\s*>\s*(\d+)|input length and `max_tokens` exceed context limit: (\d+) \+ (\d+) > (\d+)|^prompt is too long$/i;
    expect(error.message).toMatch(understood);
  });

  test("F7 the code alone identifies a full context", () => {
    expect(ofUpstream(400, said("Too long.", { code: "context_length_exceeded" })).message).toBe("prompt is too long");
  });

  test("F7 the error is the same whatever the status", () => {
    const body = said(
      "This model's maximum context length is 100 tokens. However, your messages resulted in 130 tokens.",
    );
    expect(ofUpstream(500, body)).toMatchObject({ status: 400, message: tooLong(130, 100) });
  });

  test.each([
    "Request too large for gpt-4o on tokens per min (TPM): Limit 30000, Requested 40000.",
    "max_tokens is too large: 64000. This model supports at most 16384 completion tokens.",
    "Invalid schema for function 'f': context is required",
  ])("F7 another error stays unchanged: %s", (message) => {
    expect(ofUpstream(400, said(message)).message).toBe(message);
  });
});

test("E4 a response without headers is still a response", () => {
  const answer: ErrorResponse = { status: 500, body: null, origin: "gateway" };
  expect(toMessagesError(answer, facts)).toMatchObject({ status: 502, type: "api_error", headers: {} });
});
