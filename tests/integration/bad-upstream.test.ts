import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import type { SandboxProvider } from "@sluice/sandbox-provider/sandbox";
import {
  expectCleanLogs,
  expectNothingCharged,
  expectRefusal,
  linesOf,
  type Wanted,
} from "../support/calls/refusals.ts";
import { addModelWithChannel, type RelayScene, startRelayScene, waitUntil } from "../support/calls/relay-scene.ts";
import { arrangements } from "../support/service/sluice.ts";
import { type Exchange, exchange } from "../support/wire/raw-exchange.ts";

type Behaviour = Parameters<SandboxProvider["script"]>[0];
type Fault = readonly [name: string, behaviour: Behaviour, wanted: Wanted];

/** A text in everything that a provider sends and no client may see. */
const canary = "internal-host.example";
const asked = { upstreamCalls: 1 } as const;
const failed: Wanted = { code: "upstream_error", ...asked };
/** A passing failure of the only channel: it is asked once more. */
const repeated: Wanted = { ...failed, upstreamCalls: 2, isRepeated: true };
const paused: Wanted = { ...failed, retryAfter: true };
const html = { "content-type": "text/html" };

const faults: readonly Fault[] = [
  ["29 our key is refused", { status: 401, body: { error: { message: canary } } }, paused],
  ["29 our account is empty", { status: 402, body: { error: { message: canary } } }, paused],
  ["29 our key may not do this", { status: 403, body: { error: { message: canary } } }, paused],
  ...[301, 302, 303, 307, 308].map(
    (status): Fault => [`30 a redirect with ${status}`, { status, redirectTo: "/v1/stolen" }, failed],
  ),
  ["31 a page with 200", { body: `<h1>${canary}</h1>`, headers: html }, failed],
  ["31 a page with 400", { status: 400, body: `<h1>${canary}</h1>`, headers: html }, failed],
  ["31 a page with 404", { status: 404, body: `<h1>${canary}</h1>`, headers: html }, failed],
  ["31 a page with 500", { status: 500, body: `<h1>${canary}</h1>`, headers: html }, repeated],
  ["31 an error of 10 MB with 500", { status: 500, hugeBodyBytes: 10_000_000 }, repeated],
  ["31 an error of 10 MB with 400", { status: 400, hugeBodyBytes: 10_000_000 }, failed],
  ["31 JSON of 10 MB with 400", { status: 400, body: { error: { message: canary.repeat(500_000) } } }, failed],
  [
    "31 an error in another shape",
    { status: 422, body: { detail: [{ msg: `see http://${canary}/` }] } },
    { code: "upstream_rejected", status: 422, ...asked },
  ],
  [
    "31 a page about the size of the request",
    { status: 413, body: canary, headers: html },
    { ...failed, code: "upstream_rejected", status: 413 },
  ],
  ["31 an answer without a type", { headers: { "content-type": null }, body: canary }, failed],
  [
    "a limit of rate",
    { status: 429, retryAfter: 7, body: canary },
    { code: "upstream_rate_limited", retryAfter: true, ...asked },
  ],
  ["a provider that is busy", { status: 503, body: canary }, { ...repeated, code: "no_upstream", retryAfter: true }],
  ["a provider that gave up", { status: 504, body: canary }, { code: "upstream_timeout", ...asked }],
  ["27 a loop that another gateway found", { status: 508, body: canary }, { code: "loop_detected", ...asked }],
];

const modelOf = (index: number): string => `fault-${index}`;

