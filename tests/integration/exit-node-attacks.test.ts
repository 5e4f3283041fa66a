import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseChallenge, signProof } from "@sluice/exit-protocol/challenge";
import { codeOf } from "../support/accounts/console-client.ts";
import { ExitNodeScene } from "../support/exit-nodes/exit-node-scene.ts";
import { FakeNode } from "../support/exit-nodes/fake-node.ts";
import { nextRelayKey, type RunningAgent, relayKey } from "../support/exit-nodes/node-agent.ts";
import { holdLock } from "../support/postgres/held-lock.ts";
import type { DnsZone } from "../support/wire/dns-server.ts";
import { createTestAuthority, type TestAuthority } from "../support/wire/test-certificates.ts";

const host = "node-t.example.org";
let folder: string;
let authority: TestAuthority;
let scene: ExitNodeScene;
let agent: RunningAgent;
let savedUrl: string;

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), "exit-attacks-"));
  authority = createTestAuthority();
  writeFileSync(join(folder, "ca.pem"), authority.cert);
  scene = await ExitNodeScene.open({ UPSTREAM_CA_FILE: join(folder, "ca.pem") });
  agent = await scene.startAgent("node-t");
  const node = await scene.addNode("node-t", agent);
  savedUrl = node.relay_url ?? "";
});

afterAll(async () => {
  await scene[Symbol.asyncDispose]();
  rmSync(folder, { recursive: true });
});

const save = (input: Readonly<Record<string, unknown>>) =>
  scene.admin.post("/backend/admin/exit-node/save/", { node_code: "node-t", ...input });

/** The node has its old address, and no response so far has quoted the key. */
async function expectUnmoved(): Promise<void> {
  const node = await scene.read("node-t");
  expect(node.relay_url).toBe(savedUrl);
  expect(JSON.stringify(node)).not.toContain(relayKey);
}

describe("66: a name that does not resolve to exactly the node", () => {
  const zones: readonly (readonly [string, DnsZone])[] = [
    ["leads elsewhere", { a: ["127.0.0.66"] }],
    ["leads to the node and to another server", { a: ["127.0.0.1", "127.0.0.66"] }],
    ["leads to the node, and over IPv6 elsewhere", { a: ["127.0.0.1"], aaaa: ["::1"] }],
    ["is another name for the address of metadata", { cname: "metadata.example.net", a: ["169.254.169.254"] }],
    ["does not exist", { is: "absent" }],
    ["has no address", {}],
    ["is one that the DNS server can't resolve", { is: "failing" }],
    ["leads to the node, while its IPv6 addresses can't be resolved", { a: ["127.0.0.1"], failsFor: "aaaa" }],
    ["has no resolvable IPv4 address, and none of IPv6", { failsFor: "a" }],
    ["leads to more addresses than a node can have", { a: Array.from({ length: 20 }, (_, n) => `127.0.1.${n}`) }],
  ];

  test.each(zones)("that %s: the old address stays and nobody gets the key", async (_name, zone) => {
    await using sink = FakeNode.start({ hostname: "127.0.0.66", answer: () => Response.json({ ok: true }) });
    scene.dns.set(host, zone);
    const relayUrl = `http://${host}:${sink.port}`;
    expect(codeOf(await save({ relay_url: relayUrl, relay_key: relayKey }))).toEqual([409, "dns_mismatch"]);
    const switching = await scene.admin.post("/backend/admin/exit-node/switch/", { node_code: "node-t" });
    expect(codeOf(switching)).toEqual([409, "dns_mismatch"]);
    const { body } = await scene.admin.post("/backend/admin/exit-node/dns-check/", { node_code: "node-t" });
    expect(body["dns"]).toMatchObject({ matched: false, host, expected: "127.0.0.1" });
    expect(sink.heard).toEqual([]);
    await expectUnmoved();
  });
});

