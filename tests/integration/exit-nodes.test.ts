import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { seedModelMap } from "@sluice/control-plane/messages-compat/service.ts";
import { type Answer, codeOf } from "../support/accounts/console-client.ts";
import { ExitNodeScene } from "../support/exit-nodes/exit-node-scene.ts";
import { FakeNode } from "../support/exit-nodes/fake-node.ts";
import { nextRelayKey, providerKey, type RunningAgent, relayKey } from "../support/exit-nodes/node-agent.ts";
import { patienceMs } from "../support/values/patience.ts";

let scene: ExitNodeScene;
let agent: RunningAgent;

beforeAll(async () => {
  scene = await ExitNodeScene.open();
  agent = await scene.startAgent("node-a");
  await scene.rig.db.withTransaction((tx) => seedModelMap(tx, "gpt-4o-mini"));
});

afterAll(async () => {
  await scene[Symbol.asyncDispose]();
});

const post = (path: string, input: Readonly<Record<string, unknown>>): Promise<Answer> =>
  scene.admin.post(`/backend/admin/exit-node/${path}/`, input);

async function countAudits(action: string, subject: string): Promise<number> {
  const [row] = await scene.rig.db.sql<{ entries: bigint }>`
    select count(*) as entries from audit_log where action = ${action} and subject_id = ${subject}`;
  return Number(row?.entries ?? 0n);
}

/** Polls the node until it is in the expected state: replicas report every two seconds. */
async function waitForNode(
  nodeCode: string,
  isThere: (node: Awaited<ReturnType<ExitNodeScene["read"]>>) => boolean,
): Promise<void> {
  const deadline = performance.now() + patienceMs;
  for (let node = await scene.read(nodeCode); !isThere(node); node = await scene.read(nodeCode)) {
    if (performance.now() > deadline) {
      throw new Error(`it did not come about: ${JSON.stringify(node)}`);
    }
    await Bun.sleep(50);
  }
}