describe.each(arrangements)("a bad upstream, %s", (arrangement) => {
  let scene: RelayScene;

  beforeAll(async () => {
    scene = await startRelayScene(arrangement, {
      env: { LOG_LEVEL: "debug" },
      prepare: async (rig, provider) => {
        for (const index of faults.keys()) {
          await addModelWithChannel(rig, modelOf(index), `${provider.url}/v1`);
        }
        await addModelWithChannel(rig, "unreachable", "http://127.0.0.1:1/v1");
        await addModelWithChannel(rig, "off", `${provider.url}/v1`);
        await rig.db.sql`update channel set status = 'disabled' where name = 'channel-off'`;
        await addModelWithChannel(rig, "telling", `${provider.url}/v1`);
      },
    });
  });

  afterAll(() => scene.close());

  const call = (model: string): Promise<Exchange> =>
    exchange(`${scene.sluice.url}/v1/chat/completions`, {
      method: "POST",
      headers: { authorization: `Bearer ${scene.user.apiKey}`, "content-type": "application/json" },
      body: JSON.stringify({ model, messages: [{ role: "user", content: "hello" }] }),
    });

  test.each(faults.map((fault, index) => [...fault, index] as const))(
    "%s is the provider's failure, and none of it is shown",
    async (_, behaviour, wanted, index) => {
      const model = modelOf(index);
      scene.provider.script(behaviour, { match: { model }, times: wanted.upstreamCalls });
      const answer = await expectRefusal(scene, () => call(model), wanted);
      expect(answer.body).not.toContain(canary);
      expect(JSON.stringify([...answer.headers])).not.toContain("stolen");
    },
  );

  test.each([
    ["28 a disabled channel", "off", "no_upstream", false],
    ["a provider that does not exist", "unreachable", "upstream_unreachable", true],
  ] as const)("%s is reported as such", async (_, model, code, isRepeated) => {
    await expectRefusal(scene, () => call(model), { code, isRepeated });
  });

  test.each(["relay", "gateway"] as const)(
    "27 a loop through our own %s is detected, whatever key the channel has",
    async (place) => {
      const baseUrl = `${(place === "relay" ? scene.sluice : scene.gateway).url}/v1`;
      const models = [`loop-${place}-foreign`, `loop-${place}-own`];
      await addModelWithChannel(scene.rig, models[0] ?? "", baseUrl);
      await addModelWithChannel(scene.rig, models[1] ?? "", baseUrl, scene.user.apiKey);
      const list = () => fetch(`${baseUrl}/models`, { headers: { authorization: `Bearer ${scene.user.apiKey}` } });
      await waitUntil(async () => {
        const text = await (await list()).text();
        return models.every((model) => text.includes(model));
      });
      for (const model of models) {
        await expectRefusal(scene, () => call(model), { code: "loop_detected" });
      }
    },
  );

  test("a provider's message about a request loses the channel's credential and everything that looks like one", async () => {
    const message = "no: upstream-channel-telling, sk-abcdefghijklmnop, Bearer abcdefghijkl, key=abcdef&x=1";
    const error = { message, type: "invalid_request_error", param: "upstream-channel-telling", code: "bad" };
    scene.provider.script({ status: 400, body: { error } }, { match: { model: "telling" } });
    const answer = await call("telling");
    expect([answer.status, JSON.parse(answer.body)]).toEqual([
      400,
      {
        error: {
          message: "no: [redacted], sk-[redacted], Bearer [redacted], key=[redacted]&x=1",
          type: "invalid_request_error",
          param: "[redacted]",
          code: "bad",
        },
      },
    ]);
  });

  test("a channel whose key is refused is named in the log, with the request id", async () => {
    const index = faults.findIndex(([name]) => name === "29 our key is refused");
    const line = linesOf(scene.gateway).find(
      (text) => text.includes('"event":"channel.credential_refused"') && text.includes(`"channel-${modelOf(index)}"`),
    );
    expect(JSON.parse(line ?? "{}")).toMatchObject({ level: "error", requestId: expect.any(String) });
  });

  test("none of this was charged, logged with a secret, or broke anything", async () => {
    await expectNothingCharged(scene, scene.user);
    await expectCleanLogs(scene);
    expect(scene.gateway.log()).not.toContain(canary);
  });
});
