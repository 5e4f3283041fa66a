import { afterAll, afterEach, beforeAll, describe, expect, test } from "bun:test";
import { openaiUpstream, upstreamSettings } from "@sluice/contracts/upstreams";
import { loginAdmin } from "../../support/accounts/logins.ts";
import { type SluiceProcess, SluiceRig } from "../../support/service/sluice.ts";

type Fields = Record<string, unknown>;
type Answer = { readonly status: number; readonly body: Fields };
type Seen = { readonly path: string; readonly headers: Headers; readonly body: Fields | null };

const canary = "canary-credential-0123456789";

let rig: SluiceRig;
let sluice: SluiceProcess;
let cookie: string;
let provider: Bun.Server<undefined>;
let answerNext: (request: Request) => Response;
const seen: Seen[] = [];

beforeAll(async () => {
  provider = Bun.serve({
    hostname: "127.0.0.1",
    port: 0,
    fetch: async (request) => {
      const text = await request.text();
      const { pathname, search } = new URL(request.url);
      const body = text === "" ? null : (JSON.parse(text) as Fields);
      seen.push({ path: `${pathname}${search}`, headers: request.headers, body });
      return answerNext(request);
    },
  });
  rig = await SluiceRig.create(`http://127.0.0.1:${provider.port}`);
  sluice = await rig.start("one-process");
  cookie = (await loginAdmin(rig)).cookie;
});

afterEach(() => {
  seen.length = 0;
});

afterAll(async () => {
  await provider.stop(true);
  await rig.close();
});

async function post(path: string, fields: object): Promise<Answer> {
  const answer = await fetch(`${sluice.url}/backend/admin/${path}`, {
    method: "POST",
    headers: { "content-type": "application/json", origin: sluice.url, cookie },
    body: JSON.stringify(fields),
  });
  return { status: answer.status, body: (await answer.json()) as Fields };
}

const origin = (): string => `http://127.0.0.1:${provider.port}`;
const unsaved = () => ({ upstream: openaiUpstream(`${origin()}/v1`), credential: canary });
const modelsOf = (answer: Answer) => answer.body["models"] as Fields[];
const names = (prefix: string) => ["gpt-4o", "gpt-4o-mini"].map((name) => `${prefix}-${name}`);
const newModel = {
  kind: "chat",
  context_tokens_max: 128_000,
  output_tokens_max: 16_384,
  input_usd_per_m: "2.5",
  output_usd_per_m: "10",
};

describe("the list of models", () => {
  test("of an upstream that is not saved comes with prices and limits, and nothing is stored", async () => {
    answerNext = () => Response.json({ data: [{ id: "gpt-4o-mini" }, { id: "house-model" }, { id: "sora-2" }] });
    const before = await rig.db.sql<{ count: bigint }>`select count(*) from channel`;
    const answer = await post("channel/models/", unsaved());
    expect(answer.status).toBe(200);
    expect(modelsOf(answer)).toMatchObject([
      { name: "gpt-4o-mini", is_in_catalog: true, prices: { input_usd_per_m: "0.15" } },
      { name: "house-model", is_in_catalog: false, prices: null, price_source: null },
    ]);
    expect(answer.body["left_out"]).toBe(1);
    expect(seen).toMatchObject([{ path: "/v1/models" }]);
    expect(seen[0]?.headers.get("authorization")).toBe(`Bearer ${canary}`);
    expect(await rig.db.sql<{ count: bigint }>`select count(*) from channel`).toEqual(before);
    const [audited] = await rig.db.sql<{ text: string }>`
      select to_jsonb(audit_log)::text as text from audit_log where action = 'channel.models' order by id desc limit 1`;
    expect(audited?.text).toContain(origin());
    expect(audited?.text).not.toContain(canary);
  });

  test("is asked for as the dialect has it, with its login, query and headers", async () => {
    answerNext = () => Response.json({ data: [{ id: "claude-opus-4-8", display_name: "Claude Opus 4.8" }] });
    const upstream = upstreamSettings.parse({
      preset: "anthropic",
      dialects: { messages: { base_url: origin(), auth: "x_api_key" } },
      query: { tenant: "one" },
      headers: { set: { "x-team": "sluice" }, remove: [] },
    });
    const answer = await post("channel/models/", { upstream, credential: canary });
    expect(seen[0]?.path).toBe("/v1/models?limit=1000&tenant=one");
    expect(seen[0]?.headers.get("x-api-key")).toBe(canary);
    expect(seen[0]?.headers.get("anthropic-version")).toBe("2023-06-01");
    expect(seen[0]?.headers.get("x-team")).toBe("sluice");
    expect(modelsOf(answer)).toMatchObject([
      { display_name: "Claude Opus 4.8", output_tokens_max: 128_000, prices: { cache_read_usd_per_m: "0.5" } },
    ]);
  });

  test("of names that were entered needs no list", async () => {
    const answer = await post("channel/models/", { ...unsaved(), names: ["gpt-4o", "my-deployment"] });
    expect(modelsOf(answer).map((model) => model["upstream_model"])).toEqual(["gpt-4o", "my-deployment"]);
    expect(seen).toEqual([]);
  });

  test.each([
    [
      "refuses the credential",
      () => Response.json({ error: { message: `no key ${canary}` } }, { status: 401 }),
      { credential: expect.stringContaining("refused this credential (status 401)") },
    ],
    [
      "has no list",
      () => new Response("not found", { status: 404 }),
      { "upstream.dialects.chat.base_url": expect.stringContaining("This address has no list of models") },
    ],
    [
      "sends a page",
      () => new Response("<p>hello</p>"),
      { "upstream.dialects.chat.base_url": expect.stringContaining("sent no list of models (status 200)") },
    ],
    [
      "sends more than fits",
      () => new Response("x".repeat(9 * 1024 * 1024)),
      { "upstream.dialects.chat.base_url": expect.stringContaining("No list was received") },
    ],
  ] as [string, () => Response, Fields][])(
    "of a provider that %s ends in words at the field",
    async (_, answer, fields) => {
      answerNext = answer;
      const refused = await post("channel/models/", unsaved());
      expect(refused.status).toBe(400);
      expect((refused.body["error"] as Fields)["fields"]).toEqual(fields);
      expect(JSON.stringify(refused.body)).not.toContain("canary");
    },
  );

  test("of a saved channel is asked for with its credential, which goes to no other host", async () => {
    answerNext = () => Response.json({ data: [{ id: "gpt-4o" }] });
    const made = await post("channel/save/", { name: "listed", upstream: unsaved().upstream, credential: canary });
    const { channel_id } = made.body["channel"] as { channel_id: number };
    expect((await post("channel/models/", { channel_id })).status).toBe(200);
    expect(seen[0]?.headers.get("authorization")).toBe(`Bearer ${canary}`);
    const elsewhere = openaiUpstream(`http://localhost:${provider.port}/v1`);
    const refused = await post("channel/models/", { channel_id, upstream: elsewhere });
    expect(refused.body["error"]).toMatchObject({ code: "secret_required" });
    expect(seen).toHaveLength(1);
  });
});

