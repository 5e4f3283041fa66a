import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { openaiUpstream, type UpstreamSettings } from "@sluice/contracts/upstreams";
import { codeOf } from "../support/accounts/console-client.ts";
import { ExitNodeScene } from "../support/exit-nodes/exit-node-scene.ts";
import { relayKey } from "../support/exit-nodes/node-agent.ts";

/** A control plane as in production: public addresses, https, two ports. No node of this file exists. */
let scene: ExitNodeScene;

beforeAll(async () => {
  scene = await ExitNodeScene.open({
    EXIT_NODE_PRIVATE_ALLOWED: "false",
    UPSTREAM_PRIVATE_ALLOWED: "false",
    EXIT_NODE_HTTP_ALLOWED: "false",
    EXIT_NODE_PORTS: "443,8443",
    EXIT_NODE_HOST_SUFFIX: "nodes.example.org",
    EXIT_NODE_TIMEOUT_MS: "300",
  });
  const place = { host: "s.nodes.example.org", ip: "8.8.4.4", relay_url: "https://8.8.4.4:8443" };
  await scene.save({ node_code: "node-s", name: "Node S", relay_key: relayKey, ...place });
});

afterAll(async () => {
  await scene[Symbol.asyncDispose]();
});

const post = (path: string, input: Readonly<Record<string, unknown>>) =>
  scene.admin.post(`/backend/admin/exit-node/${path}/`, input);

describe("65: a relay URL", () => {
  test.each([
    "http://s.nodes.example.org",
    "https://u:p@s.nodes.example.org",
    "https://127.1",
    "https://[::ffff:10.0.0.1]",
    "https://localhost.",
    "https://s.nodes.example.org:22",
    "https://s.nodes.example.org#x",
    "gopher://s.nodes.example.org",
    `https://s.nodes.example.org/${"x".repeat(3_000)}`,
  ])("%p is refused, and the old one stays", async (relayUrl) => {
    const answer = await post("save", { node_code: "node-s", relay_url: relayUrl, relay_key: relayKey });
    expect(codeOf(answer)).toEqual([400, "invalid_relay_url"]);
    expect((await scene.read("node-s")).relay_url).toBe("https://8.8.4.4:8443");
  });
});

test("66: a silent DNS server is not a confirmation, and is not waited for", async () => {
  scene.dns.set("s.nodes.example.org", { is: "silent" });
  const answer = await post("dns-check", { node_code: "node-s" });
  expect(answer.body["dns"]).toMatchObject({ matched: false, resolved: [], failure: "timeout" });
  expect(codeOf(await post("switch", { node_code: "node-s" }))).toEqual([409, "dns_mismatch"]);
});

describe("invalid nodes, accounts and routes", () => {
  const node = { node_code: "node-x", name: "X", host: "x.nodes.example.org", ip: "8.8.8.8" };
  const route = { route_code: "r1", gateway_user_id: 1, provider: "openai", model_pattern: "*" };
  const account = { account_code: "a1", node_code: "node-s", provider: "openai", auth_type: "api_key" };
  const table: readonly (readonly [string, string, Readonly<Record<string, unknown>>])[] = [
    ["an address in a private network", "save", { ...node, ip: "10.0.0.1" }],
    ["the address of metadata", "save", { ...node, ip: "169.254.169.254" }],
    ["a host outside of the suffix", "save", { ...node, host: "x.example.org" }],
    ["a code with capital letters", "save", { ...node, node_code: "Node-X" }],
    ["no host for a new node", "save", { ...node, host: undefined }],
    ["a short relay key", "save", { ...node, relay_key: "short" }],
    ["a relay key that is not random", "save", { ...node, relay_key: "a".repeat(40) }],
    ["the secret of another feature", "save", { ...node, relay_key_secret: "cardpay.secret_key" }],
    ["a source that is not a node", "save", { ...node, source_node_id: 4711 }],
    ["a weight below zero", "save", { ...node, weight: -1 }],
    ["an unknown state", "save", { ...node, status: "production" }],
    ["a redirect path with two slashes", "save", { ...node, oauth_redirect_path: "//evil.example.org" }],
    ["a group", "save", { ...node, group_name: "default" }],
    [
      "a refresh token that would serve",
      "account/save",
      { ...account, auth_type: "oauth_refresh_token", status: "active" },
    ],
    ["an account of no node", "account/save", { ...account, node_code: "node-y" }],
    ["an account without provider", "account/save", { ...account, provider: undefined }],
    ["a credential", "account/save", { ...account, api_key: "sk-something" }],
    ["a route of no user", "route/save", { ...route, gateway_user_id: 4711 }],
    ["a pattern with a percent sign", "route/save", { ...route, model_pattern: "%" }],
    ["a route through no node", "route/save", { ...route, node_code: "node-y" }],
  ];

  test.each(table)("%s is refused", async (_name, path, input) => {
    const answer = await post(path, input);
    expect(answer.status).toBe(400);
    expect(JSON.stringify(answer.body)).not.toContain(String(input["relay_key"] ?? "nothing of the kind"));
  });

  test.each(["dns-check", "health", "switch"])("%s of a node that does not exist is a 404", async (path) => {
    expect(codeOf(await post(path, { node_code: "node-y" }))).toEqual([404, "not_found"]);
  });

  test("none of it was stored", async () => {
    const { body } = await scene.admin.get("/backend/admin/exit-node/list/");
    expect((body["nodes"] as { node_code: string }[]).map(({ node_code }) => node_code)).toEqual(["node-s"]);
    expect((await scene.admin.get("/backend/admin/exit-node/route/list/")).body["routes"]).toEqual([]);
  });
});

