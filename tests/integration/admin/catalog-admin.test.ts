import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { openaiUpstream } from "@sluice/contracts/upstreams";
import { loginAdmin } from "../../support/accounts/logins.ts";
import { type SluiceProcess, SluiceRig } from "../../support/service/sluice.ts";

type Answer = { readonly status: number; readonly body: Record<string, unknown> };

let rig: SluiceRig;
let sluice: SluiceProcess;
let cookie: string;
let upstream: Bun.Server<undefined>;
/** The upstream's next response. */
let answerNext: (request: Request) => Response;
const seen: { readonly path: string; readonly authorization: string | null; readonly body: { model?: string } }[] = [];
const canary = "canary-credential-0123456789";

const completion = (model: string): Response =>
  Response.json({
    id: "x",
    object: "chat.completion",
    model: `${model}-2031`,
    choices: [{ index: 0, message: { role: "assistant", content: "OK" }, finish_reason: "stop" }],
    usage: { prompt_tokens: 7, completion_tokens: 1, total_tokens: 8 },
  });

beforeAll(async () => {
  upstream = Bun.serve({
    hostname: "127.0.0.1",
    port: 0,
    fetch: async (request) => {
      const body = (request.method === "GET" ? {} : await request.json()) as { model?: string };
      seen.push({ path: new URL(request.url).pathname, authorization: request.headers.get("authorization"), body });
      return answerNext(request);
    },
  });
  rig = await SluiceRig.create(`http://127.0.0.1:${upstream.port}`);
  sluice = await rig.start("one-process");
  cookie = (await loginAdmin(rig)).cookie;
});

afterAll(async () => {
  await upstream.stop(true);
  await rig.close();
});

async function post(path: string, fields: object): Promise<Answer> {
  const answer = await fetch(`${sluice.url}/backend/admin/${path}`, {
    method: "POST",
    headers: { "content-type": "application/json", origin: sluice.url, cookie },
    body: JSON.stringify(fields),
  });
  return { status: answer.status, body: (await answer.json()) as Answer["body"] };
}

async function get(path: string): Promise<Answer> {
  const answer = await fetch(`${sluice.url}/backend/admin/${path}`, { headers: { cookie } });
  return { status: answer.status, body: (await answer.json()) as Answer["body"] };
}

async function audits(action: string, subject: string) {
  const rows = await rig.db.sql<{ before: Record<string, unknown> | null; after: object; text: string }>`
    select before, after, to_jsonb(audit_log)::text as text from audit_log
    where action = ${action} and subject_id = ${subject} order by id`;
  return [...rows];
}

