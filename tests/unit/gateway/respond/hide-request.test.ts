import { describe, expect, test } from "bun:test";
import { hideRequest } from "@sluice/control-plane/gateway/respond/read-upstream-error/hide-request.ts";

const content = "Mr Schmidt lives in Kiel since 2019, his key is canary-7f3a and his cat is called Übermut.";
const request = Buffer.from(JSON.stringify({ model: "m", max_tokens: 5, messages: [{ role: "user", content }] }));

describe("quotations of the request in a provider's message are hidden", () => {
  test.each([
    ["Invalid value: 'Schmidt'.", "Invalid value: [request]."],
    ["could not read canary-7f3a, sorry", "could not read [request] sorry"],
    ["near Übermut", "near [request]"],
    ["moderation: Mr Schmidt lives in Kiel is not allowed", "moderation: [request] is not allowed"],
  ])("%s", (said, left) => {
    expect(hideRequest(said, request)).toBe(left);
  });

  test("even if the request has its letters escaped", () => {
    const escaped = Buffer.from('{"content":"\\u00dcbermut"}');
    expect(hideRequest("near Übermut", escaped)).toBe("near [request]");
  });
});

describe("the provider's own words are kept", () => {
  test.each([
    "This model's maximum context length is 128000 tokens. However, your messages resulted in 210000 tokens.",
    "Unrecognized request argument supplied: 'max_tokens'",
    "the key of the user is not known",
    "worker 7 ran out of memory",
  ])("%s", (said) => {
    expect(hideRequest(said, request)).toBe(said);
  });
});

test("for a request that is too long to search nothing is kept", () => {
  expect(hideRequest("too long", Buffer.alloc(1_048_577))).toBeNull();
});
