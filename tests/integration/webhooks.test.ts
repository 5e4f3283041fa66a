import { afterAll, beforeAll, expect, test } from "bun:test";
import type { deliveryListResponse, targetCreateResponse } from "@sluice/contracts/event-targets";
import { userTargetsMax } from "@sluice/contracts/event-types";
import type { ResponseOf } from "@sluice/contracts/wire";
import { Webhook } from "standardwebhooks";
import { type ConsoleClient, codeOf, consoleClient } from "../support/accounts/console-client.ts";
import { loginUser, type UserLogin } from "../support/accounts/logins.ts";
import { EventReceiver, type ReceivedMessage } from "../support/events/event-receiver.ts";
import { type SluiceProcess, SluiceRig } from "../support/service/sluice.ts";
import { patienceMs } from "../support/values/patience.ts";

type Created = ResponseOf<typeof targetCreateResponse>;
type Delivery = ResponseOf<typeof deliveryListResponse>["deliveries"][number];

let rig: SluiceRig;
let sluice: SluiceProcess;
let receiver: EventReceiver;

beforeAll(async () => {
  rig = await SluiceRig.create("http://127.0.0.1:9");
  receiver = new EventReceiver();
  sluice = await rig.startProcess();
  // More replicas with jobs: an attempt is still made once.
  await Promise.all([rig.startProcess(), rig.startProcess()]);
});

afterAll(async () => {
  await rig.close();
  await receiver.stop();
});

type Owner = { readonly user: UserLogin; readonly page: ConsoleClient };

async function newOwner(): Promise<Owner> {
  const user = await loginUser(rig);
  return { user, page: consoleClient(sluice.url, user.cookie) };
}

async function addWebhook({ page }: Owner, path: string, events = ["key.created"]): Promise<Created> {
  const answer = await page.post("/backend/webhooks/create/", { name: "ci", url: `${receiver.url}${path}`, events });
  expect(answer.status).toBe(200);
  return answer.body as unknown as Created;
}

const addKey = async ({ page }: Owner): Promise<void> => {
  expect((await page.post("/backend/keys/create/", { name: "a key" })).status).toBe(200);
};

/** The log of a webhook; undefined if it is not the owner's. */
async function deliveriesOf({ page }: Owner, { target }: Created): Promise<Delivery[]> {
  const answer = await page.get("/backend/webhooks/deliveries/", { target_id: String(target.target_id) });
  return answer.body["deliveries"] as Delivery[];
}

/** The newest delivery once it has this status; the log is written after the receiver has answered. */
async function waitFor(owner: Owner, made: Created, isSo: (newest: Delivery) => boolean): Promise<Delivery> {
  const deadline = performance.now() + patienceMs;
  for (;;) {
    const [newest] = await deliveriesOf(owner, made);
    if (newest !== undefined && isSo(newest)) {
      return newest;
    }
    if (performance.now() > deadline) {
      throw new Error(`the delivery is ${JSON.stringify(newest)}`);
    }
    await Bun.sleep(20);
  }
}

const isVerified = (secret: string, { headers, body }: ReceivedMessage): unknown =>
  new Webhook(secret).verify(body, headers);

/** Everything that waits for a retry is due now, and no target is paused. */
async function skipWaits(): Promise<void> {
  await rig.db.sql`update event_target set paused_until = null where status = 'active'`;
  await rig.db.sql`update event_delivery set next_attempt_at = now() where status = 'queued'`;
  await rig.db.sql`select pg_notify('events', '')`;
}

