import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { codeOf } from "../support/console-client.ts";
import { ExitNodeScene } from "../support/exit-node-scene.ts";
import { providerKey, type RunningAgent, relayKey } from "../support/node-agent.ts";

let scene: ExitNodeScene;
let agent: RunningAgent;

beforeAll(async () => {
  scene = await ExitNodeScene.open();
  agent = await scene.startAgent("node-a");
});

afterAll(async () => {
  await scene[Symbol.asyncDispose]();
});

describe("a node", () => {
  test("gets its slots, serves once it has shown that it holds the key, and is switched to its name by the rule", async () => {
    const made = await scene.save({
      node_code: "node-a",
      name: "Node A",
      region: "test",
      host: "node-a.example.org",
      ip: "127.0.0.1",
      relay_url: agent.url,
      relay_key: relayKey,
    });
    expect(made).toMatchObject({ version: 1, has_relay_key: true, is_proven: false, is_serving: false });
    expect(JSON.stringify(made)).not.toContain(relayKey);
    const detail = await scene.admin.get("/backend/admin/exit-node/detail/", { node_code: "node-a" });
    const slots = detail.body["accounts"] as { provider: string; auth_type: string; status: string }[];
    expect(slots.map(({ provider, auth_type, status }) => [provider, auth_type, status])).toEqual([
      ["github", "oauth_refresh_token", "standby"],
      ["google", "oauth_refresh_token", "standby"],
      ["openai", "api_key", "testing"],
      ["openai", "oauth_refresh_token", "standby"],
    ]);

    const user = await scene.addTraveller("route-a");
    expect((await scene.chat(user)).status).toBe(503);

    scene.dns.set("node-a.example.org", { a: ["127.0.0.9"] });
    const first = await scene.check("node-a");
    expect(first).toMatchObject({ relay_url: agent.url, is_proven: true, is_serving: true, switch_streak: 0 });
    expect(first.dns).toMatchObject({ resolved: ["127.0.0.9"], matched: false });

    const answer = await scene.chatOnceServed(user);
    expect(answer.headers.get("x-svc-exit-node")).toBe("node-a");
    expect(scene.provider.requests.at(-1)?.credential).toBe(providerKey);

    scene.dns.set("node-a.example.org", { a: ["127.0.0.1"] });
    expect((await scene.check("node-a")).relay_url).toBe(agent.url);
    expect((await scene.check("node-a")).switch_streak).toBe(2);
    const switched = await scene.check("node-a");
    expect(switched).toMatchObject({
      relay_url: `http://node-a.example.org:${agent.port}`,
      is_host_form: true,
      is_serving: true,
      version: 2,
    });
    const later = await scene.chatOnceServed(user);
    expect(later.headers.get("x-svc-exit-node")).toBe("node-a");
  });

  test("is not there for those who have no route, nor for another model than the route's", async () => {
    const stranger = await scene.rig.addUser();
    await scene.rig.db.sql`
      update gateway_user set group_name = 'node-test' where id = ${stranger.gatewayUserId}::bigint`;
    expect(
      codeOf({ status: 503, body: (await (await scene.chat(stranger)).json()) as Record<string, unknown> }),
    ).toEqual([503, "no_upstream"]);
  });
});
