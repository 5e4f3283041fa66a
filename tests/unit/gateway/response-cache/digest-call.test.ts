import { describe, expect, test } from "bun:test";
import type { AdmittedCall } from "@sluice/control-plane/gateway/model.ts";
import { digestCall } from "@sluice/control-plane/gateway/response-cache/digest-call.ts";
import fc from "fast-check";

const secret = new Uint8Array(32).fill(7);

type Parts = {
  readonly path: string;
  readonly query: string;
  readonly group: string;
  readonly body: string;
  readonly model: string;
  readonly dropped: string | null;
  readonly beta: string | null;
  readonly version: string | null;
  readonly clientModel: string | null;
  readonly user: bigint | null;
  readonly generation: bigint;
};

const usual: Parts = {
  path: "/v1/chat/completions",
  query: "",
  group: "default",
  body: '{"model":"m"}',
  model: "m",
  dropped: null,
  beta: null,
  version: null,
  clientModel: null,
  user: 1n,
  generation: 0n,
};

function digest(parts: Partial<Parts>, key = secret): string {
  const { path, query, group, body, model, dropped, beta, version, clientModel, user, generation } = {
    ...usual,
    ...parts,
  };
  const headers = new Headers();
  if (beta !== null) {
    headers.set("anthropic-beta", beta);
  }
  if (version !== null) {
    headers.set("anthropic-version", version);
  }
  const traits = clientModel === null ? {} : { traits: () => ({ clientModel }) };
  const state = {
    call: { path, query, headers, ...traits },
    principal: { groupName: group },
    request: { model, dropped, body: Buffer.from(body), plainBody: null },
  } as unknown as AdmittedCall;
  return digestCall(state, { gatewayUserId: user, generation }, key);
}

describe("the name of a request in the cache", () => {
  test("differs whenever any part does that the response depends on", () => {
    const text = fc.string({ maxLength: 8 });
    const label = fc.stringMatching(/^[a-z0-9-]{1,12}$/);
    const parts: fc.Arbitrary<Parts> = fc.record({
      path: fc.constantFrom("/v1/chat/completions", "/v1/responses", "/v1/messages"),
      query: fc.constantFrom("", "?include=a", "?key=a"),
      group: text,
      body: text,
      model: text,
      dropped: fc.option(text),
      beta: fc.option(label),
      version: fc.option(label),
      clientModel: fc.option(text),
      user: fc.option(fc.bigInt({ min: 0n, max: 30n })),
      generation: fc.bigInt({ min: 0n, max: 30n }),
    });
    fc.assert(
      fc.property(parts, parts, (one, other) => {
        const plain = ({ user, generation, ...rest }: Parts) =>
          JSON.stringify({ ...rest, user: String(user), generation: String(generation) });
        expect(digest(one) === digest(other)).toBe(plain(one) === plain(other));
      }),
      { numRuns: 500 },
    );
    for (const [name, value] of Object.entries({ body: "{}", group: "other", user: 2n, generation: 1n, beta: "b" })) {
      expect([name, digest({ [name]: value })]).not.toEqual([name, digest({})]);
    }
  });

  test("is the same for a Gemini client whose key is in the query or in a header", () => {
    const path = "/v1beta/models/m:streamGenerateContent";
    expect(digest({ path, query: "?alt=sse&key=secret" })).toBe(digest({ path, query: "?alt=sse" }));
    expect(digest({ path, query: "?alt=sse" })).not.toBe(digest({ path, query: "" }));
  });

  test("can't be made without the key of the installation", () => {
    expect(digest({}, new Uint8Array(32).fill(8))).not.toBe(digest({}));
  });
});