test("a created key reaches the owner's webhook once, signed by the Standard Webhooks rules, and nobody else's", async () => {
  const [owner, stranger] = [await newOwner(), await newOwner()];
  const made = await addWebhook(owner, "/signed");
  await addWebhook(stranger, "/stranger");
  expect(made.secret).toMatch(/^whsec_[A-Za-z0-9+/]{43}=$/);
  await addKey(owner);
  const [message] = await receiver.wait("/signed", 1);
  const verified = isVerified(made.secret ?? "", message as ReceivedMessage);
  expect(verified).toEqual({
    type: "key.created",
    timestamp: expect.stringMatching(/^\d{4}-.*Z$/),
    data: { key_id: expect.any(String), key_last_four: expect.any(String), rotated_from_id: null },
  });
  const delivery = await waitFor(owner, made, ({ status }) => status === "delivered");
  expect(delivery).toMatchObject({ event_id: message?.headers["webhook-id"], payload: message?.body, count: 1 });
  // A number would tell how much happens to others.
  expect(delivery).toMatchObject({ event_id: expect.stringMatching(/^evt_[0-9a-f]{32}$/) });
  expect(delivery.attempts).toEqual([
    { at: expect.any(String), http_status: 204, duration_ms: expect.any(Number), error: null, response_start: "" },
  ]);
  expect(receiver.at("/signed")).toHaveLength(1);
  expect(receiver.at("/stranger")).toEqual([]);
  expect(await deliveriesOf(stranger, made)).toBeUndefined();
  const stored = await rig.db.sql<{ text: string }>`select to_jsonb(t)::text as text from event_target t`;
  expect(JSON.stringify(stored)).not.toContain((made.secret ?? "").slice(6));
});

test("what fails is logged and tried again under the same id with a new time, and after a success not again", async () => {
  const owner = await newOwner();
  const made = await addWebhook(owner, "/flaky");
  receiver.reply = ({ path }) =>
    path === "/flaky" && receiver.at("/flaky").length < 3
      ? new Response(`no\u0000 room ${"x".repeat(5_000)}`, { status: 503 })
      : new Response("thanks");
  await addKey(owner);
  await waitFor(owner, made, ({ attempts }) => attempts.length === 1);
  await skipWaits();
  await waitFor(owner, made, ({ attempts }) => attempts.length === 2);
  await skipWaits();
  const delivered = await waitFor(owner, made, ({ status }) => status === "delivered");
  const [first, , last] = delivered.attempts;
  expect(delivered.attempts.map(({ http_status, error }) => [http_status, error])).toEqual([
    [503, "status 503"],
    [503, "status 503"],
    [200, null],
  ]);
  expect(first?.response_start).toBe(`no  room ${"x".repeat(991)}`);
  expect(last?.response_start).toBe("thanks");
  const messages = receiver.at("/flaky");
  expect(new Set(messages.map(({ headers }) => headers["webhook-id"])).size).toBe(1);
  for (const message of messages) {
    expect(isVerified(made.secret ?? "", message)).toBeTruthy();
  }
  receiver.reply = () => new Response(null, { status: 204 });
});

test("an attempt is made again eight times within about a day, then it has failed, and a replay delivers it", async () => {
  const owner = await newOwner();
  const made = await addWebhook(owner, "/down");
  receiver.reply = ({ path }) => new Response(null, { status: path === "/down" ? 500 : 204 });
  await addKey(owner);
  const waits: number[] = [];
  for (let count = 1; count <= 8; count += 1) {
    const found = await waitFor(owner, made, (each) => each.attempts.length === count && each.status !== "sending");
    const at = found.next_attempt_at === null ? null : new Date(found.next_attempt_at).getTime();
    waits.push(at === null ? 0 : Math.round((at - new Date(found.attempts[count - 1]?.at ?? 0).getTime()) / 1_000));
    await skipWaits();
  }
  expect(waits.reduce((sum, each) => sum + each, 0)).toBeWithin(80_000, 90_000);
  expect(waits[0]).toBeWithin(4, 8);
  expect((await deliveriesOf(owner, made))[0]?.status).toBe("failed");
  receiver.reply = () => new Response(null, { status: 204 });
  const delivery_id = (await deliveriesOf(owner, made))[0]?.delivery_id;
  await rig.db.sql`update event_target set paused_until = null`;
  expect((await owner.page.post("/backend/webhooks/replay/", { delivery_id })).status).toBe(200);
  const delivered = await waitFor(owner, made, ({ status }) => status === "delivered");
  expect([delivered.attempts.length, receiver.at("/down").length]).toEqual([9, 9]);
  const stranger = await newOwner();
  expect(codeOf(await stranger.page.post("/backend/webhooks/replay/", { delivery_id }))).toEqual([404, "not_found"]);
});