describe("a node", () => {
  test("gets its slots, and serves once it has proved that it holds the key", async () => {
    const place = { host: "node-a.example.org", ip: "127.0.0.1", relay_url: agent.url };
    const made = await scene.save({ node_code: "node-a", name: "Node A", relay_key: relayKey, ...place });
    expect(made).toMatchObject({ version: 1, has_relay_key: true, is_proven: false, is_serving: false });
    expect(JSON.stringify(made)).not.toContain(relayKey);
    const { body } = await scene.admin.get("/backend/admin/exit-node/account/list/", { node_code: "node-a" });
    const slots = body["accounts"] as { provider: string; auth_type: string; status: string }[];
    expect(slots.map(({ provider, auth_type, status }) => [provider, auth_type, status])).toEqual([
      ["github", "oauth_refresh_token", "standby"],
      ["google", "oauth_refresh_token", "standby"],
      ["openai", "api_key", "testing"],
      ["openai", "oauth_refresh_token", "standby"],
    ]);
    const user = await scene.addRoutedUser("route-a");
    expect((await scene.chat(user)).status).toBe(503);
    scene.dns.set("node-a.example.org", { a: ["127.0.0.9"] });
    const checked = await scene.check("node-a");
    expect(checked).toMatchObject({ relay_url: agent.url, is_proven: true, is_serving: true });
    const answer = await scene.chatOnceServed(user);
    expect(answer.headers.get("x-svc-exit-node")).toBe("node-a");
    expect(scene.provider.requests.at(-1)?.credential).toBe(providerKey);
  });

  test("keeps its address while DNS is wrong, and is switched to its name after three successful checks", async () => {
    scene.dns.set("node-a.example.org", { a: ["127.0.0.1"] });
    expect(await scene.check("node-a")).toMatchObject({ relay_url: agent.url, switch_streak: 1 });
    expect(await scene.check("node-a")).toMatchObject({ relay_url: agent.url, switch_streak: 2 });
    scene.dns.set("node-a.example.org", { a: ["127.0.0.9"] });
    const wrong = await scene.check("node-a");
    expect(wrong).toMatchObject({ relay_url: agent.url, switch_streak: 0, is_serving: true, version: 1 });
    expect(wrong.dns).toMatchObject({ resolved: ["127.0.0.9"], matched: false });
    scene.dns.set("node-a.example.org", { a: ["127.0.0.1"] });
    await scene.check("node-a");
    await scene.check("node-a");
    expect(await countAudits("exit-node.switch", "node-a")).toBe(0);
    const relayUrl = `http://node-a.example.org:${agent.port}`;
    const switched = await scene.check("node-a");
    expect(switched).toMatchObject({ relay_url: relayUrl, is_host_form: true, is_serving: true, version: 2 });
    const [entry] = await scene.rig.db.sql<{ before: unknown; after: unknown }>`
      select before, after from audit_log where action = 'exit-node.switch' and subject_id = 'node-a'`;
    expect(entry?.before).toEqual({ relay_url: agent.url, version: 1 });
    expect(entry?.after).toMatchObject({ relay_url: relayUrl, version: 2, ip: "127.0.0.1", resolved: ["127.0.0.1"] });
  });

  test("stays where it is while it is unhealthy under its name, however right DNS is", async () => {
    const other = await scene.startAgent("node-b");
    const node = await scene.addNode("node-b", other);
    expect(node).toMatchObject({ is_serving: true, switch_streak: 1 });
    await other[Symbol.asyncDispose]();
    for (const isServing of [true, true, false]) {
      const checked = await scene.check("node-b");
      expect(checked).toMatchObject({ relay_url: other.url, switch_streak: 0, is_serving: isServing });
      expect([checked.dns?.matched, checked.health?.ok]).toEqual([true, false]);
    }
    expect(codeOf(await post("switch", { node_code: "node-b" }))).toEqual([409, "health_failed"]);
    expect((await scene.read("node-b")).relay_url).toBe(other.url);
  });

  test("is not switched by a check that began before someone changed it", async () => {
    const reached = Promise.withResolvers<void>();
    const released = Promise.withResolvers<void>();
    const node = await scene.startAgent("node-c");
    await using slow = FakeNode.start({
      answer: async (request) => {
        reached.resolve();
        await released.promise;
        const { pathname } = new URL(request.url);
        // The node judges the host that was meant, and the one in front of it passes that on.
        return await fetch(`${node.url}${pathname}`, { headers: request.headers });
      },
    });
    scene.dns.set("node-c.example.org", { a: ["127.0.0.1"] });
    const place = { host: "node-c.example.org", ip: "127.0.0.1", relay_url: `http://127.0.0.1:${slow.port}` };
    const { version } = await scene.save({ node_code: "node-c", name: "C", relay_key: relayKey, ...place });
    const switching = post("switch", { node_code: "node-c", version });
    await reached.promise;
    await scene.save({ node_code: "node-c", weight: 7 });
    released.resolve();
    expect(codeOf(await switching)).toEqual([409, "version_conflict"]);
    expect(await scene.read("node-c")).toMatchObject({ relay_url: place.relay_url, is_proven: false });
    expect((await post("switch", { node_code: "node-c" })).status).toBe(200);
    expect(await scene.read("node-c")).toMatchObject({ is_host_form: true, is_serving: true });
  });
});

describe("saves", () => {
  test("of one new node at the same time create one node, with one entry in the audit log", async () => {
    const input = { node_code: "node-d", name: "D", host: "d.example.org", ip: "127.0.0.1", relay_key: relayKey };
    const answers = await Promise.all(Array.from({ length: 24 }, () => post("save", input)));
    expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 200));
    expect(await scene.read("node-d")).toMatchObject({ version: 1 });
    expect(await countAudits("exit-node.save", "node-d")).toBe(1);
  });

  test("of one version at the same time: one wins, the others get a conflict", async () => {
    const save = (name: string) => post("save", { node_code: "node-d", name, version: 1 });
    const answers = await Promise.all(Array.from({ length: 8 }, (_, index) => save(`D ${index}`)));
    const statuses = answers.map(({ status }) => status).sort();
    expect(statuses).toEqual([200, 409, 409, 409, 409, 409, 409, 409]);
    expect(await scene.read("node-d")).toMatchObject({ version: 2 });
  });

  test("of accounts and routes change nothing when they are repeated", async () => {
    const account = { account_code: "d.second", node_code: "node-d", provider: "other", auth_type: "api_key" };
    const route = {
      route_code: "route-d",
      gateway_user_id: Number(scene.rig.users[0]?.gatewayUserId),
      provider: "other",
    };
    for (let round = 0; round < 3; round += 1) {
      expect((await post("account/save", account)).body["account"]).toMatchObject({ version: 1, status: "testing" });
      const saved = await post("route/save", { ...route, model_pattern: "none-*", node_code: "node-d" });
      expect(saved.body["route"]).toMatchObject({ version: 1, node_code: "node-d", status: "testing" });
    }
    expect(await countAudits("exit-node.account.save", "d.second")).toBe(1);
    expect(await countAudits("exit-node.route.save", "route-d")).toBe(1);
    const stale = { account_code: "d.second", status: "active", version: 9 };
    expect(codeOf(await post("account/save", stale))).toEqual([409, "version_conflict"]);
    expect(codeOf(await post("route/save", { route_code: "route-d", status: "active", version: 9 }))[0]).toBe(409);
  });
});