describe("a model", () => {
  const fields = { context_tokens_max: 1_000, output_tokens_max: 100, input_usd_per_m: "0.15", output_usd_per_m: 0.6 };

  test("is created with its first prices, and changed prices are a new version that leaves the first unchanged", async () => {
    const made = await post("model/save/", { name: "made-model", ...fields });
    expect(made).toMatchObject({ status: 200, body: { model: { price_version: 1, input_usd_per_m: "0.15000000" } } });
    const { updated_at } = made.body["model"] as { updated_at: string };
    const renamed = await post("model/save/", { name: "made-model", display_name: "Renamed", updated_at });
    expect(renamed.body["model"]).toMatchObject({ display_name: "Renamed", price_version: 1 });
    expect(renamed.body["model"]).toMatchObject({ kind: "chat" });
    const at = (renamed.body["model"] as { updated_at: string }).updated_at;
    const dearer = await post("model/save/", {
      name: "made-model",
      kind: "image",
      input_usd_per_m: "0.30",
      updated_at: at,
    });
    expect(dearer.body["model"]).toMatchObject({ kind: "image", price_version: 2, output_usd_per_m: "0.60000000" });
    const prices = await rig.db.sql<{ version: number; input_usd_per_m: string }>`
      select version, input_usd_per_m from model_price where model = 'made-model' order by version`;
    expect(prices.map(({ input_usd_per_m }) => input_usd_per_m)).toEqual(["0.15000000", "0.30000000"]);
    const written = await audits("model.save", "made-model");
    expect(written.map(({ before }) => before?.["price_version"] ?? null)).toEqual([null, 1, 1]);
  });

  test("has prices for long prompts as they were entered, until they are removed", async () => {
    const long = {
      above_tokens: 200_000,
      input_usd_per_m: "0.3",
      output_usd_per_m: "0.9",
      cache_read_usd_per_m: "0.03",
    };
    const none = { cache_write_usd_per_m: null, cache_write_1h_usd_per_m: null, reasoning_usd_per_m: null };
    const made = await post("model/save/", { name: "long-model", ...fields, long_prompt: long });
    expect(made.body["model"]).toMatchObject({ price_version: 1, long_prompt: { ...long, ...none } });
    const save = (change: object, at: typeof made) =>
      post("model/save/", {
        name: "long-model",
        ...change,
        updated_at: (at.body["model"] as { updated_at: string }).updated_at,
      });
    const same = await save({ long_prompt: { ...long, input_usd_per_m: "0.30" } }, made);
    expect(same.body["model"]).toMatchObject({ price_version: 1 });
    const kept = await save({ input_usd_per_m: "0.2" }, same);
    expect(kept.body["model"]).toMatchObject({ price_version: 2, long_prompt: long });
    const cut = await save({ long_prompt: { ...long, output_usd_per_m: undefined } }, kept);
    expect(cut.status).toBe(400);
    const removed = await save({ long_prompt: null }, kept);
    expect(removed.body["model"]).toMatchObject({ price_version: 3, long_prompt: null });
  });

  test("is not changed by someone who loaded an older version, nor created twice", async () => {
    const { body } = await post("model/save/", { name: "raced-model", ...fields });
    const { updated_at } = body["model"] as { updated_at: string };
    const changes = [1, 2, 3].map((tokens) =>
      post("model/save/", { name: "raced-model", output_tokens_max: tokens, updated_at }),
    );
    const statuses = (await Promise.all(changes)).map(({ status }) => status);
    expect(statuses.toSorted()).toEqual([200, 409, 409]);
    expect((await post("model/save/", { name: "raced-model", ...fields })).status).toBe(409);
  });

  test.each([
    ["a negative price", { input_usd_per_m: "-1" }],
    ["a price beyond eight places", { input_usd_per_m: "0.000000001" }],
    ["a price that is not a number", { output_usd_per_m: "NaN" }],
    ["an unknown kind", { kind: "video" }],
    ["no bounds", { context_tokens_max: undefined }],
    ["bounds of zero", { output_tokens_max: 0 }],
    ["a moment in no year", { deprecated_at: "0000-01-01T00:00:00Z" }],
  ])("is refused with %s", async (_, odd) => {
    expect((await post("model/save/", { name: "odd-model", ...fields, ...odd })).status).toBe(400);
  });
});