test("several replays at once of one delivery send it once more, and none is sent for a stranger or a removed webhook", async () => {
  const [owner, stranger] = [await newOwner(), await newOwner()];
  const made = await addWebhook(owner, "/replayed");
  await addKey(owner);
  const { delivery_id } = await waitFor(owner, made, ({ status }) => status === "delivered");
  const replay = async ({ page }: Owner) => codeOf(await page.post("/backend/webhooks/replay/", { delivery_id }));
  expect(await replay(stranger)).toEqual([404, "not_found"]);
  receiver.reply = () => new Response(null, { status: 500 });
  const answers = await Promise.all(Array.from({ length: 6 }, () => replay(owner)));
  expect(answers.filter(([status]) => status === 200)).toHaveLength(1);
  expect(answers.filter(([status]) => status === 409)).toHaveLength(5);
  const { attempts } = await waitFor(owner, made, (newest) => newest.attempts.length === 2);
  expect(attempts.map(({ http_status: status }) => status)).toEqual([204, 500]);
  receiver.reply = () => new Response(null, { status: 204 });
  expect((await owner.page.post("/backend/webhooks/remove/", { target_id: made.target.target_id })).status).toBe(200);
  expect(await replay(owner)).toEqual([404, "not_found"]);
});

test("a slow webhook delays nobody else, and its redirects are not followed", async () => {
  const [slow, quick] = [await newOwner(), await newOwner()];
  await addWebhook(slow, "/slow");
  const redirected = await addWebhook(quick, "/quick");
  const hold = Promise.withResolvers<void>();
  receiver.reply = async ({ path }) => {
    if (path === "/slow") {
      await hold.promise;
    }
    return new Response(
      null,
      path === "/quick" ? { status: 302, headers: { location: `${receiver.url}/elsewhere` } } : {},
    );
  };
  await addKey(slow);
  await receiver.wait("/slow", 1);
  await addKey(slow);
  await addKey(quick);
  const { attempts } = await waitFor(quick, redirected, (newest) => newest.attempts.length === 1);
  expect(attempts[0]).toMatchObject({ http_status: 302, error: "status 302: redirects are not followed" });
  expect([receiver.at("/elsewhere").length, receiver.at("/slow").length]).toEqual([0, 1]);
  hold.resolve();
  await receiver.wait("/slow", 2);
  receiver.reply = () => new Response(null, { status: 204 });
});

test("a webhook that is gone, or has failed for days, is switched off with one mail; switched on it works again", async () => {
  const owner = await newOwner();
  const made = await addWebhook(owner, "/gone");
  receiver.reply = ({ path }) => new Response(null, { status: path === "/gone" ? 410 : 204 });
  await addKey(owner);
  await waitFor(owner, made, ({ status }) => status === "failed");
  const list = async () => (await owner.page.get("/backend/webhooks/list/")).body["targets"] as Created["target"][];
  const [off] = await list();
  expect(off?.status).toBe("failed");
  await addKey(owner);
  expect(await deliveriesOf(owner, made)).toHaveLength(1);
  const mails = async () =>
    (await rig.db.sql`select id from mail_log where template = 'webhook_failed' and to_address = ${owner.user.email}`)
      .length;
  expect(await mails()).toBe(1);
  const save = { target_id: made.target.target_id, version: off?.version, name: "ci", events: ["key.created"] };
  const url = `${receiver.url}/gone`;
  const on = await owner.page.post("/backend/webhooks/save/", { ...save, url, is_enabled: true });
  expect(on.body["target"]).toMatchObject({ status: "active", failing_since: null });
  receiver.reply = ({ path }) => new Response(null, { status: path === "/gone" ? 500 : 204 });
  await rig.db
    .sql`update event_target set failing_since = now() - interval '4 days' where id = ${BigInt(made.target.target_id)}`;
  await addKey(owner);
  await waitFor(owner, made, ({ status }) => status === "failed");
  expect([(await list())[0]?.status, await mails()]).toEqual(["failed", 2]);
  receiver.reply = () => new Response(null, { status: 204 });
});

