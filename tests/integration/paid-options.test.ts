import { afterAll, afterEach, beforeAll, describe, expect, test } from "bun:test";
import type { NewPrice } from "@sluice/control-plane/models/model-store.ts";
import OpenAI from "openai";
import { refusal } from "../support/calls/openai-calls.ts";
import { type RelayScene, startRelayScene } from "../support/calls/relay-scene.ts";
import { arrangements, type TestUser } from "../support/service/sluice.ts";
import { waitForSettledRows } from "../support/usage/settled-rows.ts";

/** Prices in USD: of a million tokens, of a picture. 500,000 quota are 1 USD. */
const priced: Record<string, Partial<NewPrice>> = {
  "dall-e-3": { image_usd: "0.04" },
  "gpt-image-1": { input_usd_per_m: "5", output_usd_per_m: "40" },
};

describe.each(arrangements)("options that cost extra, %s", (arrangement) => {
  let scene: RelayScene;
  let user: TestUser;
  let client: OpenAI;

  beforeAll(async () => {
    scene = await startRelayScene(arrangement, {
      prepare: async (rig) => {
        for (const [name, price] of Object.entries(priced)) {
          await rig.addTokenPriceModel(name, { input_usd_per_m: "0", output_usd_per_m: "0", ...price });
        }
      },
    });
  });

  afterEach(async () => {
    scene.provider.reset();
    expect(await scene.rig.checkMoney()).toEqual([]);
  });

  afterAll(() => scene.close());

  /** A separate user for one test, so that its rows are easy to identify. */
  const begin = async (quota?: bigint) => {
    user = await scene.rig.addUser(quota);
    client = new OpenAI({ baseURL: `${scene.sluice.url}/v1`, apiKey: user.apiKey, maxRetries: 0 });
  };

  const rows = async (count = 1) => {
    const settled = await waitForSettledRows(scene.rig.db, user.gatewayUserId, count);
    expect(settled).toHaveLength(count);
    return settled;
  };

  test("the images of a form cost what the provider reads in it", async () => {
    await begin();
    const part = (name: string, value: string) =>
      `--B\r\nContent-Disposition: form-data; name="${name}"\r\n\r\n${value}\r\n`;
    const image = '--B\r\nContent-Disposition: form-data; name="image"; filename="a.png"\r\n\r\nPNG\r\n';
    const edit = (prompt: string, rest: string) =>
      fetch(`${scene.sluice.url}/v1/images/edits`, {
        method: "POST",
        headers: { authorization: `Bearer ${user.apiKey}`, "content-type": "multipart/form-data; boundary=B" },
        body: `${part("model", "dall-e-3")}${image}${part("prompt", prompt)}${rest}--B--\r\n`,
      });
    const hidden = [
      await edit("cat --B-- x", part("n", "8")),
      await edit("cat --B-- x", part("n", "8") + part("model", "gpt-image-1")),
    ];
    expect(hidden.map(({ status }) => status)).toEqual([400, 400]);
    expect(scene.provider.requests).toEqual([]);
    scene.provider.script({ body: { created: 1, data: [{ b64_json: "AAAA" }, { b64_json: "AAAA" }] } });
    expect((await edit("cat", part("n", "2"))).status).toBe(200);
    const [request] = scene.provider.requests;
    const headers = { "content-type": request?.header("content-type") ?? "" };
    const form = await new Response(request?.body as Uint8Array<ArrayBuffer>, { headers }).formData();
    expect([form.getAll("n"), form.getAll("model")]).toEqual([["2"], ["dall-e-3"]]);
    expect((await rows())[0]).toMatchObject({ images: 2, quota: 40_000n });
  });

  test("flat-price images are not made more expensive, while those that cost tokens are", async () => {
    await begin();
    const dear = { prompt: "a cat", quality: "hd" } as const;
    expect(await refusal(client.images.generate({ ...dear, model: "dall-e-3" }))).toMatchObject({
      status: 400,
      code: "unpriced_option",
      param: "quality",
    });
    await client.images.generate({ ...dear, model: "gpt-image-1" });
    await rows(2);
  });

  test("an option without a price is refused by its name, and no call is charged", async () => {
    await begin();
    const chat = { model: "gpt-4o-mini", messages: [{ role: "user" as const, content: "x" }] };
    const response = { model: "gpt-4o-mini", input: "x" };
    const refused = [
      await refusal(client.chat.completions.create({ ...chat, service_tier: "priority" })),
      await refusal(client.chat.completions.create({ ...chat, web_search_options: {} })),
      await refusal(client.chat.completions.create({ ...chat, ...{ provider: { order: ["dear"] } } })),
      await refusal(client.chat.completions.create({ ...chat, ...{ Model: "dear" } })),
      await refusal(client.responses.create({ ...response, previous_response_id: "resp_1" })),
      await refusal(client.responses.create({ ...response, tools: [{ type: "image_generation" }] })),
    ];
    expect(refused.map(({ status, code, param }) => [status, code, param])).toEqual([
      [400, "unpriced_option", "service_tier"],
      [400, "unpriced_option", "web_search_options"],
      [400, "unknown_field", "provider"],
      [400, "unknown_field", "Model"],
      [400, "provider_object", "previous_response_id"],
      [400, "unpriced_option", "tools[0].type"],
    ]);
    expect(scene.provider.requests).toEqual([]);
  });

  test("a search that Codex offers to every model is removed, and the response says so", async () => {
    await begin();
    const fn = { type: "function" as const, name: "f", parameters: {}, strict: false };
    const request = { model: "gpt-4o-mini", input: "x", tools: [fn, { type: "web_search" as const }] };
    for (const stream of [false, true]) {
      const answer = await client.responses.create({ ...request, stream }).asResponse();
      await answer.text();
      expect(answer.headers.get("x-sluice-dropped")).toBe("web_search");
    }
    for (const { body } of scene.provider.requests) {
      expect(JSON.parse(body.toString())).toMatchObject({ tools: [fn] });
    }
    await rows(2);
  });
});
