/** Clients of the Gemini API, on a channel that speaks it: byte for byte, priced by its usage. */
import { afterAll, afterEach, beforeAll, describe, expect, test } from "bun:test";
import { openaiUpstream, type UpstreamSettings } from "@sluice/contracts/upstreams";
import { addModelWithChannel, waitUntil } from "../support/calls/relay-scene.ts";
import { MessagesRig } from "../support/messages/messages-rig.ts";
import { arrangements } from "../support/service/sluice.ts";

type Seen = { readonly target: string; readonly headers: Headers; readonly body: string };

const usageMetadata = {
  promptTokenCount: 1_000,
  cachedContentTokenCount: 400,
  candidatesTokenCount: 20,
  thoughtsTokenCount: 30,
  totalTokenCount: 1_050,
};
const whole = { candidates: [{ content: { parts: [{ text: "Hello" }] }, finishReason: "STOP" }], usageMetadata };
const pieces = [
  'data: {"candidates":[{"content":{"parts":[{"text":"Hé"}]}}],"usageMetadata":{"promptTokenCount":1000}}\r\n\r\n',
  `data: ${JSON.stringify(whole)}\r\n\r\n`,
];

describe.each(arrangements)("a client of the Gemini API, %s", (arrangement) => {
  let rig: MessagesRig;
  let google: Bun.Server<undefined>;
  let reply: (request: Request) => Response | Promise<Response>;
  const seen: Seen[] = [];
  const usual = (request: Request): Response =>
    request.url.includes("stream")
      ? new Response(pieces.join(""), { headers: { "content-type": "text/event-stream" } })
      : Response.json(whole);

  beforeAll(async () => {
    google = Bun.serve({
      hostname: "127.0.0.1",
      port: 0,
      fetch: async (request) => {
        const { pathname, search } = new URL(request.url);
        seen.push({ target: `${pathname}${search}`, headers: request.headers, body: await request.text() });
        return await reply(request);
      },
    });
    reply = usual;
    rig = await MessagesRig.start(arrangement);
    await addModelWithChannel(rig.rig, "gem", google.url.origin, "google-key");
    const upstream: UpstreamSettings = {
      ...openaiUpstream(google.url.origin),
      dialects: { gemini: { base_url: google.url.origin, auth: "x_goog_api_key" } },
    };
    await rig.rig.db.withTransaction(async (tx) => {
      await tx.sql`update channel set upstream = ${JSON.stringify(upstream)}::text::jsonb where name = 'channel-gem'`;
      await tx.sql`update ability set upstream_model = 'gemini-3/pro' where model = 'gem'`;
    });
    await waitUntil(async () => (await list()).includes("models/gem"));
  });
  afterEach(() => {
    seen.length = 0;
    reply = usual;
  });
  afterAll(async () => {
    await rig.close();
    await google.stop(true);
  });

  const list = async (): Promise<string[]> => {
    const answer = await ask("/v1beta/models", { method: "GET" });
    const { models } = (await answer.json()) as { models: { name: string }[] };
    return models.map(({ name }) => name);
  };
  const ask = (path: string, init: RequestInit = {}): Promise<Response> =>
    fetch(`${rig.sluice.url}${path}`, {
      method: "POST",
      headers: { "x-goog-api-key": rig.user.apiKey, "content-type": "application/json" },
      ...init,
    });
  const body =
    '{"contents":[{"role":"user","parts":[{"text":"Hi \\u00e9"}]}],  "generationConfig":{"temperature":1.0}}';
  /** 600 tokens of plain input, 400 from the cache, which has no price of its own, and 50 of output. */
  const costInQuota = BigInt(Math.ceil(((1_000 * 0.15 + 50 * 0.6) / 1e6) * 500_000));

  test("gets the response as the provider sent it, and pays by the provider's count", async () => {
    const answer = await ask("/v1beta/models/gem:generateContent", { body });
    expect([answer.status, await answer.text()]).toEqual([200, JSON.stringify(whole)]);
    const [sent] = seen;
    expect(sent?.target).toBe("/v1beta/models/gemini-3%2Fpro:generateContent");
    expect(sent?.body).toBe(body);
    expect([sent?.headers.get("x-goog-api-key"), sent?.headers.get("authorization")]).toEqual(["google-key", null]);
    const usage = await rig.usageOf(answer);
    expect(usage).toMatchObject({ outcome: "completed", model: "gem", input_tokens: 1_000n, output_tokens: 50n });
    expect([usage.cache_read_tokens, usage.quota]).toEqual([400n, costInQuota]);
    expect(await rig.rig.checkMoney()).toEqual([]);
  });

  test("gets a stream as the provider sent it; the key in a query goes no further", async () => {
    const asked = `/v1beta/models/gem:streamGenerateContent?alt=sse&key=${rig.user.apiKey}`;
    const answer = await ask(asked, { body, headers: { "content-type": "application/json" } });
    expect([answer.status, await answer.text()]).toEqual([200, pieces.join("")]);
    expect(seen[0]?.target).toBe("/v1beta/models/gemini-3%2Fpro:streamGenerateContent?alt=sse");
    expect((await rig.usageOf(answer)).quota).toBe(costInQuota);
  });

  test("is served under either version of the API, and errors there have its form too", async () => {
    const answer = await ask("/v1/models/gem:generateContent", { body });
    expect([answer.status, await answer.text(), seen[0]?.target]).toEqual([
      200,
      JSON.stringify(whole),
      "/v1beta/models/gemini-3%2Fpro:generateContent",
    ]);
    expect((await rig.usageOf(answer)).quota).toBe(costInQuota);
    const unknown = await ask("/v1/models/nothing:generateContent", { body });
    expect([unknown.status, ((await unknown.json()) as { error: { status: string } }).error.status]).toEqual([
      404,
      "NOT_FOUND",
    ]);
  });

  test("is told that its API does not reach a model, and pays nothing", async () => {
    const answer = await ask("/v1beta/models/gpt-4o-mini:generateContent", { body });
    const { error } = (await answer.json()) as { error: { status: string; message: string } };
    expect([answer.status, error.status]).toEqual([400, "INVALID_ARGUMENT"]);
    expect(error.message).toContain("can't be called through this API");
    expect((await rig.usageOf(answer)).quota).toBe(0n);
    expect(seen).toEqual([]);
  });

  test("may send a large body with its key in the query", async () => {
    const large = JSON.stringify({ contents: [{ parts: [{ text: "word ".repeat(30_000) }] }] });
    const asked = `/v1beta/models/gem:generateContent?key=${rig.user.apiKey}`;
    const answer = await ask(asked, { body: large, headers: { "content-type": "application/json" } });
    expect([answer.status, seen[0]?.body.length]).toEqual([200, large.length]);
  });

  test("sees errors in the form of that API, with the id of the call", async () => {
    const refused = await ask("/v1beta/models/gem:generateContent", {
      body: '{"contents":[],"tools":[{"googleSearch":{}}]}',
    });
    expect(refused.status).toBe(400);
    const { error } = (await refused.json()) as { error: { status: string; details: { requestId?: string }[] } };
    expect([error.status, error.details.at(-1)?.requestId]).toEqual([
      "INVALID_ARGUMENT",
      refused.headers.get("x-request-id") ?? "",
    ]);
    const unknown = await ask("/v1beta/models/nothing:generateContent", { body });
    expect([unknown.status, ((await unknown.json()) as { error: { status: string } }).error.status]).toEqual([
      404,
      "NOT_FOUND",
    ]);
    const keyless = await ask("/v1beta/models/gem:generateContent", {
      body,
      headers: { "content-type": "application/json" },
    });
    expect(keyless.status).toBe(401);
    expect(seen).toEqual([]);
  });

  test("gets an error event and a broken connection for a stream that was cut", async () => {
    reply = () => new Response(pieces[0], { headers: { "content-type": "text/event-stream" } });
    const answer = await ask("/v1beta/models/gem:streamGenerateContent?alt=sse", { body });
    const got = await answer.text().catch(() => "broken");
    expect(got === "broken" || got.includes('"error"')).toBe(true);
    const usage = await rig.usageOf(answer);
    expect(usage).toMatchObject({ outcome: "failed", error_code: "stream_interrupted" });
    expect(await rig.rig.checkMoney()).toEqual([]);
  });

  test("owes nothing for a prompt that was blocked without output", async () => {
    reply = () => Response.json({ promptFeedback: { blockReason: "SAFETY" } });
    const answer = await ask("/v1beta/models/gem:generateContent", { body });
    expect(answer.status).toBe(200);
    expect((await rig.usageOf(answer)).quota).toBe(0n);
  });
});
