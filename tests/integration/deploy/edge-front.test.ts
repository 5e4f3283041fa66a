import { afterAll, beforeAll, expect, test } from "bun:test";
import { type RelayScene, startRelayScene } from "../../support/calls/relay-scene.ts";
import { RunningEdge } from "../../support/service/edge.ts";
import { describeUnless, unlessInstalled } from "../../support/service/obstacles.ts";

const obstacle = unlessInstalled("nginx");

let scene: RelayScene;
let edge: RunningEdge;

beforeAll(async () => {
  if (obstacle === null) {
    scene = await startRelayScene("one-process", { env: { CHAT_FRONT: "on", CLIENT_IP_HEADER: "x-forwarded-for" } });
    edge = await RunningEdge.start(scene.sluice.url);
  }
});

afterAll(async () => {
  await edge?.[Symbol.asyncDispose]();
  await scene?.close();
});

async function served(): Promise<number> {
  const text = await (await fetch(`${scene.sluice.url}/metrics`, { headers: { connection: "close" } })).text();
  return Number(/^sluice_front_total\{outcome="served"\} (\d+)/m.exec(text)?.[1] ?? 0);
}

describeUnless(obstacle, "the edge before the front", () => {
  test("keeps calls on connections of their own, so that the front serves each one whatever else is requested", async () => {
    const before = await served();
    const paths = ["/v1/chat/completions", "/v1/messages", "/v1/messages?beta=true"];
    const body = { model: "gpt-4o-mini", max_tokens: 50, messages: [{ role: "user", content: "hello" }] };
    for (const path of [...paths, ...paths]) {
      for (const other of ["/", "/healthz", "/v1/models", "/v1/chat/completions"]) {
        await (await edge.fetch(other)).body?.cancel();
      }
      const answer = await edge.fetch(path, {
        method: "POST",
        headers: { authorization: `Bearer ${scene.user.apiKey}`, "content-type": "application/json" },
        body: JSON.stringify(body),
      });
      expect([answer.status, (await answer.text()).length > 0]).toEqual([200, true]);
    }
    expect((await served()) - before).toBe(2 * paths.length);
  });

  test("removes headers about the client's own connection, which would take the connection from the front", async () => {
    const before = await served();
    for (const [name, value] of [
      ["trailer", "x-checksum"],
      ["proxy-connection", "keep-alive"],
      ["http2-settings", "AAMAAABkAAQAoAAAAAIAAAAA"],
    ] as const) {
      const answer = await edge.fetch("/v1/chat/completions", {
        method: "POST",
        headers: {
          authorization: `Bearer ${scene.user.apiKey}`,
          "content-type": "application/json",
          [name]: value,
        },
        body: JSON.stringify({ model: "gpt-4o-mini", messages: [{ role: "user", content: "hello" }] }),
      });
      expect([name, answer.status, (await answer.text()).length > 0]).toEqual([name, 200, true]);
    }
    expect((await served()) - before).toBe(3);
  });
});
