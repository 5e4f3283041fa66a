/** Newer prices of providers: from a file, from an address, and beside those of the catalog. */
import { afterAll, beforeAll, beforeEach, expect, test } from "bun:test";
import { openaiUpstream } from "@sluice/contracts/upstreams";
import { loginAdmin } from "../../support/accounts/logins.ts";
import { type SluiceProcess, SluiceRig } from "../../support/service/sluice.ts";

type Fields = Record<string, unknown>;
type Answer = { readonly status: number; readonly body: Fields };

let rig: SluiceRig;
let sluice: SluiceProcess;
let cookie: string;
let host: Bun.Server<undefined>;
let answerNext: (request: Request) => Response;
let asked: { readonly url: string; readonly etag: string | null }[] = [];

const file = (input: number, extra: Fields = {}) =>
  JSON.stringify([
    {
      id: "openai",
      name: "OpenAI",
      api_pattern: "https://api\\.openai\\.com",
      models: [
        { id: "slow", match: { regex: "(a+)+$" }, prices: { input_mtok: 9, output_mtok: 9 } },
        {
          id: "gpt-4o-mini",
          match: { equals: "gpt-4o-mini" },
          context_window: 128_000,
          prices: [
            { prices: { input_mtok: 99, output_mtok: 99 } },
            {
              constraint: { start_date: "2026-01-01" },
              prices: {
                input_mtok: { base: input, tiers: [{ start: 100_000, price: 1 }] },
                output_mtok: 0.6,
                cache_read_mtok: 0.05,
              },
            },
          ],
          ...extra,
        },
      ],
    },
  ]);

beforeAll(async () => {
  host = Bun.serve({
    hostname: "127.0.0.1",
    port: 0,
    fetch: (request) => {
      asked.push({ url: request.url, etag: request.headers.get("if-none-match") });
      return answerNext(request);
    },
  });
  rig = await SluiceRig.create(`http://127.0.0.1:${host.port}`);
  const upstream = { ...openaiUpstream(`http://127.0.0.1:${host.port}/v1`), preset: "openai" };
  await rig.db.sql`update channel set upstream = ${JSON.stringify(upstream)}::text::jsonb`;
  sluice = await rig.start("one-process");
  cookie = (await loginAdmin(rig)).cookie;
});
beforeEach(() => {
  asked = [];
});
afterAll(async () => {
  await host.stop(true);
  await rig.close();
});

const call = async (path: string, fields: object | null): Promise<Answer> => {
  const answer = await fetch(`${sluice.url}/backend/admin/${path}`, {
    method: fields === null ? "GET" : "POST",
    headers: { "content-type": "application/json", origin: sluice.url, cookie },
    body: fields === null ? null : JSON.stringify(fields),
  });
  return { status: answer.status, body: (await answer.json()) as Fields };
};
const state = async () => (await call("price-data/", null)).body;
const upload = (content: string) => call("price-data/upload/", { file_name: "prices.json", content });
const difference = (from: Fields) => (from["comparisons"] as Fields[])[0];

test("a file replaces the known prices, is compared with the catalog, and changes no price", async () => {
  const before = await rig.db.sql`select * from model_price`;
  expect((await state())["stored"]).toBeNull();
  expect((await upload(file(0.2))).status).toBe(200);
  const now = await state();
  expect(now["stored"]).toMatchObject({ kind: "upload", name: "prices.json", providers: 1, models: 2 });
  expect(now["compared"]).toBe(1);
  expect(difference(now)).toMatchObject({
    model: "gpt-4o-mini",
    upstream_model: "gpt-4o-mini",
    differences: [
      { price: "input_usd_per_m", from: "0.15", to: "0.2" },
      { price: "cache_read_usd_per_m", to: "0.05" },
    ],
    long_prompt: { from: null, to: { above_tokens: 100_000, input_usd_per_m: "1", output_usd_per_m: "0.6" } },
  });
  expect(await rig.db.sql`select * from model_price`).toEqual(before);
  const [audited] = await rig.db.sql<{ action: string }>`select action from audit_log order by id desc limit 1`;
  expect(audited?.action).toBe("price_data.upload");
});