describe("calls of the group", () => {
  test("take a node only if a route lets them: this user, this model, while it is enabled", async () => {
    const stranger = await scene.rig.addUser();
    await scene.rig.db.sql`
      update gateway_user set group_name = 'node-test' where id = ${stranger.gatewayUserId}::bigint`;
    expect((await scene.chat(stranger)).status).toBe(503);
    await scene.rig.addModel("other-model");
    const user = await scene.addRoutedUser("route-e", { node_code: "node-a" });
    expect((await scene.chatOnceServed(user)).headers.get("x-svc-exit-node")).toBe("node-a");
    expect((await scene.chat(user, { model: "other-model" })).status).toBe(503);
    await post("route/save", { route_code: "route-e", status: "disabled" });
    const deadline = performance.now() + patienceMs;
    while ((await scene.chat(user)).status !== 503 && performance.now() < deadline) {
      await Bun.sleep(20);
    }
    expect((await scene.chat(user)).status).toBe(503);
  });

  test("request the account that the binding names", async () => {
    const user = await scene.addRoutedUser("route-f", { node_code: "node-a" });
    await scene.chatOnceServed(user);
    const name = (nodeAccount: string | null) =>
      post("account/save", { account_code: "node-a.openai.key", node_account: nodeAccount });
    await name("no-such-account");
    const deadline = performance.now() + patienceMs;
    while ((await scene.chat(user)).status === 200 && performance.now() < deadline) {
      await Bun.sleep(20);
    }
    expect((await scene.chat(user)).status).not.toBe(200);
    await name("main");
    expect((await scene.chatOnceServed(user)).status).toBe(200);
  });

  test("show the node in streams, errors, the usage log and the metrics", async () => {
    const messages = [{ role: "user", content: "Hello" }];
    const user = await scene.addRoutedUser("route-g", { node_code: "node-a" });
    await scene.chatOnceServed(user);
    const stream = await scene.chat(user, { stream: true });
    expect([stream.headers.get("x-svc-exit-node"), (await stream.text()).trimEnd().endsWith("data: [DONE]")]).toEqual([
      "node-a",
      true,
    ]);
    for (const isStream of [false, true]) {
      const message = await fetch(`${scene.sluice.url}/msgcompat/v1/messages`, {
        method: "POST",
        headers: { "x-api-key": user.apiKey, "content-type": "application/json", "anthropic-version": "2023-06-01" },
        body: JSON.stringify({ model: "claude-fable-5-2", max_tokens: 20, stream: isStream, messages }),
      });
      await message.text();
      expect([message.status, message.headers.get("x-svc-exit-node")]).toEqual([200, "node-a"]);
    }
    scene.provider.script({ status: 400 });
    const refused = await scene.chat(user);
    expect([refused.status, refused.headers.get("x-svc-exit-node")]).toEqual([400, "node-a"]);
    const metrics = await (await fetch(`${scene.sluice.url}/metrics`)).text();
    expect(metrics).toMatch(/sluice_exit_node_attempts_total\{node="node-a",result="answered"\} \d+/);
    await scene.rig.waitForUsageRows(4);
    const rows = await scene.rig.db.sql<{ code: string; attempt: string }>`
      select distinct c.exit_node_code as code, usage_attempts(u.attempts)->0->>'channel' as attempt
      from usage_log u join channel c on c.id = u.channel_id where u.group_name = 'node-test'`;
    expect(rows).toContainEqual({ code: "node-a", attempt: "exit-node:node-a" });
    expect(await scene.rig.checkMoney()).toEqual([]);
  });

  test("that run when their node is disabled finish, and no others begin there", async () => {
    await scene.addNode("node-m", await scene.startAgent("node-m"));
    const user = await scene.addRoutedUser("route-m", { node_code: "node-m" });
    await scene.chatOnceServed(user);
    scene.provider.script({ chunks: 30, chunkDelayMs: 20 });
    const running = await scene.chat(user, { stream: true });
    await scene.save({ node_code: "node-m", status: "disabled" });
    expect((await running.text()).trimEnd()).toEndWith("data: [DONE]");
    let next = await scene.chat(user);
    for (; next.status === 200; next = await scene.chat(user)) {
      // Until the replica knows of the change.
      await next.text();
    }
    expect(await next.text()).not.toContain(relayKey);
    expect(await scene.rig.checkMoney()).toEqual([]);
  });

  test("get a clean error when the node is cut off, and the node shows it", async () => {
    await scene.addNode("node-h", await scene.startAgent("node-h"));
    const user = await scene.addRoutedUser("route-h", { node_code: "node-h" });
    await scene.chatOnceServed(user);
    scene.provider.script({ cut: { afterChunks: 3, with: "rst", lingerMs: 30 } });
    const text = await (await scene.chat(user, { stream: true })).text().catch(() => "broken");
    expect(text).not.toContain("[DONE]");
    await waitForNode("node-h", ({ traffic }) => traffic.failures === 1 && traffic.calls === 2);
  });
});

