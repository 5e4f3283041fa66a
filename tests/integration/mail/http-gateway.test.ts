import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from "bun:test";
import { HttpSender } from "@sluice/control-plane/mail/senders/http-sender.ts";
import { PooledHttpClient } from "@sluice/http-client/pooled-client";
import { type GatewayResponse, MailGateway } from "../../support/mail/mail-gateway.ts";
import { canary, MailRig } from "../../support/mail/mail-rig.ts";

const second = 1_000;
const hour = 3_600 * second;
let rig: MailRig;
let gateway: MailGateway;

beforeAll(async () => {
  rig = await MailRig.open();
});

beforeEach(async () => {
  await rig.clear();
  gateway = new MailGateway();
});

afterEach(async () => {
  await gateway.stop();
});

afterAll(async () => {
  await rig.close();
});

test("the gateway gets the email in the agreed format, with the key and an idempotency key", async () => {
  await rig.queue("http-whole", { locale: "fr-CA" });
  await rig.worker(rig.httpSender(gateway.url)).runDue();
  const [request, ...others] = gateway.requests;
  expect(others).toEqual([]);
  expect(request?.key).toBe("the-key-of-the-gateway");
  expect(request?.idempotencyKey).toMatch(/^[0-9a-f]{64}$/);
  expect(Object.keys(request?.body ?? {})).toEqual(["template", "to", "locale", "subject", "html", "text", "source"]);
  expect(request?.body).toMatchObject({
    template: "password_reset",
    to: "a@example.com",
    locale: "fr",
    source: "sluice",
  });
  expect(request?.body["text"]).toContain(canary);
  const row = await rig.row("http-whole");
  expect(row).toMatchObject({ status: "sent", provider_id: "m-1", has_variables: false });
  expect(row.subject).toBe(request?.body["subject"] ?? "");
});

const after = (ms: number) => ({ status: "queued", delayMs: ms });
const dead = { status: "dead", delayMs: null };
const plain: [string, GatewayResponse, { status: string; delayMs: number | null }][] = [
  ["400", { status: 400 }, dead],
  ["401", { status: 401 }, after(30 * second)],
  ["403", { status: 403 }, after(30 * second)],
  ["422", { status: 422, body: '{"message":"inactive recipient"}' }, dead],
  ["408", { status: 408 }, after(30 * second)],
  ["429", { status: 429 }, after(30 * second)],
  ["429 with seconds", { status: 429, headers: { "retry-after": "120" } }, after(120 * second)],
  ["429 with fewer seconds", { status: 429, headers: { "retry-after": "1" } }, after(30 * second)],
  [
    "503 with a date",
    { status: 503, headers: { "retry-after": "Thu, 01 Jan 2026 00:10:00 GMT" } },
    after(600 * second),
  ],
  ["503 with a far date", { status: 503, headers: { "retry-after": "99999999" } }, after(24 * hour)],
  ["500", { status: 500 }, after(30 * second)],
  ["302", { status: 302, headers: { location: "http://127.0.0.1:1/" } }, after(30 * second)],
];

test.each(plain)("a response of %s is handled as documented", async (name, answer, expected) => {
  gateway.answer = () => answer;
  await rig.queue(`http-${name}`);
  await rig.worker(rig.httpSender(gateway.url)).runDue();
  expect(gateway.requests).toHaveLength(1);
  const row = await rig.row(`http-${name}`);
  expect(row).toMatchObject({ status: expected.status, attempts: 1, has_variables: true });
  if (expected.delayMs !== null) {
    expect(row.next_attempt_at.getTime() - rig.nowMs).toBe(expected.delayMs);
  }
});

test("a gateway that hangs, and one that is down, are retried", async () => {
  gateway.answer = () => "hang";
  const limits = { connectTimeoutMs: 200, firstByteTimeoutMs: 200, idleTimeoutMs: 200, totalTimeoutMs: 400 };
  await rig.queue("http-hang");
  await rig.worker(rig.httpSender(gateway.url, { ...limits, responseBytesMax: 1_024 })).runDue();
  expect(await rig.row("http-hang")).toMatchObject({ status: "queued", attempts: 1 });
  await gateway.stop();
  await rig.queue("http-refused");
  await rig.worker(rig.httpSender(gateway.url)).runDue();
  expect(await rig.row("http-refused")).toMatchObject({ status: "queued", attempts: 1 });
});

