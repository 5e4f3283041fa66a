/** Streams of the Messages API that begin by themselves, because their provider is silent, and then sends no stream. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import type { Behaviour } from "@sluice/sandbox-provider/script/behaviour";
import { type RelayScene, startRelayScene } from "../support/calls/relay-scene.ts";
import { addNativeModel } from "../support/messages/native-models.ts";
import { arrangements } from "../support/service/sluice.ts";
import { waitForSettledRows } from "../support/usage/settled-rows.ts";

const usage = '"usage":{"input_tokens":5,"output_tokens":2}';
const texts = {
  message: `{"type":"message","content":[{"type":"text","text":"Hi there"}],${usage}}`,
  "no-json": `{"type":"message","content":[oops],${usage}}`,
  "no-message": `{"type":"message","content":[null],${usage}}`,
};
type Name = keyof typeof texts;
const names = Object.keys(texts) as Name[];

describe.each(arrangements)("a stream that has begun automatically, %s", (arrangement) => {
  let scene: RelayScene;
  const received = new Map<Name, string>();
  const users = new Map<Name, bigint>();

  const ask = async (name: Name): Promise<void> => {
    const { provider, rig, sluice } = scene;
    const user = await rig.addUser();
    users.set(name, user.gatewayUserId);
    const behaviour: Behaviour = {
      body: texts[name],
      headers: { "content-type": "application/json" },
      silence: { afterBytes: 0 },
    };
    provider.script(behaviour, { match: { bodyIncludes: `"${name}"` } });
    const messages = [{ role: "user", content: "Hello" }];
    const answer = await fetch(`${sluice.url}/v1/messages`, {
      method: "POST",
      headers: { "x-api-key": user.apiKey, "content-type": "application/json" },
      body: JSON.stringify({ model: name, max_tokens: 100, stream: true, messages }),
    });
    expect([answer.status, answer.headers.get("content-type")]).toEqual([200, "text/event-stream"]);
    provider.requests.find(({ body }) => body.includes(`"${name}"`))?.release();
    received.set(name, await answer.text().catch(() => "broken off"));
  };

  beforeAll(async () => {
    scene = await startRelayScene(arrangement, {
      prepare: async (rig, { url: providerUrl }) => {
        for (const name of names) {
          await addNativeModel(rig, { name, providerUrl });
        }
      },
    });
    // They wait for the same ten seconds.
    await Promise.all(names.map(ask));
  });
  afterAll(() => scene.close());

  const rowOf = async (name: Name) => (await waitForSettledRows(scene.rig.db, users.get(name) ?? 0n, 1))[0];

  test("continues with a message that comes whole, which is charged for", async () => {
    expect(received.get("message")).toStartWith("event: ping\n");
    expect(received.get("message")).toContain('"text":"Hi there"');
    expect(received.get("message")).toEndWith('event: message_stop\ndata: {"type":"message_stop"}\n\n');
    expect(await rowOf("message")).toMatchObject({ outcome: "completed", inputTokens: 5n, outputTokens: 2n });
    expect((await rowOf("message"))?.quota).toBeGreaterThan(0n);
  });

  test.each(["no-json", "no-message"] as const)("ends in an error event that costs nothing: %s", async (name) => {
    expect(received.get(name)).toContain("event: error\n");
    expect(received.get(name)).toContain('"type":"api_error"');
    expect(await rowOf(name)).toMatchObject({ outcome: "failed", quota: 0n, outputTokens: 0n });
    expect(await scene.rig.checkMoney()).toEqual([]);
  });
});
