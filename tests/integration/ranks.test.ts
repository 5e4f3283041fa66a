/** Ranks of documents: in the form of Cohere on channels that speak it, and in the form that others share. */
import { afterAll, afterEach, beforeAll, describe, expect, test } from "bun:test";
import { openaiUpstream, type UpstreamSettings } from "@sluice/contracts/upstreams";
import { type RelayScene, startRelayScene } from "../support/calls/relay-scene.ts";
import { arrangements, type TestUser } from "../support/service/sluice.ts";
import { recomputedCost, type SettledRow, waitForSettledRows } from "../support/usage/settled-rows.ts";

const free = { input_usd_per_m: "0", output_usd_per_m: "0" };

describe.each(arrangements)("ranks, %s", (arrangement) => {
  let scene: RelayScene;
  let user: TestUser;

  beforeAll(async () => {
    scene = await startRelayScene(arrangement, {
      prepare: async (rig, provider) => {
        await rig.addTokenPriceModel("rank-by-search", { ...free, search_usd_per_k: "2" });
        await rig.addTokenPriceModel("rank-by-token", { ...free, input_usd_per_m: "0.05" });
        await rig.addChannel("cohere", provider.url, ["rank-by-search", "rank-by-token"]);
        const upstream: UpstreamSettings = {
          ...openaiUpstream(provider.url),
          dialects: { cohere: { base_url: provider.url, auth: "bearer" } },
        };
        await rig.db.sql`
          update channel set upstream = ${JSON.stringify(upstream)}::text::jsonb where name = 'cohere'`;
        await rig.db.sql`update ability set upstream_model = 'rerank-v9' where model = 'rank-by-search'`;
      },
    });
  });
  afterEach(async () => {
    scene.provider.reset();
    expect(await scene.rig.checkMoney()).toEqual([]);
  });
  afterAll(() => scene.close());

  const ask = async (path: string, body: unknown, quota?: bigint): Promise<Response> => {
    user = await scene.rig.addUser(quota);
    return await fetch(`${scene.sluice.url}${path}`, {
      method: "POST",
      headers: { authorization: `Bearer ${user.apiKey}`, "content-type": "application/json" },
      body: typeof body === "string" ? body : JSON.stringify(body),
    });
  };
  const row = async (): Promise<SettledRow | undefined> => {
    const [settled] = await waitForSettledRows(scene.rig.db, user.gatewayUserId, 1);
    expect(settled?.quota).toBe(settled === undefined ? undefined : recomputedCost(settled));
    return settled;
  };
  const documents = ["a cat", "a dog", "the moon"];

  test("of the Cohere API keep the client's bytes and cost the search units that the provider bills", async () => {
    const sent =
      '{"model":"rank-by-search",  "query":"dog\\u0021","documents":["a cat","a dog"],"top_n":1, "priority":0}';
    const answer = await ask("/v2/rerank", sent);
    const body = await answer.text();
    expect(answer.status).toBe(200);
    expect(JSON.parse(body)).toMatchObject({ results: [{ index: 1 }], meta: { billed_units: { search_units: 1 } } });
    const [seen] = scene.provider.requests;
    expect(seen?.target).toBe("/v2/rerank");
    expect(seen?.body.toString()).toBe(sent.replace("rank-by-search", "rerank-v9"));
    // 2 USD per 1,000 searches, and 500,000 quota are 1 USD.
    expect(await row()).toMatchObject({ searches: 1, quota: 1_000n, usageSource: "provider" });
  });

  test("set aside more search units than a long request is billed", async () => {
    const long = Array.from({ length: 250 }, () => "word ".repeat(400));
    const body = { model: "rank-by-search", query: "word", documents: long };
    expect((await ask("/v2/rerank", body, 12_000n)).status).toBe(429);
    expect((await ask("/v2/rerank", body, 14_000n)).status).toBe(200);
    const billed = (await row())?.searches ?? 0;
    expect(billed).toBeGreaterThan(2);
    expect(billed).toBeLessThanOrEqual(13);
  });

  test("are never free because the provider counted what has no price", async () => {
    scene.provider.script({ omitUsage: true });
    await (await ask("/v2/rerank", { model: "rank-by-search", query: "dog", documents })).text();
    expect(await row()).toMatchObject({ searches: 1, quota: 1_000n, usageSource: "estimated" });
    const tokens = await ask("/v2/rerank", { model: "rank-by-token", query: "dog", documents });
    await tokens.text();
    const byToken = await row();
    expect(byToken?.usageSource).toBe("estimated");
    expect(byToken?.inputTokens ?? 0n).toBeGreaterThan(0n);
  });

  test("of the shared form are priced by each way to report their usage", async () => {
    const results = [{ index: 0, relevance_score: 1 }];
    const reports = [
      [{ usage: { total_tokens: 1_000 } }, 1_000n, 0],
      [{ tokens: { input_tokens: 900, output_tokens: 0 } }, 900n, 0],
      [{ meta: { billed_units: { input_tokens: 800 }, tokens: { input_tokens: 850 } } }, 800n, 0],
      [{ meta: { tokens: { input_tokens: 700 }, billed_units: { search_units: 2 } } }, 700n, 2],
    ] as const;
    for (const [report, inputTokens, searches] of reports) {
      scene.provider.script({ body: { results, ...report } });
      const answer = await ask("/v1/rerank", { model: "rank-by-token", query: "dog", documents });
      expect(answer.status).toBe(200);
      await answer.text();
      expect(await row()).toMatchObject({ inputTokens, searches, usageSource: "provider" });
    }
  });

  test("need a query and at most 10,000 texts; errors have the form of the API", async () => {
    const model = "rank-by-search";
    const refusals = [
      [{ model, documents }, "missing_field"],
      [{ model, query: ["a"], documents }, "invalid_type"],
      [{ model, query: "a" }, "missing_field"],
      [{ model, query: "a", documents: "a" }, "invalid_type"],
      [{ model, query: "a", documents: [] }, "invalid_value"],
      [{ model, query: "a", documents: Array(10_001).fill("a") }, "invalid_value"],
      [{ model, query: "a", documents: [{ text: "a" }] }, "invalid_type"],
      [{ model, query: "a", documents, provider: "x" }, "unknown_field"],
      [{ model, query: "a", documents, priority: 5 }, "unpriced_option"],
      [{ model: "none", query: "a", documents }, "model_not_found"],
    ] as const;
    for (const [body, code] of refusals) {
      const answer = await ask("/v2/rerank", body);
      const id = answer.headers.get("x-request-id") ?? "";
      expect([answer.status, await answer.json()]).toEqual([
        code === "model_not_found" ? 404 : 400,
        { id, message: expect.any(String), code },
      ]);
    }
    for (const image of [{ url: "https://x.example" }, "https://x.example/a.png"]) {
      const pictured = { model: "rank-by-token", query: "a", documents: [{ text: "a", image }] };
      const answer = await ask("/v1/rerank", pictured);
      expect(((await answer.json()) as { error: { code: string } }).error.code).toBe("unpriced_option");
    }
    expect((await ask("/v2/chat", { model })).status).toBe(404);
    expect(scene.provider.requests).toEqual([]);
  });

  test("of the Cohere API are not sent to channels that do not speak it", async () => {
    const answer = await ask("/v2/rerank", { model: "gpt-4o-mini", query: "a", documents });
    expect(answer.status).toBe(400);
    expect(scene.provider.requests).toEqual([]);
  });
});