describe("67: a server that responds in place of the node", () => {
  const wholeAnswer = async (): Promise<string> => (await agent.call("/health")).text();
  const answers: readonly (readonly [string, (request: Request) => Response | Promise<Response>])[] = [
    ["with a redirect", () => new Response(null, { status: 302, headers: { location: "http://127.0.0.66/" } })],
    ["with a good response without proof", async () => new Response(await wholeAnswer())],
    [
      "with a good response and a wrong proof",
      async () => new Response(await wholeAnswer(), { headers: { "x-svc-proof": "A".repeat(43) } }),
    ],
    ["with a page", () => new Response("<html>ok</html>", { headers: { "content-type": "text/html" } })],
    ["with 404", () => new Response("{}", { status: 404 })],
    ["too late", () => new Promise(() => undefined)],
    [
      "with an endless body",
      () => new Response(new ReadableStream({ pull: (into) => into.enqueue(new Uint8Array(65_536)) })),
    ],
  ];

  test.each(answers)("%s: the old address stays, and the key is not revealed", async (_name, answer) => {
    await using fake = FakeNode.start({ answer });
    scene.dns.set(host, { a: ["127.0.0.1"] });
    const relayUrl = `http://${host}:${fake.port}`;
    expect(codeOf(await save({ relay_url: relayUrl, relay_key: relayKey }))).toEqual([409, "health_failed"]);
    expect(fake.heard.length).toBe(1);
    expect(fake.heard.join()).not.toContain(relayKey);
    await expectUnmoved();
  });

  test("as another node, with the same key", async () => {
    const other = await scene.startAgent("node-u");
    const relayUrl = `http://${host}:${other.port}`;
    expect(codeOf(await save({ relay_url: relayUrl, relay_key: relayKey }))).toEqual([409, "health_failed"]);
    await expectUnmoved();
  });

  test("as the node, with another key", async () => {
    const other = await scene.startAgent("node-t", { relayKeys: `${nextRelayKey}\n` });
    const relayUrl = `http://${host}:${other.port}`;
    expect(codeOf(await save({ relay_url: relayUrl, relay_key: relayKey }))).toEqual([409, "health_failed"]);
    await expectUnmoved();
  });

  test("with a certificate of another name; with the right one it is the node", async () => {
    const files = (name: string, dns: string) => {
      const { cert, key } = authority.issue({ dns: [dns] });
      writeFileSync(join(folder, `${name}.crt`), cert);
      writeFileSync(join(folder, `${name}.key`), key, { mode: 0o600 });
      return { TLS_CERT_FILE: join(folder, `${name}.crt`), TLS_KEY_FILE: join(folder, `${name}.key`) };
    };
    scene.dns.set(host, { a: ["127.0.0.1"] });
    const wrong = await scene.startAgent("node-t", { env: files("wrong", "other.example.org") });
    const toWrong = await save({ relay_url: `https://${host}:${wrong.port}`, relay_key: relayKey });
    expect(codeOf(toWrong)).toEqual([409, "health_failed"]);
    await expectUnmoved();
    const right = await scene.startAgent("node-t", { env: files("right", host) });
    const relayUrl = `https://${host}:${right.port}`;
    const saved = await scene.save({ node_code: "node-t", relay_url: relayUrl, relay_key: relayKey });
    expect(saved).toMatchObject({ relay_url: relayUrl, is_host_form: true, is_serving: true });
    const user = await scene.addRoutedUser("route-t");
    expect((await scene.chatOnceServed(user)).headers.get("x-svc-exit-node")).toBe("node-t");
    // From here on the name belongs to someone else, and calls go where they went before.
    await using sink = FakeNode.start({ hostname: "127.0.0.66", answer: () => Response.json({}) });
    scene.dns.set(host, { a: ["127.0.0.66"] });
    expect((await scene.check("node-t")).dns).toMatchObject({ matched: false });
    expect((await scene.chat(user)).status).toBe(200);
    expect(sink.heard).toEqual([]);
    savedUrl = relayUrl;
    await expectUnmoved();
  });
});

describe("68: a node that would be called elsewhere", () => {
  test.each([
    ["relay_url", { relay_url: "http://127.0.0.1:9" }],
    ["host", { host: "evil.example.org" }],
    ["relay_url taken away", { relay_url: null }],
  ])("by its %s requires the key to be entered again", async (_name, input) => {
    expect(codeOf(await save(input))).toEqual([400, "secret_required"]);
    await expectUnmoved();
  });

  test("can't be given another secret as its key", async () => {
    for (const name of ["cardpay.secret_key", "exit_node.node__u.relay_key"]) {
      expect(codeOf(await save({ relay_key_secret: name }))[0]).toBe(400);
    }
    await expectUnmoved();
  });

  test("is no longer called until the server there has proved that it holds the key", async () => {
    const { ip } = await scene.read("node-t");
    await using fake = FakeNode.start({ answer: () => Response.json({ ok: true }) });
    const input = { relay_url: `http://${ip}:${fake.port}`, relay_key: relayKey };
    expect(await scene.save({ node_code: "node-t", ...input })).toMatchObject({ is_proven: false, is_serving: false });
    expect(await scene.check("node-t")).toMatchObject({ is_proven: false, is_serving: false });
    const [channel] = await scene.rig.db.sql<{ status: string; credential_sealed: unknown }>`
      select status, credential_sealed from channel where exit_node_code = 'node-t'`;
    expect(channel).toEqual({ status: "disabled", credential_sealed: null });
    expect(fake.heard.join()).not.toContain(relayKey);
  });
});

