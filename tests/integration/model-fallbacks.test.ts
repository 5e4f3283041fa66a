/** Another model answers where the one that was asked for can't: by rule of the operator, and if the key allows it. */
import { afterAll, afterEach, beforeAll, describe, expect, test } from "bun:test";
import { type Dialect, upstreamSettings } from "@sluice/contracts/upstreams";
import { addModel } from "@sluice/control-plane/models/add-model.ts";
import type { Behaviour } from "@sluice/sandbox-provider/script/behaviour";
import { addFallbacks, allowFallbacks } from "../support/calls/fallback-rules.ts";
import { type RelayScene, startRelayScene } from "../support/calls/relay-scene.ts";
import { addNativeModel } from "../support/messages/native-models.ts";
import { arrangements, type SluiceRig, type TestUser } from "../support/service/sluice.ts";
import { recomputedCost, waitForSettledRows } from "../support/usage/settled-rows.ts";

const question = [{ role: "user", content: "Hello" }];
const header = "x-sluice-model-used";

/** Ranking in Cohere's form is answered whole, and by models of its own. */
type TextDialect = Exclude<Dialect, "cohere">;

type Client = {
  readonly path: (model: string, isStream: boolean) => string;
  readonly body: (model: string, isStream: boolean) => object;
  /** The name of the model in a response. */
  readonly named: (model: string) => string;
};

const named = (model: string): string => `"model":"${model}"`;
const clients: Readonly<Record<TextDialect, Client>> = {
  chat: {
    path: () => "/v1/chat/completions",
    body: (model, stream) => ({ model, messages: question, max_tokens: 50, stream }),
    named,
  },
  responses: {
    path: () => "/v1/responses",
    body: (model, stream) => ({ model, input: "Hello", max_output_tokens: 50, stream }),
    named,
  },
  messages: {
    path: () => "/v1/messages",
    body: (model, stream) => ({ model, messages: question, max_tokens: 50, stream }),
    named,
  },
  gemini: {
    path: (model, isStream) =>
      `/v1beta/models/${model}:${isStream ? "streamGenerateContent?alt=sse" : "generateContent"}`,
    body: () => ({
      contents: [{ role: "user", parts: [{ text: "Hello" }] }],
      generationConfig: { maxOutputTokens: 50 },
    }),
    named: (model) => `"modelVersion":"${model}"`,
  },
};
const dialects = Object.keys(clients) as TextDialect[];
/** The fallback of each client's model; those of chat and Messages are converted for it. */
const fallbackOf: Readonly<Record<TextDialect, string>> = {
  chat: "claude-b",
  responses: "b-responses",
  messages: "b-messages",
  gemini: "b-gemini",
};

async function addGeminiModel(rig: SluiceRig, name: string, providerUrl: string): Promise<void> {
  await rig.addModel(name);
  await rig.addChannel(`channel-${name}`, `${providerUrl}/v1`, [name]);
  const dialectSettings = { gemini: { base_url: providerUrl, auth: "x_goog_api_key" } };
  const settings = JSON.stringify(upstreamSettings.parse({ dialects: dialectSettings }));
  await rig.db.sql`update channel set upstream = ${settings}::text::jsonb where name = ${`channel-${name}`}`;
}

async function prepare(rig: SluiceRig, { url }: { readonly url: string }): Promise<void> {
  const bounds = { contextTokensMax: 128_000, outputTokensMax: 16_384, imageTokensMax: 0 };
  const dear = { input_usd_per_m: "30", output_usd_per_m: "60" };
  for (const name of ["a-chat", "a-responses", "a-messages", "small", "paused", "forced"]) {
    await rig.addModel(name);
    await rig.addChannel(`channel-${name}`, `${url}/v1`, [name]);
  }
  for (const name of ["b-responses", "b-messages", "dear", "large"]) {
    await rig.db.withTransaction((tx) => addModel(tx, { name, displayName: name, ownedBy: "test", ...bounds }, dear));
    await rig.addChannel(`channel-${name}`, `${url}/v1`, [name]);
  }
  await addNativeModel(rig, { name: "claude-b", providerUrl: url, upstreamModel: "claude-b-2026" });
  await addGeminiModel(rig, "a-gemini", url);
  await addGeminiModel(rig, "b-gemini", url);
  for (const dialect of dialects) {
    await addFallbacks(rig.db, `a-${dialect}`, [fallbackOf[dialect]]);
  }
  await rig.db.sql`update model set context_tokens_max = 4000, output_tokens_max = 1000 where name = 'small'`;
  await addFallbacks(rig.db, "small", ["dear"], { larger: "large" });
  await addFallbacks(rig.db, "forced", ["dear"], { isForEveryKey: true });
  await addFallbacks(rig.db, "paused", ["nowhere", "dear", "large"]);
}