describe("a test call of an upstream that is not saved", () => {
  const settings = (dialect: string, auth: string) =>
    upstreamSettings.parse({
      dialects: { [dialect]: { base_url: `${origin()}${dialect === "responses" ? "/v1" : ""}`, auth } },
      flags: { token_param: "max_completion_tokens" },
    });

  test.each([
    [
      "messages",
      "/v1/messages",
      { content: [{ type: "text", text: "OK" }], model: "m-1", usage: { input_tokens: 9, output_tokens: 2 } },
    ],
    [
      "responses",
      "/v1/responses",
      {
        output: [{ type: "message", content: [{ type: "output_text", text: "OK" }] }],
        model: "m-1",
        usage: { input_tokens: 9, output_tokens: 2 },
      },
    ],
    [
      "gemini",
      "/v1beta/models/m:generateContent",
      {
        candidates: [{ content: { parts: [{ text: "OK" }] } }],
        modelVersion: "m-1",
        usageMetadata: { promptTokenCount: 9, candidatesTokenCount: 2 },
      },
    ],
  ] as const)("speaks %s", async (dialect, path, body) => {
    answerNext = () => Response.json(body);
    const { body: answer } = await post("channel/test/", {
      upstream: settings(dialect, "x_api_key"),
      credential: canary,
      model: "m",
    });
    expect(answer["test"]).toMatchObject({
      ...{ channel_id: null, dialect, is_ok: true, http_status: 200, error: null },
      ...{ answered_model: "m-1", text: "OK", input_tokens: 9, output_tokens: 2 },
    });
    expect(seen[0]?.path).toBe(path);
    expect(seen[0]?.headers.get("x-api-key")).toBe(canary);
  });

  test("bounds the output by the provider's name for the limit", async () => {
    answerNext = () => Response.json({ choices: [{ message: { content: "OK" } }] });
    const upstream = upstreamSettings.parse({
      dialects: { chat: { base_url: `${origin()}/v1` } },
      flags: { token_param: "max_completion_tokens" },
      body: { set: { service_tier: "default" }, remove: [] },
    });
    await post("channel/test/", { upstream, credential: canary, model: "m" });
    expect(seen[0]?.body).toMatchObject({ max_completion_tokens: 64, service_tier: "default" });
    expect(seen[0]?.body).not.toHaveProperty("max_tokens");
  });

  test("of an embedding model asks for an embedding", async () => {
    answerNext = () => Response.json({ data: [{ embedding: [0.1] }], model: "e", usage: { prompt_tokens: 1 } });
    const { body } = await post("channel/test/", { ...unsaved(), model: "e", model_kind: "embedding" });
    expect(seen[0]?.path).toBe("/v1/embeddings");
    expect(body["test"]).toMatchObject({ is_ok: true, text: null, input_tokens: 1 });
  });

  test("of a model whose call would cost more says that it can't be tested", async () => {
    const { status, body } = await post("channel/test/", { ...unsaved(), model: "i", model_kind: "image" });
    expect(status).toBe(400);
    expect(body["error"]).toMatchObject({ fields: { model: expect.stringContaining("can't be tested") } });
    expect(seen).toEqual([]);
  });

  test("is refused at an address that is not a server's", async () => {
    const upstream = openaiUpstream("http://0.0.0.0/v1");
    const { status, body } = await post("channel/test/", { upstream, credential: canary, model: "m" });
    expect(status).toBe(400);
    expect(Object.keys((body["error"] as { fields: Fields }).fields)).toEqual(["upstream.dialects.chat.base_url"]);
  });
});