describe("a relay key", () => {
  test("is rotated without a call being refused", async () => {
    const user = await scene.addRoutedUser("route-k", { node_code: "node-a" });
    await scene.chatOnceServed(user);
    await agent.reload({ relayKeys: `${nextRelayKey}\n${relayKey}\n` });
    await scene.save({ node_code: "node-a", relay_key: nextRelayKey });
    expect((await scene.chat(user)).status).toBe(200);
    expect(await scene.check("node-a")).toMatchObject({ is_serving: true, is_host_form: true });
    await agent.reload({ relayKeys: `${nextRelayKey}\n` });
    // The gateway learns of the proven key a moment after it was recorded.
    expect((await scene.chatOnceServed(user)).status).toBe(200);
    expect(await scene.check("node-a")).toMatchObject({ is_serving: true });
  });
});

test("the job checks nodes on its own, switches them, and logs that under its own name", async () => {
  const node = await scene.startAgent("node-j");
  const host = "node-j.example.org";
  scene.dns.set(host, { a: ["127.0.0.1"] });
  await scene.save({ node_code: "node-j", name: "J", host, ip: "127.0.0.1", relay_url: node.url, relay_key: relayKey });
  const env = { ...scene.settings, ROLES: "jobs", EXIT_NODE_SWITCH_SUCCESSES: "1" };
  const jobs = await scene.rig.startProcess(env);
  await waitForNode("node-j", ({ is_host_form: isHostForm, is_serving: isServing }) => isHostForm && isServing);
  await jobs.kill();
  const [entry] = await scene.rig.db.sql<{ actor: string }>`
    select actor_name as actor from audit_log where action = 'exit-node.switch' and subject_id = 'node-j'`;
  expect(entry?.actor).toBe("exit-node-checks");
});

test("a node that is gone opens its circuit, and the node shows it", async () => {
  const node = await scene.startAgent("node-z");
  await scene.addNode("node-z", node);
  const user = await scene.addRoutedUser("route-z", { node_code: "node-z" });
  await scene.chatOnceServed(user);
  await node[Symbol.asyncDispose]();
  // As many in a short time as needed; once the circuit is open they end without an attempt.
  const round = () => Promise.all(Array.from({ length: 25 }, () => scene.chat(user).then((each) => each.text())));
  const deadline = performance.now() + patienceMs;
  do {
    await round();
  } while ((await scene.read("node-z")).traffic.circuit !== "open" && performance.now() < deadline);
  expect((await scene.read("node-z")).traffic).toMatchObject({ circuit: "open" });
});
