import { describe, expect, test } from "bun:test";
import { openaiUpstream } from "@sluice/contracts/upstreams";
import { toUpstream } from "@sluice/control-plane/gateway/channels/model.ts";
import {
  checkQuery,
  composeRequest,
  hasPassed,
  type RequestOptions,
  withHop,
} from "@sluice/control-plane/gateway/dispatch/compose-request.ts";
import type { GatewayCall, ParsedRequest } from "@sluice/control-plane/gateway/model.ts";
import fc from "fast-check";
import { channelOf } from "../../../support/calls/channel-fixtures.ts";
import { operationOf } from "../../../support/calls/operations.ts";

const request = { body: Buffer.from("{}"), contentType: "application/json" } as unknown as ParsedRequest;
const options: Omit<RequestOptions, "endpoint"> = {
  path: "/chat/completions",
  query: null,
  dialect: "chat" as const,
  hops: "mark",
  limits: {} as RequestOptions["limits"],
  accept: null,
  credential: null,
};

function compose(
  headers: Record<string, string>,
  query = "",
  channel = channelOf(1),
  credential: string | null = null,
) {
  const call = { method: "POST", path: "/v1/chat/completions", query, headers: new Headers(headers) };
  const endpoint = channel.endpoints.get("chat");
  if (endpoint === undefined) {
    throw new Error("the channel has no address");
  }
  const composed = composeRequest(call as unknown as GatewayCall, request, channel, {
    ...options,
    endpoint,
    credential,
  });
  return { ...composed, sent: new Map(composed.headers) };
}