test("without the gateway's key nothing is posted, and the email waits until there is one", async () => {
  let key: string | null = null;
  const client = new PooledHttpClient();
  const readKey = () => Promise.resolve(key);
  const sender = new HttpSender({ client, clock: rig.clock, url: gateway.url, sourceTag: "sluice", readKey });
  const worker = rig.worker(sender);
  await rig.queue("http-keyless");
  await worker.runDue();
  expect(gateway.requests).toEqual([]);
  expect(await rig.row("http-keyless")).toMatchObject({ status: "queued", last_error: expect.stringContaining("key") });
  key = "the key that was set meanwhile";
  rig.nowMs += 30 * second;
  await worker.runDue();
  expect(gateway.requests[0]?.key).toBe(key);
});

test("the eighth failure is the last, after waits that double up to an hour", async () => {
  gateway.answer = () => ({ status: 500 });
  await rig.queue("http-eight");
  const worker = rig.worker(rig.httpSender(gateway.url));
  const delays: number[] = [];
  for (let attempt = 1; attempt < 8; attempt += 1) {
    await worker.runDue();
    const { next_attempt_at: next } = await rig.row("http-eight");
    delays.push((next.getTime() - rig.nowMs) / second);
    rig.nowMs = next.getTime();
  }
  expect(delays).toEqual([30, 60, 120, 240, 480, 960, 1_920]);
  await worker.runDue();
  expect(await rig.row("http-eight")).toMatchObject({ status: "dead", attempts: 8 });
  const count = gateway.requests.length;
  rig.nowMs += 48 * hour;
  await worker.runDue();
  expect(gateway.requests.length).toBe(count);
});

test("an expired email is dropped and not sent, at its first attempt and at a later one", async () => {
  gateway.answer = () => ({ status: 500 });
  await rig.queue("http-over", { expiresAt: new Date(rig.nowMs) });
  await rig.queue("http-over-later", { expiresAt: new Date(rig.nowMs + 20 * second) });
  const worker = rig.worker(rig.httpSender(gateway.url));
  await worker.runDue();
  expect(gateway.requests).toHaveLength(1);
  expect(await rig.row("http-over")).toMatchObject({ status: "dropped", has_variables: false });
  rig.nowMs += 30 * second;
  await worker.runDue();
  expect(gateway.requests).toHaveLength(1);
  const dropped = await rig.row("http-over-later");
  expect(dropped).toMatchObject({ status: "dropped", has_variables: false });
  expect(Math.abs(Date.now() - (dropped.failed_at?.getTime() ?? 0))).toBeLessThan(60_000);
});

test("an email to the placeholder of an account without an address is dropped and not sent", async () => {
  gateway.answer = () => ({ status: 200 });
  await rig.queue("http-nobody", { to: "one-api-11@imported.invalid" });
  await rig.queue("http-somebody", { to: "invalid@example.com" });
  await rig.worker(rig.httpSender(gateway.url)).runDue();
  expect(gateway.requests.map(({ body }) => body["to"])).toEqual(["invalid@example.com"]);
  expect(await rig.row("http-nobody")).toMatchObject({ status: "dropped", attempts: 1, has_variables: false });
});

test("what a gateway quotes of an email reaches neither the log nor the row", async () => {
  gateway.answer = ({ body }) => ({ status: 422, body: JSON.stringify({ message: "refused", quoted: body }) });
  await rig.queue("http-quoted");
  await rig.worker(rig.httpSender(gateway.url)).runDue();
  gateway.answer = () => ({ status: 422, body: `token ${canary} of a@example.com` });
  await rig.queue("http-quoted-bare");
  await rig.worker(rig.httpSender(gateway.url)).runDue();
  expect(rig.logLines.length).toBeGreaterThan(1);
  expect(rig.logLines.join("")).not.toContain("canary");
  const rows = await rig.db.sql`select id, to_jsonb(m) - 'variables_sealed' as row from mail_log m`;
  expect(JSON.stringify(rows, (_, value) => (typeof value === "bigint" ? `${value}` : value))).not.toContain("canary");
});

test("every outcome is reported, with the reason for a failure", async () => {
  const { userId } = await rig.addUser("outcome@example.com");
  await rig.queue("http-outcome", { userId });
  const worker = rig.worker(rig.httpSender(gateway.url));
  gateway.answer = () => ({ status: 500 });
  await worker.runDue();
  gateway.answer = () => ({ status: 200, body: "no JSON" });
  rig.nowMs += 30 * second;
  await worker.runDue();
  const at = new Date(rig.nowMs);
  expect(rig.outcomes).toEqual([
    expect.objectContaining({ userId, error: expect.stringContaining("500") }),
    { template: "password_reset", userId, at, error: null },
  ]);
  const inbox = await rig.db.sql<{ subject: string }>`select subject from mail_inbox where user_id = ${userId}::bigint`;
  expect(inbox).toEqual([{ subject: "Reset your password" }]);
});
