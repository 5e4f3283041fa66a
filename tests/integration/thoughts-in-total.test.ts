/** A provider that counts thoughts only in the total of its usage: its converted clients read the output that is charged. */
import { afterAll, beforeAll, expect, test } from "bun:test";
import { type SurfaceName, serveThrough, surfaces } from "../support/calls/call-routes.ts";
import { type RelayScene, startRelayScene } from "../support/calls/relay-scene.ts";
import { waitForSettledRows } from "../support/usage/settled-rows.ts";

let scene: RelayScene;

beforeAll(async () => {
  scene = await startRelayScene("one-process", {
    prepare: async (rig, { url }) => {
      await rig.addTokenPriceModel("thinks", { input_usd_per_m: "1", output_usd_per_m: "10" });
      await serveThrough(rig, "thinks", "chat", url);
      await rig.db.sql`
        update channel set upstream = jsonb_set(upstream, '{flags,thoughts_in_total}', 'true')
        where name = 'channel-thinks'`;
    },
  });
});
afterAll(() => scene.close());

type Usage = { readonly output_tokens: number; readonly output_tokens_details?: Record<string, number> };

/** The last usage in a response, or in the events of a stream. */
function usageIn(text: string): Usage {
  const payloads = text.startsWith("{") ? [text] : [...text.matchAll(/^data: (\{.*)$/gm)].map(([, json]) => json ?? "");
  const usages = payloads.flatMap((json) => {
    const { usage, response } = JSON.parse(json) as { usage?: Usage; response?: { usage?: Usage } };
    return usage ?? response?.usage ?? [];
  });
  return usages.at(-1) ?? { output_tokens: -1 };
}

test.each<[SurfaceName, boolean]>([
  ["messages", false],
  ["messages", true],
  ["responses", false],
  ["responses", true],
])("%s, stream %p", async (surface, stream) => {
  scene.provider.reset();
  scene.provider.script({ usageShape: "google", tokens: { prompt: 1_000, completion: 800, reasoning: 700 } });
  const user = await scene.rig.addUser();
  const answer = await fetch(`${scene.sluice.url}${surfaces[surface].path}`, {
    method: "POST",
    headers: { authorization: `Bearer ${user.apiKey}`, "content-type": "application/json" },
    body: JSON.stringify({ model: "thinks", stream, ...surfaces[surface].fields }),
  });
  const usage = usageIn(await answer.text());
  const [row] = await waitForSettledRows(scene.rig.db, user.gatewayUserId, 1);
  expect(row).toMatchObject({ outputTokens: 800n, reasoningTokens: 700n, quota: (1_000n + 800n * 10n) / 2n });
  expect(usage.output_tokens).toBe(800);
  expect(Object.values(usage.output_tokens_details ?? {})).toEqual([700]);
});
