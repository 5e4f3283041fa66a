import { describe, expect, test } from "bun:test";
import { openaiUpstream } from "@sluice/contracts/upstreams";
import { toUpstream } from "@sluice/control-plane/gateway/channels/model.ts";
import { classifyStatus } from "@sluice/control-plane/gateway/respond/classify-status.ts";
import { readRefusal } from "@sluice/control-plane/gateway/respond/read-upstream-error.ts";
import { HttpClientError, type HttpResponse } from "@sluice/http-client/model";
import fc from "fast-check";
import { channelOf, credentialOf } from "../../../support/calls/channel-fixtures.ts";

const credential = "prov-key.with$special(characters)";
const noRequest = new Uint8Array();
let isCancelled = false;

function responseOf(body: string | Error, contentType = "application/json"): HttpResponse {
  isCancelled = false;
  const bytes = (bytesMax: number): Promise<Uint8Array> => {
    if (typeof body !== "string") {
      return Promise.reject(body);
    }
    const sent = Buffer.from(body);
    return sent.length > bytesMax
      ? Promise.reject(new HttpClientError("too_large", true, "too large"))
      : Promise.resolve(sent);
  };
  return {
    status: 400,
    headers: [["content-type", contentType]],
    body: {
      contentLength: null,
      bytes,
      bytesNow: bytes,
      consume: (sink) => {
        // A body that is an error here is never used.
        if (typeof body === "string") {
          queueMicrotask(() => {
            sink.onChunk(Buffer.from(body));
            sink.onEnd(true);
          });
        }
        return {
          pause: () => undefined,
          resume: () => undefined,
          cancel: () => {
            isCancelled = true;
          },
        };
      },
      cancel: () => {
        isCancelled = true;
      },
    },
  };
}

async function refusal(status: number, body: string | Error, contentType?: string, secret = credential) {
  const failure = classifyStatus(status, []);
  if (failure === null) {
    throw new Error(`${status} is not a failure`);
  }
  return await readRefusal(
    responseOf(body, contentType),
    failure,
    channelOf(1, {
      credentials: [credentialOf(1, { secret })],
      ...toUpstream(openaiUpstream("https://api.provider.example/v1")),
    }),
    noRequest,
  );
}

const errorBody = (error: unknown) => JSON.stringify({ error });