const failing: Behaviour = { status: 500 };

describe.each(arrangements)("another model in place of one, %s", (arrangement) => {
  let scene: RelayScene;
  let user: TestUser;

  beforeAll(async () => {
    scene = await startRelayScene(arrangement, { prepare, env: { RETRY_SENT_REQUESTS: "true" } });
    user = await scene.rig.addUser();
    await allowFallbacks(scene.rig.db, user.gatewayUserId);
  });
  afterEach(async () => {
    scene.provider.reset();
    expect(await scene.rig.checkMoney()).toEqual([]);
  });
  afterAll(() => scene.close());

  const script = (model: string, behaviour: Behaviour): void =>
    scene.provider.script(behaviour, { match: { credential: `upstream-channel-${model}` }, times: "always" });
  const ask = (
    dialect: TextDialect,
    model: string,
    { isStream = false, key = user.apiKey, more = {}, headers = {} }: Partial<AskOptions> = {},
  ): Promise<Response> => {
    const { path, body } = clients[dialect];
    return fetch(`${scene.sluice.url}${path(model, isStream)}`, {
      method: "POST",
      headers: { authorization: `Bearer ${key}`, "content-type": "application/json", ...headers },
      body: JSON.stringify({ ...body(model, isStream), ...more }),
    });
  };
  type AskOptions = { isStream: boolean; key: string; more: object; headers: Record<string, string> };
  const fresh = async (quota?: bigint, isAllowed = true): Promise<TestUser> => {
    const made = await scene.rig.addUser(quota);
    if (isAllowed) {
      await allowFallbacks(scene.rig.db, made.gatewayUserId);
    }
    return made;
  };
  const rowOf = async ({ gatewayUserId }: TestUser) => {
    const [settled] = await waitForSettledRows(scene.rig.db, gatewayUserId, 1);
    const [more] = await scene.rig.db.sql<{
      asked: string | null;
      channel: string | null;
      attempts: readonly { model?: string }[];
    }>`
      select u.asked_model as asked, c.name as channel, usage_attempts(u.attempts) as attempts
      from usage_log u left join channel c on c.id = u.channel_id
      where u.gateway_user_id = ${gatewayUserId}::bigint`;
    if (settled === undefined || more === undefined) {
      throw new Error("the call has no row");
    }
    return { settled, ...more };
  };

  test.each(dialects.flatMap((dialect) => [false, true].map((isStream) => [dialect, isStream] as const)))(
    "answers a %s client (stream %p) under its own name, and is charged at its own price",
    async (dialect, isStream) => {
      const caller = await fresh();
      const fallback = fallbackOf[dialect];
      script(`a-${dialect}`, failing);
      const answer = await ask(dialect, `a-${dialect}`, { isStream, key: caller.apiKey });
      const text = await answer.text();
      expect({ status: answer.status, text: answer.status === 200 ? "" : text }).toEqual({ status: 200, text: "" });
      expect(answer.headers.get(header)).toBe(fallback);
      expect(text).toContain(clients[dialect].named(fallback));
      const { settled, asked, attempts } = await rowOf(caller);
      expect({ model: settled.model, asked, outcome: settled.outcome }).toEqual({
        model: fallback,
        asked: `a-${dialect}`,
        outcome: "completed",
      });
      expect(attempts.at(-1)?.model).toBe(fallback);
      expect(attempts[0]).not.toHaveProperty("model");
      expect(settled.quota).toBe(recomputedCost(settled));
      expect(settled.quota).toBeGreaterThan(0n);
    },
  );

  test("is not asked where the key does not allow it, and the error is that of the model asked for", async () => {
    const caller = await fresh(undefined, false);
    script("a-chat", failing);
    const answer = await ask("chat", "a-chat", { key: caller.apiKey });
    expect(answer.status).toBeGreaterThanOrEqual(500);
    expect(answer.headers.has(header)).toBe(false);
    expect(scene.provider.requests.every(({ credential }) => credential === "upstream-channel-a-chat")).toBe(true);
    const { settled, asked } = await rowOf(caller);
    expect({ model: settled.model, asked, quota: settled.quota }).toEqual({ model: "a-chat", asked: null, quota: 0n });
  });

  test("leaves no trace in the row if it fails too: that names the model asked for and its channel", async () => {
    const caller = await fresh();
    script("a-chat", failing);
    script("claude-b", failing);
    const answer = await ask("chat", "a-chat", { key: caller.apiKey });
    expect(answer.status).toBeGreaterThanOrEqual(500);
    const { settled, asked, attempts, channel } = await rowOf(caller);
    expect({ model: settled.model, asked, channel }).toEqual({
      model: "a-chat",
      asked: null,
      channel: "channel-a-chat",
    });
    expect(attempts.at(-1)?.model).toBe("claude-b");
  });

  test("is asked for every key where the operator says so", async () => {
    const caller = await fresh(undefined, false);
    script("forced", failing);
    expect((await ask("chat", "forced", { key: caller.apiKey })).headers.get(header)).toBe("dear");
    expect((await rowOf(caller)).settled.model).toBe("dear");
  });

  test("is declined by a header, which has to be readable", async () => {
    script("a-chat", failing);
    const declined = await ask("chat", "a-chat", { headers: { "x-sluice-fallback": "off" } });
    expect(declined.status).toBeGreaterThanOrEqual(500);
    const odd = await ask("chat", "a-chat", { headers: { "x-sluice-fallback": "maybe" } });
    expect(odd.status).toBe(400);
    expect(await odd.text()).toContain("x-sluice-fallback");
  });

  test.each([
    ["that speaks this API", "a-chat", "claude-b"],
    ["that is asked in another API", "a-messages", "b-messages"],
  ])("%s answers at /msgcompat too, and is declined there by the same header", async (_which, model, fallback) => {
    const askThere = (headers: Record<string, string> = {}): Promise<Response> =>
      fetch(`${scene.sluice.url}/msgcompat/v1/messages`, {
        method: "POST",
        headers: { "x-api-key": user.apiKey, "content-type": "application/json", ...headers },
        body: JSON.stringify(clients.messages.body(model, false)),
      });
    script(model, failing);
    const answer = await askThere();
    expect([answer.status, answer.headers.get(header)]).toEqual([200, fallback]);
    expect(await answer.text()).toContain(named(fallback));
    const declined = await askThere({ "x-sluice-fallback": "off" });
    expect(declined.status).toBeGreaterThanOrEqual(500);
    expect(declined.headers.has(header)).toBe(false);
    expect((await askThere({ "x-sluice-fallback": "maybe" })).status).toBe(400);
  });

  test("is not asked for a request that the model refuses", async () => {
    script("a-chat", { status: 400, body: { error: { message: "Bad tool", type: "invalid_request_error" } } });
    const answer = await ask("chat", "a-chat");
    expect(answer.status).toBe(400);
    expect(await answer.text()).toContain("Bad tool");
    expect(scene.provider.requests).toHaveLength(1);
  });

  test("is passed over if the key may not use it, and the next one answers", async () => {
    const caller = await fresh();
    await scene.rig.db.sql`
      update api_key set allowed_models = '{paused,large}' where gateway_user_id = ${caller.gatewayUserId}::bigint`;
    script("paused", { status: 429 });
    const answer = await ask("chat", "paused", { key: caller.apiKey });
    expect([answer.status, answer.headers.get(header)]).toEqual([200, "large"]);
  });

  test("is passed over if the balance does not cover it, and nothing more is held afterwards", async () => {
    // Enough for the model asked for, and for nothing at the price of the other.
    const caller = await fresh(60n);
    script("a-messages", failing);
    const answer = await ask("messages", "a-messages", { key: caller.apiKey });
    expect(answer.status).toBeGreaterThanOrEqual(500);
    expect(scene.provider.requests.every(({ credential }) => credential === "upstream-channel-a-messages")).toBe(true);
    const { settled } = await rowOf(caller);
    expect({ model: settled.model, quota: settled.quota }).toEqual({ model: "a-messages", quota: 0n });
    const again = await ask("chat", "a-responses", { key: caller.apiKey });
    expect(again.status).toBe(200);
  });

  test("takes a prompt that is too long for the model asked for, and no other failure does", async () => {
    const caller = await fresh();
    const message = "This model's maximum context length is 4000 tokens.";
    script("small", { status: 400, body: { error: { message, code: "context_length_exceeded" } } });
    const answer = await ask("chat", "small", { key: caller.apiKey });
    expect([answer.status, answer.headers.get(header)]).toEqual([200, "large"]);
    const { asked, attempts } = await rowOf(caller);
    expect(asked).toBe("small");
    expect(attempts[0]).toMatchObject({ result: "context_exceeded", status: 400 });
  });

  test("is asked at once for a prompt that is certainly too long", async () => {
    const content = "Seven common words make a short sentence. ".repeat(2_000);
    const answer = await ask("chat", "small", { more: { messages: [{ role: "user", content }] } });
    expect([answer.status, answer.headers.get(header)]).toEqual([200, "large"]);
    expect(scene.provider.requests.map(({ credential }) => credential)).toEqual(["upstream-channel-large"]);
  });

  test("is counted by model and reason", async () => {
    script("a-responses", { status: 503 });
    expect((await ask("responses", "a-responses")).status).toBe(200);
    const metrics = await (await fetch(`${scene.gateway.url}/metrics`)).text();
    expect(metrics).toMatch(/^sluice_fallbacks_total\{from="a-responses",to="b-responses",reason="status_503"\} 1$/m);
  });
});