test("while a secret is rotated, messages are signed with both, and later with the new one only", async () => {
  const owner = await newOwner();
  const made = await addWebhook(owner, "/rotated");
  const { body } = await owner.page.post("/backend/webhooks/rotate/", { target_id: made.target.target_id });
  const secret = String(body["secret"]);
  const sendTest = () => owner.page.post("/backend/webhooks/test/", { target_id: made.target.target_id });
  expect((await sendTest()).status).toBe(200);
  const [first] = await receiver.wait("/rotated", 1);
  expect(isVerified(made.secret ?? "", first as ReceivedMessage)).toMatchObject({ type: "test" });
  expect(isVerified(secret, first as ReceivedMessage)).toMatchObject({ type: "test" });
  await rig.db.sql`update event_target set old_secret_until = now() where id = ${BigInt(made.target.target_id)}`;
  await sendTest();
  const [, second] = await receiver.wait("/rotated", 2);
  expect(isVerified(secret, second as ReceivedMessage)).toMatchObject({ type: "test" });
  expect(() => isVerified(made.secret ?? "", second as ReceivedMessage)).toThrow();
});

test("webhooks and tests of an account are limited, and nobody else can touch them; bad addresses and events are refused", async () => {
  const [owner, stranger] = [await newOwner(), await newOwner()];
  const made = await addWebhook(owner, "/own");
  const others = Array.from({ length: userTargetsMax + 2 }, () =>
    owner.page.post("/backend/webhooks/create/", { name: "n", url: `${receiver.url}/own`, events: ["balance.low"] }),
  );
  const statuses = (await Promise.all(others)).map(({ status }) => status);
  expect(statuses.filter((status) => status === 200)).toHaveLength(userTargetsMax - 1);
  const { target_id } = made.target;
  for (const path of ["test", "rotate", "remove"]) {
    expect(codeOf(await stranger.page.post(`/backend/webhooks/${path}/`, { target_id }))).toEqual([404, "not_found"]);
  }
  for (let count = 0; count < 20; count += 1) {
    expect((await owner.page.post("/backend/webhooks/test/", { target_id })).status).toBe(200);
  }
  expect(codeOf(await owner.page.post("/backend/webhooks/test/", { target_id }))).toEqual([429, "too_many_attempts"]);
  // Webhooks that are removed and added again make no more tests possible.
  await rig.db.sql`
    insert into event (type, gateway_user_id, cause, data)
    select 'test', ${owner.user.gatewayUserId}::bigint, 'test:0', '{}'::jsonb from generate_series(1, 79)`;
  const { targets } = (await owner.page.get("/backend/webhooks/list/")).body as {
    readonly targets: { readonly target_id: number }[];
  };
  const other = { target_id: targets.at(-1)?.target_id };
  expect((await owner.page.post("/backend/webhooks/test/", other)).status).toBe(200);
  expect(codeOf(await owner.page.post("/backend/webhooks/test/", other))).toEqual([429, "too_many_attempts"]);
  const bad = async (url: string) =>
    codeOf(await stranger.page.post("/backend/webhooks/create/", { name: "n", url, events: ["balance.low"] }));
  for (const url of ["ftp://example.org/", "https://user:secret@example.org/", "nothing", "https://169.254.169.254/"]) {
    expect(await bad(url)).toEqual([400, "invalid_value"]);
  }
  const event = { name: "n", url: "https://example.org/", events: ["node.lost"] };
  expect(codeOf(await stranger.page.post("/backend/webhooks/create/", event))).toEqual([400, "invalid_value"]);
  expect((await owner.page.post("/backend/webhooks/remove/", { target_id })).status).toBe(200);
  expect(await deliveriesOf(owner, made)).toBeUndefined();
});
