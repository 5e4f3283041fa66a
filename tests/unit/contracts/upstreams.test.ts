import { describe, expect, test } from "bun:test";
import { openaiUpstream, upstreamSettings } from "@sluice/contracts/upstreams";

const upstream = openaiUpstream("https://provider.example/v1");
const isAccepted = (changes: object) => upstreamSettings.safeParse({ ...upstream, ...changes }).success;

describe("the settings of an upstream", () => {
  test.each([
    ...[
      "Host",
      "Content-Length",
      "Transfer-Encoding",
      "Authorization",
      "Cookie",
      "X-Sluice-Hops",
      "x-svc-exit-account",
    ],
    ...["x-amz-security-token", "x-amz-date"],
  ])("can't change the header %s, which frames or signs requests, or stops loops", (name) => {
    expect(isAccepted({ headers: { set: { [name]: "x" }, remove: [] } })).toBe(false);
    expect(isAccepted({ headers: { set: {}, remove: [name] } })).toBe(false);
  });

  test.each(["model", "stream", "max_tokens", "n", "best_of", "generationConfig", "candidate_count"])(
    "can't change the field %s, by which quota is held",
    (name) => {
      expect(isAccepted({ body: { set: { [name]: 1 }, remove: [] } })).toBe(false);
      expect(isAccepted({ body: { set: {}, remove: [name] } })).toBe(false);
    },
  );

  test.each([
    ["a line break in a header", { headers: { set: { "x-a": "b\r\nx-c: d" }, remove: [] } }],
    ["a space in the name of a header", { headers: { set: { "x a": "b" }, remove: [] } }],
    ["a line break in the query", { query: { a: "b\r\n" } }],
    ["an unknown flag", { flags: { ...upstream.flags, __proto__x: true } }],
  ])("have no %s", (_what, changes) => {
    expect(isAccepted(changes)).toBe(false);
  });
});
