import { describe, expect, test } from "bun:test";
import { readCredentials, readHandshake } from "@sluice/control-plane/gateway/realtime/handshake.ts";
import { AppError } from "@sluice/control-plane/platform/errors.ts";

const upgrade = {
  upgrade: "websocket",
  "sec-websocket-version": "13",
  "sec-websocket-key": "dGhlIHNhbXBsZSBub25jZQ==",
};

const read = (query: string, headers: Record<string, string> = {}, method = "GET") =>
  readHandshake({ method, path: "/v1/realtime", query, headers: new Headers({ ...upgrade, ...headers }) });

function codeOf(run: () => unknown): string {
  try {
    run();
  } catch (error) {
    if (error instanceof AppError) {
      return error.code;
    }
    throw error;
  }
  return "nothing was thrown";
}

describe("the request that opens a session", () => {
  test("names one model, and may offer no subprotocol", () => {
    expect(read("?model=gpt-realtime")).toEqual({ model: "gpt-realtime", subprotocol: null, isBeta: false });
  });

  test("gets the subprotocol 'realtime' when that is among the offered ones", () => {
    const offered = { "sec-websocket-protocol": "realtime, openai-insecure-api-key.sk-abc, openai-beta.realtime-v1" };
    expect(read("?model=m", offered)).toEqual({ model: "m", subprotocol: "realtime", isBeta: true });
  });

  test("is refused when every offered subprotocol is unknown, so that no offered key is ever echoed", () => {
    const offered = { "sec-websocket-protocol": "openai-insecure-api-key.sk-abc" };
    expect(codeOf(() => read("?model=m", offered))).toBe("invalid_value");
  });

  test.each([
    ["without a query", "", "missing_field"],
    ["with an empty model", "?model=", "missing_field"],
    ["with two models", "?model=a&model=b", "missing_field"],
    ["with the id of a call", "?call_id=rtc_1", "invalid_value"],
    ["for transcription only", "?intent=transcription", "invalid_value"],
    ["with a name that no model has", `?model=${"m".repeat(257)}`, "model_not_found"],
  ])("%s is refused", (_what, query, code) => {
    expect(codeOf(() => read(query))).toBe(code);
  });

  test.each(["/v1/./realtime", "/v1/x/../realtime", "/v1/%72ealtime"])(
    "must have exactly the right path: not %s",
    (path) => {
      const call = { method: "GET", path, query: "?model=m", headers: new Headers(upgrade) };
      expect(codeOf(() => readHandshake(call))).toBe("not_found");
    },
  );

  test.each([
    ["another method", () => read("?model=m", {}, "POST"), "method_not_allowed"],
    ["no upgrade", () => read("?model=m", { upgrade: "h2c" }), "upgrade_required"],
    ["an old version of the protocol", () => read("?model=m", { "sec-websocket-version": "8" }), "upgrade_required"],
  ])("%s is refused", (_what, run, code) => {
    expect(codeOf(run)).toBe(code);
  });
});

describe("the API key", () => {
  const offered = { "sec-websocket-protocol": "realtime, openai-insecure-api-key.sk-abc" };

  test("is taken from the subprotocols, where a browser has to put it", () => {
    expect(readCredentials(new Headers(offered)).get("authorization")).toBe("Bearer sk-abc");
  });

  test("stays where it is without such a subprotocol", () => {
    const headers = new Headers({ authorization: "Bearer sk-abc", "sec-websocket-protocol": "realtime" });
    expect(readCredentials(headers)).toBe(headers);
  });

  test("may be sent twice when it is the same", () => {
    const headers = new Headers({ ...offered, authorization: "bearer sk-abc", "x-api-key": "sk-abc" });
    expect(readCredentials(headers).get("authorization")).toBe("Bearer sk-abc");
  });

  test.each([
    ["another one as Authorization", { ...offered, authorization: "Bearer sk-def" }],
    ["another one as x-api-key", { ...offered, "x-api-key": "sk-def" }],
    ["two subprotocols", { "sec-websocket-protocol": "openai-insecure-api-key.a, openai-insecure-api-key.b" }],
  ])("is refused together with %s", (_what, headers) => {
    expect(codeOf(() => readCredentials(new Headers(headers)))).toBe("ambiguous_credentials");
  });
});