describe("adopting models", () => {
  const adopt = (name: string, models: object[], more: object = {}) =>
    post("channel/adopt/", { ...unsaved(), name, models, ...more });

  test("creates an enabled channel, its models with the confirmed prices, and what it serves, with a record of each", async () => {
    const [first = "", second = ""] = names("set-up");
    const answer = await adopt("set-up", [
      { model: first, upstream_model: "gpt-4o", new_model: newModel },
      { model: second, new_model: { ...newModel, input_usd_per_m: "0.15", output_usd_per_m: "0.6" } },
    ]);
    expect(answer.body["adopted"]).toMatchObject({ channel_status: "enabled", new_models: [first, second] });
    const served = await rig.db.sql`
      select a.model, a.upstream_model, a.is_enabled, c.status, p.input_usd_per_m::float8 as input
      from ability a join channel c on c.id = a.channel_id join model_price p on p.model = a.model
      where c.name = 'set-up' order by a.model`;
    expect(served as unknown).toEqual([
      { model: first, upstream_model: "gpt-4o", is_enabled: true, status: "enabled", input: 2.5 },
      { model: second, upstream_model: null, is_enabled: true, status: "enabled", input: 0.15 },
    ]);
    const [audited] = await rig.db.sql<{ actions: string[]; text: string }>`
      select array_agg(action order by id) as actions, string_agg(to_jsonb(l)::text, '') as text from audit_log l
      where subject_id like '%set-up%' or after::text like '%set-up%'`;
    expect(audited?.actions).toEqual(["channel.save", "model.save", "ability.save", "model.save", "ability.save"]);
    expect(audited?.text).not.toContain(canary);
    answerNext = () => Response.json({ choices: [{ message: { content: "OK" } }] });
    const { channel_id } = answer.body["adopted"] as { channel_id: number };
    const tested = await post("channel/test/", { channel_id, model: first });
    expect(tested.body["test"]).toMatchObject({ is_ok: true, model: "gpt-4o" });
    expect(seen[0]?.headers.get("authorization")).toBe(`Bearer ${canary}`);
  });

  test("leaves the prices of a model that the catalog has, whatever is proposed", async () => {
    await rig.addModel("kept-price");
    const price = () => rig.db.sql`select * from model_price where model = 'kept-price'`;
    const before = await price();
    const answer = await adopt("keeps-price", [{ model: "kept-price", new_model: newModel }]);
    expect(answer.body["adopted"]).toMatchObject({ models: ["kept-price"], new_models: [] });
    expect(await price()).toEqual(before);
  });

  test("adds models to a channel that exists, and changes nothing else about it", async () => {
    const made = await post("channel/save/", { name: "grows", upstream: unsaved().upstream, credential: canary });
    const { channel_id } = made.body["channel"] as { channel_id: number };
    const row = () => rig.db.sql`select * from channel where name = 'grows'`;
    const before = await row();
    const answer = await post("channel/adopt/", { channel_id, models: [{ model: "grown", new_model: newModel }] });
    expect(answer.body["adopted"]).toMatchObject({ channel_name: "grows", channel_status: "disabled" });
    expect(await row()).toEqual(before);
  });

  test.each([
    [
      "has no price",
      [{ model: "lost-a", new_model: { ...newModel, output_usd_per_m: undefined } }],
      "models.0.new_model.output_usd_per_m",
    ],
    ["is not in the catalog", [{ model: "lost-b", new_model: newModel }, { model: "lost-c" }], "models.1.new_model"],
    ["comes twice", [{ model: "lost-d", new_model: newModel }, { model: "lost-d" }], "models.1.model"],
  ])("saves nothing if one of the models %s, and names the field", async (_, models, field) => {
    const answer = await adopt("never-made", models);
    expect(answer.status).toBe(400);
    expect(Object.keys((answer.body["error"] as { fields: Fields }).fields)).toEqual([field]);
    const left = await rig.db.sql`
      select name from channel where name = 'never-made' union all select name from model where name like 'lost-%'`;
    expect([...left]).toEqual([]);
  });

  test("of a name that is taken is refused as a whole", async () => {
    await adopt("taken-name", []);
    const answer = await adopt("taken-name", [{ model: "lost-e", new_model: newModel }]);
    expect(answer.body["error"]).toMatchObject({ code: "conflict", fields: { name: expect.any(String) } });
    expect([...(await rig.db.sql`select name from model where name = 'lost-e'`)]).toEqual([]);
  });
});