test("a row is accepted as a change of the model, once", async () => {
  const row = difference(await state()) as {
    model: string;
    updated_at: string;
    differences: { price: string; to: string }[];
    long_prompt: { to: Fields };
  };
  const fields = {
    name: row.model,
    ...Object.fromEntries(row.differences.map(({ price, to }) => [price, to])),
    long_prompt: row.long_prompt.to,
    updated_at: row.updated_at,
    reason: "list price",
  };
  expect((await call("model/save/", fields)).status).toBe(200);
  expect((await state())["comparisons"]).toEqual([]);
  expect((await call("model/save/", fields)).status).toBe(409);
});

test.each([
  ["{]", "not JSON"],
  ["{}", "does not have the expected form"],
  ["[]", "does not have the expected form"],
  [file(-1), "does not have the expected form"],
  [file(0.2, { prices: { "Bad Key": 1 } }), "does not have the expected form"],
  [
    file(0.2, { prices: [{ constraint: { start_time: "noon", end_time: "16:00:00Z" }, prices: {} }] }),
    "does not have the expected form",
  ],
  [`${"[".repeat(60)}${"]".repeat(60)}`, "nested too deep"],
])("a file that is none is refused, and says why: %#", async (content, words) => {
  const { status, body } = await upload(content);
  expect(status).toBe(400);
  const { fields } = body["error"] as { fields: Fields };
  expect(fields["content"]).toContain(words);
});

test("a file is fetched from the address that is set, by its version, and a failure keeps the stored prices", async () => {
  expect((await call("price-data/fetch/", {})).status).toBe(404);
  const url = `http://127.0.0.1:${host.port}/prices/data.json?v=2`;
  expect((await call("price-data/source/save/", { url })).status).toBe(200);
  answerNext = () => new Response(file(0.3), { headers: { etag: '"one"' } });
  expect((await call("price-data/fetch/", {})).body).toMatchObject({ is_ok: true });
  expect(asked.map((request) => request.url)).toEqual([url]);
  expect((await state())["stored"]).toMatchObject({ kind: "url", name: url });
  answerNext = () => new Response(null, { status: 304 });
  expect((await call("price-data/fetch/", {})).body).toMatchObject({ is_ok: true });
  expect(asked[1]?.etag).toBe('"one"');
  for (const bad of [() => new Response("busy", { status: 503 }), () => new Response("<html>")]) {
    answerNext = bad;
    expect((await call("price-data/fetch/", {})).body).toMatchObject({ is_ok: false });
  }
  const now = await state();
  expect(now["check"]).toMatchObject({ is_ok: false, result: expect.stringContaining("not JSON") });
  expect(difference(now)).toMatchObject({ differences: [{ price: "input_usd_per_m", from: "0.2", to: "0.3" }] });
});

test("the fragment of an address is not asked for", async () => {
  answerNext = () => new Response(file(0.3));
  const url = `http://127.0.0.1:${host.port}/data.json#part?of=it`;
  expect((await call("price-data/source/save/", { url })).status).toBe(200);
  expect((await call("price-data/fetch/", {})).body).toMatchObject({ is_ok: true });
  expect(asked.map((request) => request.url)).toEqual([`http://127.0.0.1:${host.port}/data.json`]);
});

test("an address has to be one, and the shipped prices can be taken again", async () => {
  for (const url of ["ftp://x.example/a", "https://user@x.example/a", "nothing"]) {
    expect((await call("price-data/source/save/", { url })).status).toBe(400);
  }
  expect((await call("price-data/source/save/", { url: null })).status).toBe(200);
  expect((await call("price-data/remove/", {})).status).toBe(200);
  expect(await state()).toMatchObject({ stored: null, url: null, check: null });
});