describe("a provider's message about a request that it refused", () => {
  test("is passed on: message, type, param, code, and nothing else", async () => {
    const error = { message: "too long", type: "invalid_request_error", param: "messages", code: "too_long" };
    const { upstreamError, failure } = await refusal(400, errorBody({ ...error, innererror: { host: "10.0.0.1" } }));
    expect(upstreamError).toEqual(error);
    expect(failure).toMatchObject({ code: "upstream_rejected", isRequestFault: true });
  });

  test.each([
    [
      "Anthropic",
      400,
      { type: "invalid_request_error", message: "prompt is too long: 208310 tokens > 200000 maximum" },
    ],
    [
      "Gemini",
      400,
      { code: 400, status: "INVALID_ARGUMENT", message: "The input token count is 9 but model only supports up to 8." },
    ],
    [
      "llama.cpp",
      400,
      { code: 400, type: "exceed_context_size_error", message: "the request exceeds the context size" },
    ],
    ["Bedrock", 422, { message: "Input is too long for requested model." }],
  ])("has OpenAI's names where %s says that the prompt is too long", async (_provider, status, error) => {
    const { upstreamError, failure } = await refusal(status, errorBody(error));
    expect(upstreamError).toMatchObject({
      ...{ message: error.message, type: "invalid_request_error", code: "context_length_exceeded" },
    });
    expect(failure.result).toBe("context_exceeded");
  });

  test("is passed on without anything that looks like a credential, in every field", async () => {
    for (const secret of [`sk-${"a1".repeat(24)}`, "Bearer abcdef.ghijkl-mnop", "api_key=hunter22", credential]) {
      const error = { message: `key ${secret} end`, type: secret, param: secret, code: secret };
      const { upstreamError } = await refusal(422, errorBody(error));
      expect(JSON.stringify(upstreamError)).not.toContain(secret.replace(/^(Bearer |api_key=)/, ""));
      expect(upstreamError?.message).toContain("[redacted]");
    }
  });

  test("never contains the channel's credential, wherever it is", async () => {
    const around = fc.tuple(fc.string({ maxLength: 2_100 }), fc.string({ maxLength: 40 }));
    await fc.assert(
      fc.asyncProperty(around, async ([before, after]) => {
        const { upstreamError } = await refusal(400, errorBody({ message: `${before}${credential}${after}` }));
        expect(upstreamError?.message).not.toContain(credential);
        expect(upstreamError?.message.length).toBeLessThanOrEqual(2_000);
      }),
      { numRuns: 300 },
    );
  });

  test.each([
    [{ access_key_id: "AKIAEXAMPLEEXAMPLE", secret_access_key: "wJalr/XUtnFEMI", session_token: "IQoJb3JpZ2lu+x" }],
    [{ tenant_id: "t", client_id: "app-of-sluice", client_secret: "Q~8Q.secret-of-the-app" }],
    [{ client_email: "sluice@project.iam.example", private_key: "-----BEGIN PRIVATE KEY-----abc" }],
  ])("never contains a part of a credential from which tokens or signatures are made: %o", async (parts) => {
    const secret = JSON.stringify(parts);
    for (const part of Object.values(parts).filter((value) => value.length > 1)) {
      const { upstreamError } = await refusal(400, errorBody({ message: `Bad: ${part} end` }), undefined, secret);
      expect(upstreamError?.message).toBe("Bad: [redacted] end");
    }
  });

  test.each(["eyJhbGciOiJSUzI1NiJ9.eyJhdWQiOiJhcGkifQ.c2lnbmF0dXJl", "ya29.c.c0ASRK0GbExampleTokenOfGoogle-xyz_123"])(
    "never contains a token that was made: %s",
    async (token) => {
      const { upstreamError } = await refusal(400, errorBody({ message: `The token '${token}' is bad.` }));
      expect(upstreamError?.message).not.toContain(token.slice(10, 30));
    },
  );

  test.each([
    ["no JSON", "<html>"],
    ["JSON that is not an object", '"no"'],
    ["null", "null"],
    ["an error without a message", errorBody({ code: "x" })],
    ["a message that is not a text", errorBody({ message: { a: 1 } })],
  ])("is empty when the body is %s", async (_what, body) => {
    expect((await refusal(400, body)).upstreamError).toBeNull();
  });

  // Error formats of servers: vLLM, TGI, FastAPI, plain texts, lists.
  test.each([
    ['{"object":"error","message":"too long","type":"BadRequestError","param":null,"code":400}', "too long"],
    ['{"error":"too long","error_type":"validation"}', "too long"],
    ['{"detail":"too long"}', "too long"],
    [
      '{"detail":[{"loc":["body","messages"],"msg":"field required","type":"missing"}]}',
      "body.messages: field required",
    ],
    ['{"message":"too long"}', "too long"],
    ['{"errors":[{"message":"too long"},{"message":"and odd"}]}', "too long; and odd"],
    ['{"errors":["too long"]}', "too long"],
    ['[{"error":{"message":"too long"}}]', "too long"],
    ["too long", "too long"],
  ])("is parsed from %s", async (body, message) => {
    for (const contentType of ["application/json", "text/plain"]) {
      const { upstreamError, note, failure } = await refusal(400, body, contentType);
      expect({ message: upstreamError?.message, note }).toEqual({ message, note: message });
      expect(failure).toMatchObject({ code: "upstream_rejected", isRequestFault: true });
    }
  });

  test("contains no address, and does not reveal the operator's supplier", async () => {
    const message = "see https://api.provider.example/docs at 10.1.2.3:8000, or write to api.provider.example";
    const { upstreamError, note } = await refusal(400, errorBody({ message }));
    expect(upstreamError?.message).toBe("see [address] at [address], or write to [redacted]");
    expect(note).toBe(upstreamError?.message ?? "");
  });

  test.each([
    ["Incorrect API key provided: gsk_AbCd1234*****wxyz.", "Incorrect API key provided: [redacted]."],
    ["token hf_abcdefghijklmnop is off", "token [redacted] is off"],
    ["the key AKIAIOSFODNN7EXAMPLE may not", "the key [redacted] may not"],
    ["got x-api-key: 0123456789abcdef", "got x-api-key: [redacted]"],
    ["{'api_key': 'abcdefgh1234'}", "{'api_key': '[redacted]'}"],
    ["session eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.abc-def_ghi ended", "session [redacted] ended"],
    ["grpc://engine:50051/x or wss://h.internal/y failed", "[address] or [address] failed"],
    ["no route to [fd00::1]:8000, [2001:db8::2]", "no route to [address], [address]"],
    ["ask API.Provider.Example", "ask [redacted]"],
  ])("contains no credential and no address in any form: %s", async (message, clean) => {
    const { upstreamError, note } = await refusal(400, errorBody({ message }));
    expect({ upstreamError: upstreamError?.message, note }).toEqual({ upstreamError: clean, note: clean });
  });

  test.each([
    "Unrecognized key: 'max_token'",
    "max_tokens: 5000 is above the limit of 4096 tokens",
    "tools[0].function.parameters: secret is no type",
    "messages.[1]: at index [10:20] of data:image/png;base64",
  ])("keeps what a client needs: %s", async (message) => {
    expect((await refusal(400, errorBody({ message }))).upstreamError?.message).toBe(message);
  });

  test("is for support alone when the request was not at fault", async () => {
    for (const status of [401, 402, 500, 502, 503, 504]) {
      const { upstreamError, note } = await refusal(status, errorBody({ message: `key ${credential} is off` }));
      expect({ upstreamError, note }).toEqual({ upstreamError: null, note: "key [redacted] is off" });
    }
    const page = await refusal(502, "<html><head><title>502 Bad  Gateway</title></head>secret</html>", "text/html");
    expect({ upstreamError: page.upstreamError, note: page.note }).toEqual({
      upstreamError: null,
      note: "502 Bad Gateway",
    });
  });

  test("is cut to 500 characters for support", async () => {
    expect((await refusal(500, errorBody({ message: "x".repeat(4_000) }))).note).toHaveLength(500);
  });

  test("on a 429 shows whether our account is empty", async () => {
    const empty = await refusal(429, errorBody({ message: "our secrets", type: "x", code: "insufficient_quota" }));
    expect(empty).toMatchObject({ upstreamError: null, failure: { code: "upstream_rate_limited", isLasting: true } });
    const emptyByType = await refusal(429, errorBody({ message: "our secrets", type: "insufficient_quota" }));
    expect(emptyByType.failure).toMatchObject({ result: "account_empty", blame: "certain", isLasting: true });
    const busy = await refusal(429, errorBody({ message: "insufficient_quota", type: "requests" }));
    expect(busy).toMatchObject({
      upstreamError: null,
      failure: { isLasting: false, result: "status_429", needsCooldown: true },
    });
  });

  test.each<[string, number, object]>([
    [
      "Anthropic",
      400,
      { type: "invalid_request_error", message: "Your credit balance is too low to access the Anthropic API. Please" },
    ],
    [
      "Anthropic, by workspace",
      400,
      { type: "invalid_request_error", message: "You have reached your specified workspace API usage limits. You" },
    ],
    ["OpenAI", 400, { type: "image_generation_user_error", message: "Limit.", code: "billing_hard_limit_reached" }],
    ["Moonshot", 429, { type: "exceeded_current_quota_error", message: "Your account is not active." }],
    ["Qwen", 400, { code: "Arrearage", message: "Access denied, please make sure your account is in good standing." }],
    ["Z.ai", 429, { code: "1113", message: "Insufficient balance or no resource package. Please recharge." }],
    [
      "Fireworks",
      412,
      {
        code: "PRECONDITION_FAILED",
        message: "Account acme is suspended, possibly due to reaching the monthly spending limit or failure to pay.",
      },
    ],
    ["xAI", 403, { message: "Your team 0a has either used all available credits or reached its spending limit." }],
  ])("of %s shows that our account is empty (%i)", async (_provider, status, error) => {
    expect(await refusal(status, errorBody(error))).toMatchObject({
      upstreamError: null,
      failure: {
        ...{ status, code: "upstream_rate_limited", result: "account_empty", retry: "free", blame: "certain" },
        ...{ isLasting: true, isRequestFault: false, needsCooldown: true },
      },
    });
  });

  test.each([
    "messages.0: 'Your credit balance is too low to access the Anthropic API' is not allowed",
    "Invalid value: insufficient_quota",
  ])("that quotes a customer says nothing about our account: %s", async (message) => {
    const { failure, upstreamError } = await refusal(400, errorBody({ message, type: "invalid_request_error" }));
    expect(failure).toMatchObject({ result: "status_400", isRequestFault: true, retry: "none" });
    expect(upstreamError?.message).toBe(message);
  });

  test.each([
    [
      "Request too large for m in organization org-abcdefgh1234 on tokens per min (TPM): Limit 30000, Requested 60000.",
      true,
    ],
    ["Rate limit reached on tokens per min: Limit 30000, Used 29000, Requested 2000.", false],
    ["Limit: 6,000, Requested: 8,132", true],
    ["Too many requests", false],
  ])("on a 429 shows whether this one request is above the limit: %s", async (message, isAbove) => {
    const { upstreamError, failure } = await refusal(429, errorBody({ message }));
    expect(failure).toMatchObject({ needsCooldown: !isAbove, isLasting: isAbove, retry: "free", blame: "none" });
    expect(upstreamError === null).toBe(!isAbove);
    expect(upstreamError?.message ?? "").not.toContain("org-abc");
  });

  test.each([
    [{ message: "Incorrect API key provided", type: "invalid_request_error", code: "invalid_api_key" }, "certain"],
    [{ message: "invalid x-api-key", type: "authentication_error" }, "certain"],
    [{ message: "no", code: "InvalidApiKey" }, "certain"],
    [{ message: "no", type: "invalid_authentication_error" }, "certain"],
    [{ message: "no", code: "account_deactivated" }, "certain"],
    [{ message: "no", code: "token-expired" }, "certain"],
    [{ message: "You have insufficient permissions. Missing scopes: model.request" }, "suspected"],
    [{ message: "Not for this key", type: "key_model_access_denied", code: "401" }, "suspected"],
    [{ message: "This model is not for your account", type: "authentication_error" }, "suspected"],
    [{ message: "You may not ask about: invalid_api_key, authentication_error" }, "suspected"],
    [{ message: "Unauthorized", code: "unauthorized" }, "suspected"],
  ] as const)("on a 401 shows whether our credential is refused, or what was requested: %p", async (error, blame) => {
    const { upstreamError, failure } = await refusal(401, errorBody(error));
    expect(upstreamError).toBeNull();
    expect(failure).toMatchObject({ result: "credential_refused", blame, retry: "free", needsCooldown: true });
  });

  test("on a 401 without content is inconclusive", async () => {
    for (const body of ["", "<html><title>401</title></html>", "Unauthorized"]) {
      expect((await refusal(401, body)).failure).toMatchObject({ blame: "suspected", needsCooldown: true });
    }
  });

  test("on a 402 shows whether only this one request exceeds our remaining balance", async () => {
    const message = "You requested up to 65536 tokens, but can only afford 2000.";
    const { upstreamError, failure } = await refusal(402, errorBody({ message, code: 402 }));
    expect(upstreamError).toBeNull();
    expect(failure).toMatchObject({ result: "account_empty", blame: "suspected", needsCooldown: true, retry: "free" });
    for (const plain of ["Insufficient credits", "You requested up to 100 tokens, but can only afford 2000."]) {
      const { failure: other } = await refusal(402, errorBody({ message: plain }));
      expect(other).toMatchObject({ result: "credential_refused", blame: "certain" });
    }
  });

  test.each([
    [{ message: "You have insufficient permissions for this operation." }, "credential_refused", "suspected"],
    [{ message: "Invalid API key" }, "credential_refused", "suspected"],
    [{ message: "no", type: "permission_error" }, "credential_refused", "suspected"],
    [{ message: "The project has no permission for model x" }, "status_403", "none"],
    [{ message: "Forbidden" }, "status_403", "none"],
  ] as const)("on a 403 shows whether our account is at fault: %p", async (error, result, blame) => {
    const { upstreamError, failure } = await refusal(403, errorBody(error));
    expect(upstreamError).toBeNull();
    expect(failure).toMatchObject({ code: "upstream_error", result, blame, retry: "free", needsCooldown: true });
  });

  test("on a 403 shows whether the content was at fault; then no other channel is asked", async () => {
    const { upstreamError, failure } = await refusal(
      403,
      errorBody({ message: "Your input was flagged by moderation." }),
    );
    expect(upstreamError?.message).toContain("flagged");
    expect(failure).toMatchObject({
      code: "upstream_rejected",
      isRequestFault: true,
      retry: "none",
      needsCooldown: false,
    });
  });

  test("on a 429 is not waited for, and not read completely when it is long", async () => {
    const silent = await refusal(429, new Error("nothing comes"));
    expect(silent).toMatchObject({ upstreamError: null, failure: { isLasting: false } });
    expect(isCancelled).toBe(true);
    const long = await refusal(429, errorBody({ message: "x".repeat(70_000), code: "insufficient_quota" }));
    expect(long).toMatchObject({ upstreamError: null, failure: { isLasting: false } });
    expect(isCancelled).toBe(true);
  });

  test("is a proxy's, and not a refusal, when it is a page or endless", async () => {
    const page = await refusal(404, "<html>not found</html>", "text/html");
    expect(page).toMatchObject({
      upstreamError: null,
      failure: { code: "upstream_error", isRequestFault: false, blame: "none" },
    });
    const endless = await refusal(400, errorBody({ message: "x".repeat(70_000) }));
    expect(endless).toMatchObject({ upstreamError: null, failure: { code: "upstream_error" } });
    const cut = await refusal(400, new HttpClientError("reset_in_body", true, "cut"));
    expect(cut).toMatchObject({ upstreamError: null, failure: { code: "upstream_error" } });
  });

  test("is 413 by its status alone", async () => {
    const answer = await refusal(413, "<html>", "text/html");
    expect(answer).toMatchObject({ upstreamError: null, failure: { code: "upstream_rejected", isRequestFault: true } });
    const titled = await refusal(413, "<title>Too large for this host</title>", "text/html");
    expect(titled).toMatchObject({ upstreamError: null, failure: { isRequestFault: true } });
  });
});