describe("a channel", () => {
  const address = (): string => `http://127.0.0.1:${upstream.port}/v1`;
  const make = async (name: string): Promise<{ channel_id: number; updated_at: string }> => {
    const made = await post("channel/save/", { name, upstream: openaiUpstream(address()), credential: canary });
    expect(made.status).toBe(200);
    return made.body["channel"] as { channel_id: number; updated_at: string };
  };

  test("is created disabled, serves calls once it is enabled and has an ability, and stops when it is disabled", async () => {
    const { channel_id } = await make("made-channel");
    await rig.addModel("served-model");
    const user = await rig.addUser();
    const ability = { group_name: "default", model: "served-model", channel_id };
    expect((await post("ability/save/", ability)).status).toBe(200);
    answerNext = () => completion("served-model");
    const call = async (): Promise<number> => {
      const answer = await fetch(`${sluice.url}/v1/chat/completions`, {
        method: "POST",
        headers: { "content-type": "application/json", authorization: `Bearer ${user.apiKey}` },
        body: JSON.stringify({ model: "served-model", max_tokens: 5, messages: [{ role: "user", content: "hi" }] }),
      });
      await answer.arrayBuffer();
      return answer.status;
    };
    const until = async (isDone: (status: number) => boolean): Promise<void> => {
      const deadline = performance.now() + 10_000;
      while (!isDone(await call())) {
        expect(performance.now()).toBeLessThan(deadline);
        await Bun.sleep(20);
      }
    };
    expect(await call()).not.toBe(200);
    expect((await post("channel/enable/", { channel_ids: [channel_id] })).status).toBe(200);
    await until((status) => status === 200);
    expect((await post("channel/disable/", { channel_ids: [channel_id], reason: "too dear" })).status).toBe(200);
    await until((status) => status !== 200);
    expect(await audits("channel.disable", String(channel_id))).toMatchObject([
      { before: { status: "enabled" }, after: { status: "disabled" } },
    ]);
  });

  test.each([
    ["entra", JSON.stringify({ tenant_id: "t", client_id: "c", client_secret: "s" })],
    ["none", canary],
  ])(
    "asks for its credential when a host of the style %s would be shown it for the first time",
    async (auth, credential) => {
      const speaking = (style: string) => ({
        ...openaiUpstream(address()),
        dialects: { chat: { base_url: address(), auth: style } },
      });
      const made = await post("channel/save/", { name: `styled-${auth}`, upstream: speaking(auth), credential });
      const { channel_id, updated_at } = made.body["channel"] as { channel_id: number; updated_at: string };
      const shown = await post("channel/save/", { channel_id, updated_at, upstream: speaking("bearer") });
      expect(shown).toMatchObject({ status: 400, body: { error: { code: "secret_required" } } });
    },
  );

  test("hides its credential, and loses it when its host changes", async () => {
    const { channel_id, updated_at } = await make("moving-channel");
    const elsewhere = "http://127.0.0.1:9/v1";
    const moved = await post("channel/save/", { channel_id, updated_at, upstream: openaiUpstream(elsewhere) });
    expect(moved).toMatchObject({ status: 400, body: { error: { code: "secret_required" } } });
    const deeper = await post("channel/save/", {
      channel_id,
      updated_at,
      upstream: openaiUpstream(`${address()}/deeper`),
    });
    expect(deeper.status).toBe(200);
    const at = (deeper.body["channel"] as { updated_at: string }).updated_at;
    const again = await post("channel/save/", {
      channel_id,
      updated_at: at,
      upstream: openaiUpstream(elsewhere),
      credential: `${canary}2`,
    });
    expect(again).toMatchObject({
      status: 200,
      body: { channel: { has_credential: true, upstream: openaiUpstream(elsewhere) } },
    });
    const stale = await post("channel/save/", { channel_id, updated_at, name: "other" });
    expect(stale.status).toBe(409);
    const texts = [deeper.body, again.body, (await get("channel/list/")).body].map((body) => JSON.stringify(body));
    const written = (await audits("channel.save", String(channel_id))).map(({ text }) => text);
    expect([...texts, ...written, sluice.log()].filter((text) => text.includes("canary"))).toEqual([]);
  });

  test("passes only paths of the closed list through, and names them", async () => {
    const base = { name: "passing", upstream: openaiUpstream("https://provider.example/v1") };
    for (const path of ["GET /v1/organization/users", "POST /v1/fine_tuning/jobs", "GET /v1/files/../models", "*"]) {
      const refused = await post("channel/save/", { ...base, pass_through_paths: [path] });
      expect(refused).toMatchObject({ status: 400, body: { error: { code: "invalid_value" } } });
    }
    const paths = ["POST /v1/files", "GET /v1/files/{id}"];
    const made = await post("channel/save/", { ...base, pass_through_paths: paths });
    const channel = made.body["channel"] as { channel_id: number; updated_at: string };
    expect(channel).toMatchObject({ pass_through_paths: paths });
    const { channel_id, updated_at } = channel;
    const renamed = await post("channel/save/", { channel_id, updated_at, name: "passing on" });
    expect(renamed.body["channel"]).toMatchObject({ name: "passing on", pass_through_paths: paths });
    const listed = await get(`channel/list/?channel_id=${channel_id}`);
    expect(listed.body).toMatchObject({ rows: [{ pass_through_paths: paths }] });
    const [written] = await audits("channel.save", String(channel_id));
    expect(written?.after).toMatchObject({ pass_through_paths: paths });
  });

  test("with a taken name, or an invalid address, is refused", async () => {
    await make("taken-channel");
    const { channel_id, updated_at } = await make("other-channel");
    expect((await post("channel/save/", { name: "taken-channel", upstream: openaiUpstream(address()) })).status).toBe(
      409,
    );
    const renamed = await post("channel/save/", { channel_id, updated_at, name: "taken-channel" });
    expect(renamed).toMatchObject({ status: 409, body: { error: { fields: { name: expect.any(String) } } } });
    for (const base_url of [
      ...["ftp://a/v1", "http://u:p@a/v1", "https://a/v1?key=1", "not an address"],
      // The visible name is not the address.
      ...["https://exa\nmple.org/v1", "https://example.org\\@evil.example/v1", "http://127.0.0.1:0/v1"],
      // The metadata address of clouds, which has the credentials of the machine.
      ...["http://169.254.169.254/v1", "http://2852039166/v1", "http://[::ffff:a9fe:a9fe]/v1", "http://[fe80::1]/v1"],
      ...["http://[fd00:ec2::254]/v1", "http://100.100.100.200/v1", "http://0.0.0.0:5432/v1", "http://[ff02::1]/v1"],
    ]) {
      const refused = await post("channel/save/", { name: "bad", upstream: openaiUpstream(base_url) });
      expect([base_url, refused.status]).toEqual([base_url, 400]);
    }
    const own = await post("channel/save/", {
      name: "of-our-own",
      upstream: openaiUpstream("http://10.0.0.7:8000/v1"),
    });
    expect(own.status).toBe(200);
  });

  test("is tested with one small call, which reports its duration and the token counts", async () => {
    const { channel_id } = await make("tested-channel");
    answerNext = () => completion("some-model");
    const { body } = await post("channel/test/", { channel_id, model: "some-model" });
    expect(body["test"]).toMatchObject({
      is_ok: true,
      http_status: 200,
      error: null,
      answered_model: "some-model-2031",
      text: "OK",
      input_tokens: 7,
    });
    expect(seen.at(-1)).toMatchObject({
      path: "/v1/chat/completions",
      authorization: `Bearer ${canary}`,
      body: { model: "some-model" },
    });
    expect(await audits("channel.test", String(channel_id))).toHaveLength(1);
    expect(await rig.checkMoney()).toEqual([]);
  });

  test("of several credentials is tested, and asked for its models, with one that its provider accepts, or the one chosen", async () => {
    const { channel_id } = await make("several-credentials");
    const added: number[] = [];
    for (const label of ["second", "third"]) {
      const { body } = await post("channel/credential/save/", { channel_id, label, credential: `${label}-secret` });
      added.push((body["credential"] as { credential_id: number }).credential_id);
    }
    await rig.db.sql`
      update channel_credential set refused_at = now(), refused_reason = 'account_empty'
      where channel_id = ${channel_id} and secret_sealed is null`;
    await rig.db.sql`update channel_credential set status = 'disabled' where id = ${added[0] ?? 0}`;
    answerNext = () => completion("m");
    const { body } = await post("channel/test/", { channel_id, model: "m" });
    expect(body["test"]).toMatchObject({ is_ok: true, credential: "third" });
    expect(seen.at(-1)?.authorization).toBe("Bearer third-secret");
    const chosen = await post("channel/test/", { channel_id, model: "m", credential_id: added[0] });
    expect(chosen.body["test"]).toMatchObject({ credential: "second" });
    expect(seen.at(-1)?.authorization).toBe("Bearer second-secret");
    const listedWith: (string | null)[] = [];
    answerNext = (request) => {
      listedWith.push(request.headers.get("authorization"));
      return Response.json({ object: "list", data: [{ id: "m", object: "model" }] });
    };
    expect((await post("channel/models/", { channel_id })).status).toBe(200);
    expect(listedWith).toEqual(["Bearer third-secret"]);
    const unknown = await post("channel/test/", { channel_id, model: "m", credential_id: 999_999 });
    expect(unknown).toMatchObject({ status: 400, body: { error: { fields: { credential_id: expect.any(String) } } } });
    // None of them goes to a host that does not have it.
    const elsewhere = { channel_id, upstream: openaiUpstream("http://127.0.0.1:9/v1"), model: "m" };
    expect((await post("channel/test/", { ...elsewhere, credential_id: added[0] })).status).toBe(400);
  });

  test.each([
    [
      "refuses the key and quotes it",
      () => Response.json({ error: { message: `bad key ${canary}` } }, { status: 401 }),
      401,
      "bad key",
    ],
    [
      "responds with a page",
      () => new Response("<p>no</p>", { headers: { "content-type": "text/html" } }),
      200,
      "no JSON",
    ],
    ["responds with something else", () => Response.json({ hello: 1 }), 200, "no result"],
    ["redirects us", () => Response.redirect("http://127.0.0.1:9/", 302), 302, "302"],
  ])("that %s is reported as such, without its key", async (_, answer, status, error) => {
    const { channel_id } = await make(`odd-channel-${status}-${error}`);
    answerNext = answer;
    const { body } = await post("channel/test/", { channel_id, model: "m" });
    expect(body["test"]).toMatchObject({ is_ok: false, http_status: status, error: expect.stringContaining(error) });
    expect(JSON.stringify(body)).not.toContain("canary");
  });

  test("whose address nothing listens on is reported as such", async () => {
    const made = await post("channel/save/", {
      name: "silent-channel",
      upstream: openaiUpstream("http://127.0.0.1:9/v1"),
    });
    const { channel_id } = made.body["channel"] as { channel_id: number };
    const { body } = await post("channel/test/", { channel_id, model: "m" });
    expect(body["test"]).toMatchObject({
      is_ok: false,
      http_status: null,
      error: expect.stringContaining("unreachable"),
    });
  });
});