describe("the production group", () => {
  test.each([
    ["says so", true],
    ["says that it is a provider's", false],
  ])("can't be given the channel of a node, when the ability %s", async (_name, isExitNode) => {
    const attempt = scene.rig.db.sql`
      insert into ability (group_name, model, channel_id, is_exit_node)
      select 'default', 'gpt-4o-mini', id, ${isExitNode} from channel where exit_node_code = 'node-s'`;
    expect(
      await attempt.then(
        () => "taken",
        () => "refused",
      ),
    ).toBe("refused");
  });

  test("can't be given it by changing what already exists", async () => {
    const user = await scene.addRoutedUser("route-s");
    const attempts = [
      scene.rig.db.sql`update ability set group_name = 'default' where is_exit_node`,
      scene.rig.db.sql`update channel set exit_node_code = 'node-s', pinned_address = '8.8.4.4' where name = 'first'`,
      scene.rig.db.sql`update channel set exit_node_code = null where exit_node_code = 'node-s'`,
    ];
    const outcomes = await Promise.all(
      attempts.map((each) =>
        each.then(
          () => "taken",
          () => "refused",
        ),
      ),
    );
    expect(outcomes).toEqual(["refused", "refused", "refused"]);
    const [row] = await scene.rig.db.sql<{ groups: string }>`
      select string_agg(distinct group_name, ',') as groups from ability where is_exit_node`;
    expect([row?.groups, user.granted > 0n]).toEqual(["node-test", true]);
  });
});

describe("a channel", () => {
  test.each([
    "http://127.0.0.1:8000/v1",
    "http://10.0.0.7/v1",
    "https://[::ffff:192.168.0.1]/v1",
    "https://169.254.169.254/v1",
    "https://localhost/v1",
    "https://nowhere.invalid/v1",
  ])("is not saved at %s", async (baseUrl) => {
    const answer = await scene.admin.post("/backend/admin/channel/save/", {
      name: "inside",
      upstream: openaiUpstream(baseUrl),
    });
    expect([answer.status, answer.body]).toMatchObject([
      400,
      { error: { code: "invalid_value", fields: { "upstream.dialects.chat.base_url": expect.any(String) } } },
    ]);
  });

  test("is saved at a public address, and not moved from it into a private network", async () => {
    const path = "/backend/admin/channel/save/";
    const made = await scene.admin.post(path, { name: "outside", upstream: openaiUpstream("https://8.8.4.4/v1") });
    expect(made.status).toBe(200);
    const { channel_id, updated_at } = made.body["channel"] as { channel_id: number; updated_at: string };
    const moved = await scene.admin.post(path, {
      channel_id,
      updated_at,
      upstream: openaiUpstream("http://10.0.0.7/v1"),
    });
    expect(codeOf(moved)).toEqual([400, "invalid_value"]);
  });

  test.each(["127.0.0.1", "localhost"])("that leads to %s anyway is not called", async (host) => {
    const { port } = new URL(scene.provider.url);
    const inside = JSON.stringify(openaiUpstream(`http://${host}:${port}/v1`));
    await scene.rig.db.sql`update channel set upstream = ${inside}::text::jsonb where name = 'first'`;
    const [first] = await scene.rig.db.sql<{ id: bigint; upstream: UpstreamSettings; updated_at: Date }>`
      select id, upstream, updated_at from channel where name = 'first'`;
    // An existing value does not prevent changes to the rest.
    const { upstream, updated_at } = first ?? {};
    const changed = { channel_id: Number(first?.id), updated_at, upstream, concurrency_max: 7 };
    expect(codeOf(await scene.admin.post("/backend/admin/channel/save/", changed))[0]).toBe(200);
    const tried = await scene.admin.post("/backend/admin/channel/test/", { channel_id: Number(first?.id) });
    expect(tried.body["test"]).toMatchObject({ is_ok: false, http_status: null });
    expect((tried.body["test"] as { error: string }).error).toContain("which is not allowed");
    const answer = await scene.chat(await scene.rig.addUser());
    expect(answer.status).toBe(502);
    expect(await answer.json()).toMatchObject({ error: { code: "upstream_unreachable" } });
    expect(scene.provider.totals.connections.opened).toBe(0);
  });
});
