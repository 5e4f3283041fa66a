/** Whatever one customer sends, the channel stays available to the others; only its own faults close it for all. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { createApiKey } from "@sluice/control-plane/gateway/keys/create-key.ts";
import type { Behaviour } from "@sluice/sandbox-provider/script/behaviour";
import { FaultRig } from "../support/calls/fault-rig.ts";
import { errorIn, type RelayedResponse } from "../support/calls/relayed-call.ts";
import type { TestUser } from "../support/service/sluice.ts";
import { patienceMs } from "../support/values/patience.ts";

const errorOf = (error: object): Behaviour["body"] => ({ error });

/** A provider's response that a request alone can cause, and how often it takes to do harm. */
const attacks: readonly { readonly name: string; readonly behaviour: Behaviour; readonly calls: number }[] = [
  { name: "requests that get 406", behaviour: { status: 406 }, calls: 30 },
  { name: "requests whose address is too long", behaviour: { status: 414, isHtmlBody: true }, calls: 30 },
  { name: "requests whose headers are too large", behaviour: { status: 431, isHtmlBody: true }, calls: 30 },
  { name: "requests that make the server fail", behaviour: { status: 500 }, calls: 30 },
  {
    name: "a prompt that moderation refuses",
    behaviour: { status: 403, body: errorOf({ message: "Your input was flagged by moderation.", code: 403 }) },
    calls: 1,
  },
  { name: "a request that is forbidden for no reason", behaviour: { status: 403 }, calls: 2 },
  {
    name: "a request above the limit of tokens",
    behaviour: {
      status: 429,
      retryAfter: 60,
      body: errorOf({ message: "Request too large: Limit 30000, Requested 60000.", type: "tokens" }),
    },
    calls: 2,
  },
  {
    name: "a request above the remaining balance of the account",
    behaviour: {
      status: 402,
      body: errorOf({ message: "You requested up to 65536 tokens, but can only afford 2000.", code: 402 }),
    },
    calls: 30,
  },
  { name: "too many calls of one customer", behaviour: { status: 429, retryAfter: 60 }, calls: 1 },
  {
    name: "a refusal that quotes the words of a refused key",
    behaviour: { status: 403, body: errorOf({ message: "You may not ask about: Invalid API key, account disabled." }) },
    calls: 1,
  },
  {
    name: "a request for a feature that the account may not use",
    behaviour: {
      status: 401,
      body: errorOf({ message: "Your key has no access to this feature.", code: "no_access" }),
    },
    calls: 30,
  },
  { name: "a request that overloads the server", behaviour: { status: 503, retryAfter: 60 }, calls: 1 },
];

const stories = attacks.map((attack, index) => ({ ...attack, model: `attack-${index}` }));