describe("a request as it goes to a channel", () => {
  test("has the credential of the channel, and nothing of the client's own", () => {
    const { sent } = compose(
      { authorization: "Bearer sk-client", cookie: "a=b", "x-api-key": "sk-client", "x-forwarded-for": "192.0.2.1" },
      "",
      channelOf(1),
      "of the channel",
    );
    expect([...sent.keys()].sort()).toEqual(
      ["accept-encoding", "authorization", "content-type", "user-agent", "x-sluice-hops"].sort(),
    );
    expect(sent.get("authorization")).toBe("Bearer of the channel");
    expect(sent.get("accept-encoding")).toBe("identity");
  });

  test.each([
    ["bearer", "authorization", "Bearer secret"],
    ["x_api_key", "x-api-key", "secret"],
    ["api_key", "api-key", "secret"],
    ["x_goog_api_key", "x-goog-api-key", "secret"],
  ] as const)("shows the credential as %s says, in one header", (auth, name, value) => {
    const { dialects: _, ...settings } = openaiUpstream("https://provider.example/v1");
    const upstream = { ...settings, dialects: { chat: { base_url: "https://provider.example/v1", auth } } };
    const { sent } = compose({}, "", channelOf(1, toUpstream(upstream)), "secret");
    expect(sent.get(name)).toBe(value);
    expect([...sent.values()].filter((shown) => shown.includes("secret"))).toHaveLength(1);
  });

  test("has the headers and the target of its own call, whichever calls the channel had before", () => {
    const shared = channelOf(1);
    const sent = (channel: typeof shared, each: readonly (string | null)[]) => {
      const [beta, key, version, credential, hops, account, dialect, path, asked, query] = each as string[];
      const headers = { "openai-beta": beta, "idempotency-key": key, "anthropic-beta": version };
      const given = Object.entries(headers).filter((entry): entry is [string, string] => entry[1] !== null);
      const call = { method: "POST", path: "/v1/messages", query: asked, headers: new Headers(given) };
      const { headers: made, target } = composeRequest(call as unknown as GatewayCall, request, channel, {
        ...options,
        path: path as string,
        query: query ?? null,
        endpoint: shared.endpoints.get("chat") as RequestOptions["endpoint"],
        credential: credential ?? null,
        hops: hops as string,
        exitAccount: account ?? null,
        dialect: dialect as RequestOptions["dialect"],
      });
      return { made, target };
    };
    const parts = [
      [null, "a=v1", "a=v2"],
      [null, "key"],
      [null, "files-api", "skills"],
      [null, "one", "two"],
      ["mark", "mark,mark2"],
      [null, "7"],
      ["chat", "messages"],
      ["/chat/completions", "/embeddings"],
      ["", "?limit=1", "?x=1"],
      [null, "?alt=sse"],
    ] as const;
    // Each call differs from the one before in one part.
    const change = fc
      .nat(parts.length - 1)
      .chain((at) => fc.tuple(fc.constant(at), fc.constantFrom<string | null>(...(parts[at] ?? []))));
    fc.assert(
      fc.property(fc.array(change, { minLength: 2, maxLength: 20 }), (changes) => {
        const attempt: (string | null)[] = parts.map(([first]) => first);
        for (const [at, value] of changes) {
          attempt[at] = value;
          expect(sent(shared, attempt)).toEqual(sent(channelOf(1), attempt));
        }
      }),
    );
  });

  test("has no credential where the upstream wants none", () => {
    const { dialects: _, ...settings } = openaiUpstream("https://provider.example/v1");
    const upstream = {
      ...settings,
      dialects: { chat: { base_url: "https://provider.example/v1", auth: "none" as const } },
    };
    const { sent } = compose({}, "", channelOf(1, toUpstream(upstream)), "secret");
    expect([...sent.values()].some((shown) => shown.includes("secret"))).toBe(false);
  });

  test("goes to the proven address of an exit node, whatever its name resolves to", () => {
    expect(compose({}, "", channelOf(1, { pinnedAddress: "203.0.113.5" })).address).toBe("203.0.113.5");
    expect(compose({})).not.toHaveProperty("address");
  });

  test("has another idempotency key for each API key beside an empty header", () => {
    const keyOf = (apiKey: string) =>
      compose({ authorization: "Bearer ", "x-api-key": apiKey, "idempotency-key": "mine" }).sent.get("idempotency-key");
    expect(keyOf(`sk-sluice-${"a".repeat(40)}`)).not.toBe(keyOf(`sk-sluice-${"b".repeat(40)}`));
  });

  test("has another idempotency key for each API key, and always the same one", () => {
    const keyOf = (authorization: string) =>
      compose({ authorization, "idempotency-key": "mine" }).sent.get("idempotency-key");
    expect(keyOf("Bearer one")).toBe(keyOf("Bearer one"));
    expect(keyOf("Bearer one")).not.toBe(keyOf("Bearer two"));
    expect(keyOf("Bearer one")).not.toBe("mine");
  });

  test("includes the known parameters of a query, and an API feature switch in its usual form", () => {
    expect(compose({}, "?limit=2&api-version=9&order=asc&x=%0d").target).toBe("/v1/chat/completions?limit=2&order=asc");
    expect(compose({ "openai-beta": "assistants=v2" }).sent.get("openai-beta")).toBe("assistants=v2");
    expect(compose({ "openai-beta": "{odd}" }).sent.has("openai-beta")).toBe(false);
  });

  test("names the gateways it has passed, and nothing else that a client put there", () => {
    const mark = "0123456789abcdef";
    const other = "fedcba9876543210";
    expect(withHop(null, mark)).toBe(mark);
    expect(withHop(other, mark)).toBe(`${other},${mark}`);
    expect(withHop(`${other}, x=y,<script>, ${other}`, mark)).toBe(`${other},${other},${mark}`);
    expect(withHop("y".repeat(15_000), mark)).toBe(mark);
    expect(withHop(`${other},`.repeat(900), mark).length).toBeLessThan(600);
    expect(hasPassed(`${other}, ${mark}`, mark)).toBe(true);
    expect(hasPassed(`${other},`.repeat(900) + mark, mark)).toBe(true);
    expect(hasPassed(other, mark)).toBe(false);
    expect(hasPassed(null, mark)).toBe(false);
  });

  test("has a query of 1,024 characters at most", () => {
    expect(() => checkQuery("x".repeat(1_024), operationOf("chat"))).not.toThrow();
    expect(() => checkQuery("x".repeat(1_025), operationOf("chat"))).toThrow("longer than 1024");
  });
});
