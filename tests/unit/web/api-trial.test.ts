import { describe, expect, test } from "bun:test";
import type { ApiTrial } from "@sluice/contracts/api-trial";
import { curlOf, faultOf, trialRequest } from "@sluice/web/src/api-page/trial-request.ts";

const read: ApiTrial = {
  method: "GET",
  path: "/backend/things/{id}/",
  parameters: [
    { name: "id", in: "path", isRequired: true },
    { name: "q", in: "query", isRequired: false },
  ],
  body: null,
  credential: "login",
  takesToken: true,
  needsRecentLogin: false,
  isPreviewed: false,
};
const write: ApiTrial = {
  ...read,
  method: "POST",
  path: "/v1/embeddings",
  parameters: [],
  body: "{}",
  credential: "api_key",
};
const nothing = { parameters: {}, body: "", secret: "" };

describe("a request that is tried", () => {
  test("has its parameters in the address, and nothing entered leads elsewhere", () => {
    const parameters = { id: "../../admin/?x=$&", q: "a b&c" };
    expect(trialRequest(read, { ...nothing, parameters }).target).toBe(
      "/backend/things/..%2F..%2Fadmin%2F%3Fx%3D%24%26/?q=a+b%26c",
    );
  });

  test("goes with the login or with a secret, never with both", () => {
    const input = { ...nothing, parameters: { id: "1" } };
    expect(trialRequest(read, input)).toMatchObject({ hasLogin: true, headers: {} });
    expect(trialRequest(read, { ...input, secret: "t" })).toMatchObject({
      hasLogin: false,
      headers: { authorization: "Bearer t" },
    });
  });

  test("is not sent without what it needs", () => {
    expect(faultOf(read, nothing)).toBe("Enter id.");
    expect(faultOf(write, { ...nothing, body: "{}" })).toBe("Enter an API key.");
    expect(faultOf(write, { ...nothing, body: "{", secret: "k" })).toBe("The body is not valid JSON.");
    expect(faultOf(write, { ...nothing, body: "{}", secret: "k" })).toBeNull();
  });

  test("is shown for a shell without its secret, and whatever it holds runs nothing there", () => {
    const body = `{"a":"it's $(rm)"}`;
    const curl = curlOf(write, trialRequest(write, { ...nothing, body, secret: "sk-secret" }), "https://a.example");
    expect(curl).not.toContain("sk-secret");
    expect(curl.split(" \\\n  ")).toEqual([
      "curl -X POST 'https://a.example/v1/embeddings'",
      "-H 'content-type: application/json'",
      '-H "Authorization: Bearer $API_KEY"',
      `-d '{"a":"it'\\''s $(rm)"}'`,
    ]);
  });
});