test("69: a change to something that someone else has changed meanwhile is refused, and overwrites nothing", async () => {
  const { version } = await scene.read("node-t");
  expect((await save({ name: "First", version })).status).toBe(200);
  expect(codeOf(await save({ name: "Second", version }))).toEqual([409, "version_conflict"]);
  expect((await save({ name: "First", version })).status).toBe(200);
  const late = await scene.admin.post("/backend/admin/exit-node/switch/", { node_code: "node-t", version });
  expect(codeOf(late)).toEqual([409, "version_conflict"]);
});

test("check results of a node are not stored once someone has changed the node", async () => {
  scene.dns.set(host, { a: ["127.0.0.1"] });
  await scene.check("node-t");
  const checked = async () =>
    await scene.rig.db.sql<{ checks: string }>`
      select row_to_json(n)::jsonb - 'version' as checks from exit_node n where node_code = 'node-t'`;
  const before = await checked();
  for (const [path, status] of [
    ["health", 409],
    ["dns-check", 200],
  ] as const) {
    const held = await holdLock(
      scene.rig.db,
      (tx) => tx.sql`update exit_node set version = version + 1 where node_code = 'node-t'`,
    );
    const checking = scene.admin.post(`/backend/admin/exit-node/${path}/`, { node_code: "node-t" });
    await held.waitForWaiters(1);
    await held.release();
    expect((await checking).status).toBe(status);
    expect(await checked()).toEqual(before);
  }
});

describe("a node that holds the key and reports odd values", () => {
  /** The response of a node with that code to a challenge: valid, with these values in it. */
  const answerWith = (words: Readonly<Record<string, unknown>>) => (request: Request) => {
    const time = new Date();
    const body = JSON.stringify({
      ...{ ok: true, node: "node-odd", version: "1.0.0", startedAt: time.toISOString(), uptimeSeconds: 1 },
      clock: { time: time.toISOString(), epochMs: time.getTime() },
      load: { inFlight: 0, cpuPerMinute: 0, residentBytes: 1 },
      accounts: [],
      egressAddress: { bound: null, seen: null },
      ...words,
    });
    const received = parseChallenge(request.headers.get("x-svc-challenge") ?? "");
    const audience = request.headers.get("host") ?? "";
    const proof = received === null ? "" : signProof(relayKey, { nodeCode: "node-odd", audience, ...received }, body);
    return new Response(body, { headers: { "x-svc-exit-node": "node-odd", "x-svc-proof": proof } });
  };
  const account = { accountCode: "a\u0000", provider: "\ud800", authType: "api_key", status: "active" };

  test.each<readonly [string, Readonly<Record<string, unknown>>]>([
    ["a zero byte", { version: "1\u0000" }],
    ["half a character", { version: "\ud83d" }],
    ["a character that is cut in two", { version: `${"v".repeat(63)}\u{1f600}` }],
    ["such names of accounts", { accounts: [account] }],
    ["a long address", { egressAddress: { bound: null, seen: "9".repeat(50_000) } }],
    ["control characters", { version: "1\u001b[31m\n" }],
  ])("%s: the check is stored, short and clean", async (_name, words) => {
    await using fake = FakeNode.start({ answer: answerWith(words) });
    scene.dns.set("node-odd.example.org", { a: ["127.0.0.1"] });
    const place = { host: "node-odd.example.org", ip: "127.0.0.1", relay_url: `http://127.0.0.1:${fake.port}` };
    await scene.save({ node_code: "node-odd", name: "Odd", ...place, relay_key: relayKey });
    const node = await scene.check("node-odd");
    expect(node).toMatchObject({ is_serving: true, health: { ok: true } });
    const text = JSON.stringify(node);
    expect(text.length).toBeLessThan(5_000);
    expect(text).not.toMatch(/\\u00[01]|\\u[dD][89a-fA-F]|\\n/);
  });
});

test("neither key is in the log of the program", () => {
  expect(scene.sluice.log()).not.toContain(relayKey);
  expect(scene.sluice.log()).not.toContain(nextRelayKey);
});
