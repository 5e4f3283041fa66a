/** The official client of the Cohere API against the whole program. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { openaiUpstream, type UpstreamSettings } from "@sluice/contracts/upstreams";
import { CohereClientV2, CohereError } from "cohere-ai";
import { type RelayScene, startRelayScene } from "../support/calls/relay-scene.ts";
import { waitForSettledRows } from "../support/usage/settled-rows.ts";

describe("the Cohere client", () => {
  let scene: RelayScene;
  let client: CohereClientV2;

  beforeAll(async () => {
    scene = await startRelayScene("one-process", {
      prepare: async (rig, provider) => {
        await rig.addTokenPriceModel("rerank-v4.0", {
          ...{ input_usd_per_m: "0", output_usd_per_m: "0", search_usd_per_k: "2.5" },
        });
        await rig.addChannel("cohere", provider.url, ["rerank-v4.0"]);
        const upstream: UpstreamSettings = {
          ...openaiUpstream(provider.url),
          dialects: { cohere: { base_url: provider.url, auth: "bearer" } },
        };
        await rig.db.sql`
          update channel set upstream = ${JSON.stringify(upstream)}::text::jsonb where name = 'cohere'`;
      },
    });
    client = new CohereClientV2({ token: scene.user.apiKey, environment: scene.sluice.url, maxRetries: 0 });
  });
  afterAll(() => scene.close());

  const request = { model: "rerank-v4.0", query: "the moon", documents: ["a cat", "the moon", "a dog"] };

  test("gets ranks and what they were billed", async () => {
    const ranked = await client.rerank({ ...request, topN: 2, maxTokensPerDoc: 512 });
    expect(ranked.results.map(({ index }) => index)).toEqual([1, 0]);
    expect(ranked.meta?.billedUnits?.searchUnits).toBe(1);
    expect(scene.provider.requests[0]?.json).toEqual({ ...request, top_n: 2, max_tokens_per_doc: 512 });
    const [row] = await waitForSettledRows(scene.rig.db, scene.user.gatewayUserId, 1);
    expect(row).toMatchObject({ searches: 1, quota: 1_250n });
  });

  test("reads what was wrong from an error", async () => {
    const refused = await client.rerank({ ...request, documents: [] }).catch((error: unknown) => error);
    expect(refused).toBeInstanceOf(CohereError);
    const { statusCode, body } = refused as CohereError;
    expect([statusCode, body]).toEqual([
      400,
      { id: expect.any(String), message: expect.stringContaining("documents"), code: "invalid_value" },
    ]);
    const unknown = await client.rerank({ ...request, model: "none" }).catch((error: unknown) => error);
    expect((unknown as CohereError).statusCode).toBe(404);
  });
});