describe("one customer of two", () => {
  let faulty: FaultRig;
  let victim: TestUser;
  let third: TestUser;

  beforeAll(async () => {
    faulty = await FaultRig.create();
    victim = await faulty.rig.addUser();
    third = await faulty.rig.addUser();
    for (const model of [...stories.map((story) => story.model), "shared", "pair", "keys", "key", "query", "plain"]) {
      await faulty.addModel(model, [{ name: model }]);
    }
    await faulty.start("one-process");
  });

  afterAll(async () => {
    expect(await faulty.rig.checkMoney()).toEqual([]);
    await faulty.close();
  });

  const callAs = (user: TestUser, model: string, more: { path?: string; headers?: string[] } = {}) =>
    faulty.call(model, {}, { apiKey: user.apiKey, ...more });
  const script = (model: string, behaviour: Behaviour, times = 1) =>
    faulty.provider.script(behaviour, { match: { credential: `upstream-${model}` }, times });
  const attackMark = "the words that do it";
  const seen = ({ status, body }: RelayedResponse) => ({ status, code: errorIn(body)?.code });

  test.each(stories)("$name: the other customer's calls continue", async ({ model, behaviour, calls }) => {
    expect((await callAs(victim, model)).status).toBe(200);
    const match = { credential: `upstream-${model}`, bodyIncludes: attackMark };
    faulty.provider.script(behaviour, { match, times: "always" });
    for (let call = 0; call < calls; call += 1) {
      expect((await faulty.call(model, { user: attackMark })).status).not.toBe(200);
    }
    for (let call = 0; call < 4; call += 1) {
      expect((await callAs(victim, model)).status).toBe(200);
    }
  });

  test("a limit that a second customer also meets pauses the channel for all", async () => {
    script("shared", { status: 429, retryAfter: 60 }, 2);
    for (const user of [faulty.user, victim]) {
      expect(seen(await callAs(user, "shared"))).toEqual({ status: 429, code: "upstream_rate_limited" });
    }
    const answer = await callAs(third, "shared");
    expect(seen(answer)).toEqual({ status: 429, code: "upstream_rate_limited" });
    expect((await faulty.row(answer.requestId)).attempts).toEqual([]);
  });

  test("two accounts that run into a limit of their own block the others for seconds, and only once", async () => {
    const match = { credential: "upstream-pair", bodyIncludes: attackMark };
    faulty.provider.script({ status: 429, retryAfter: 60 }, { match, times: "always" });
    const attackers = [faulty.user, third];
    const attack = async () => {
      for (const user of attackers) {
        expect((await faulty.call("pair", { user: attackMark }, { apiKey: user.apiKey })).status).toBe(429);
      }
    };
    await attack();
    const refused = await callAs(victim, "pair");
    expect(refused.status).toBe(429);
    expect(Number(refused.headers.get("retry-after"))).toBeWithin(1, 6);
    const deadline = performance.now() + patienceMs;
    let answer = refused;
    while (answer.status !== 200 && performance.now() < deadline) {
      await Bun.sleep(100);
      answer = await callAs(victim, "pair");
    }
    expect(answer.status).toBe(200);
    for (let turn = 0; turn < 5; turn += 1) {
      await attack();
      expect((await callAs(victim, "pair")).status).toBe(200);
    }
  });

  test("one customer with several keys is one customer", async () => {
    const match = { credential: "upstream-keys", bodyIncludes: attackMark };
    faulty.provider.script({ status: 429, retryAfter: 60 }, { match, times: "always" });
    const moreKeys = await faulty.rig.db.withTransaction(async (tx) => [
      await createApiKey(tx, third.gatewayUserId, "second key"),
      await createApiKey(tx, third.gatewayUserId, "third key"),
    ]);
    for (const apiKey of [third.apiKey, ...moreKeys]) {
      expect((await faulty.call("keys", { user: attackMark }, { apiKey })).status).toBe(429);
      expect((await callAs(victim, "keys")).status).toBe(200);
    }
  });

  test("a refused credential pauses the channel for all, and nobody gets a rate limit", async () => {
    script("key", { status: 401 });
    expect(seen(await callAs(faulty.user, "key"))).toEqual({ status: 502, code: "upstream_error" });
    const answer = await callAs(victim, "key");
    expect(seen(answer)).toEqual({ status: 503, code: "no_upstream" });
    expect((await faulty.row(answer.requestId)).attempts).toEqual([]);
    // Fifteen seconds, less what a busy machine has taken since.
    expect(Number(answer.headers.get("retry-after"))).toBeWithin(7, 16);
  });

  test("a request above the limit is refused, without an invitation to retry", async () => {
    const body = errorOf({ message: "Request too large: Limit 30000, Requested 60000.", type: "tokens" });
    script("plain", { status: 429, retryAfter: 60, body });
    const answer = await callAs(faulty.user, "plain");
    expect(seen(answer)).toEqual({ status: 429, code: "upstream_rejected" });
    expect(errorIn(answer.body)?.message).toContain("Requested 60000");
    expect(answer.headers.get("x-should-retry")).toBe("false");
    expect(answer.headers.has("retry-after")).toBe(false);
  });

  test("neither a client's Accept header nor its query is forwarded, except for known parameters", async () => {
    const path = "/v1/chat/completions?api-version=2099-01-01&deployment=other&limit=5&order=asc%20x";
    await callAs(faulty.user, "query", { path, headers: ["Accept: application/xml", "OpenAI-Beta: assistants=v2"] });
    const record = faulty.provider.requests.find(({ credential }) => credential === "upstream-query");
    expect(record?.target).toBe("/v1/chat/completions?limit=5&order=asc+x");
    const sent = Object.fromEntries(record?.headers.map(([name, value]) => [name.toLowerCase(), value]) ?? []);
    expect(sent).toMatchObject({ accept: "application/json, text/event-stream", "openai-beta": "assistants=v2" });
  });

  test("a query of more than a kibibyte is refused", async () => {
    const path = `/v1/chat/completions?limit=${"5".repeat(6_000)}`;
    expect(seen(await callAs(faulty.user, "plain", { path }))).toEqual({ status: 400, code: "invalid_parameter" });
  });
});