describe("the route of a name", () => {
  test("names the channels that it can reach, with their share, and why the others are excluded", async () => {
    await rig.addModel("asked-model");
    const channels: number[] = [];
    for (const [name, weight, priority] of [
      ["a", 3, 0],
      ["b", 1, 0],
      ["c", 1, 1],
      ["d", 9, 0],
    ] as const) {
      const made = await post("channel/save/", {
        name: `way-${name}`,
        upstream: openaiUpstream("http://127.0.0.1:9/v1"),
        status: "enabled",
      });
      const { channel_id } = made.body["channel"] as { channel_id: number };
      channels.push(channel_id);
      await post("ability/save/", { group_name: "default", model: "asked-model", channel_id, weight, priority });
    }
    await post("channel/disable/", { channel_ids: [channels[3]] });
    const { body } = await get("model/explain/?name=asked-model");
    expect(body["explanation"]).toMatchObject({
      outcome: "reachable",
      upstream_model: "asked-model",
      reachable_groups: ["default"],
      candidates: [
        { channel_name: "way-a", place: "first", share_percent: 75 },
        { channel_name: "way-b", place: "first", share_percent: 25 },
        { channel_name: "way-d", place: "never", share_percent: null, reasons: ["channel_disabled"] },
        { channel_name: "way-c", place: "fallback", share_percent: 100 },
      ],
    });
    expect((await get("model/explain/?name=asked-model&group_name=other")).body["explanation"]).toMatchObject({
      outcome: "no_channel",
      reachable_groups: ["default"],
    });
  });

  test.each([
    ["name=no-such-model", "model_unknown"],
    ["name=no-such-name&route=messages", "name_not_mapped"],
  ])("%s is %s", async (query, outcome) => {
    expect((await get(`model/explain/?${query}`)).body["explanation"]).toMatchObject({ outcome, candidates: [] });
  });

  test("of the model map is followed to its model", async () => {
    await rig.db.sql`
      insert into messages_model (name, display_name, upstream_model, flags, released_at)
      values ('mapped-name', 'Mapped', 'gpt-4o-mini', '{}', now())`;
    expect((await get("model/explain/?name=mapped-name&route=messages")).body["explanation"]).toMatchObject({
      outcome: "reachable",
      upstream_model: "gpt-4o-mini",
      candidates: [{ channel_name: "first", place: "first" }],
    });
    await rig.db.sql`update messages_model set is_enabled = false where name = 'mapped-name'`;
    expect((await get("model/explain/?name=mapped-name&route=messages")).body["explanation"]).toMatchObject({
      outcome: "mapping_disabled",
    });
  });
});
