import { afterAll, beforeAll, beforeEach, expect, test } from "bun:test";
import type { deliveryListResponse, targetCreateResponse } from "@sluice/contracts/event-targets";
import type { EventType } from "@sluice/contracts/event-types";
import type { GatewayUserId } from "@sluice/contracts/ids";
import type { ResponseOf } from "@sluice/contracts/wire";
import type { NewEvent } from "@sluice/control-plane/events/model.ts";
import { recordCondition, recordEvent } from "@sluice/control-plane/events/service.ts";
import { MoneyCheck } from "@sluice/control-plane/ledger/money-check.ts";
import { createLog } from "@sluice/control-plane/platform/log.ts";
import { Registry } from "prom-client";
import { type ConsoleClient, codeOf, consoleClient } from "../support/accounts/console-client.ts";
import { giveToken, loginAdmin, loginUser } from "../support/accounts/logins.ts";
import { EventReceiver } from "../support/events/event-receiver.ts";
import { type SluiceProcess, SluiceRig } from "../support/service/sluice.ts";
import { patienceMs } from "../support/values/patience.ts";

type Created = ResponseOf<typeof targetCreateResponse>;
type Delivery = ResponseOf<typeof deliveryListResponse>["deliveries"][number];

let rig: SluiceRig;
let sluice: SluiceProcess;
let receiver: EventReceiver;
let boss: ConsoleClient;

beforeAll(async () => {
  rig = await SluiceRig.create("http://127.0.0.1:9");
  receiver = new EventReceiver();
  sluice = await rig.startProcess();
  boss = consoleClient(sluice.url, (await loginAdmin(rig)).cookie);
});

beforeEach(async () => {
  await rig.db.sql`delete from event_target`;
  await rig.db.sql`delete from event`;
  receiver.messages.length = 0;
  receiver.reply = () => new Response(null, { status: 204 });
});

afterAll(async () => {
  await rig.close();
  await receiver.stop();
});

async function add(place: object, events: readonly EventType[]): Promise<Created> {
  const answer = await boss.post("/backend/admin/event-target/create/", { name: "ops", place, events });
  expect([answer.status, answer.body["error"]]).toEqual([200, undefined]);
  return answer.body as unknown as Created;
}

const record = <Type extends EventType>(event: NewEvent<Type>): Promise<void> =>
  rig.db.withTransaction((tx) => recordEvent(tx, event));

const channel = '<!channel> **a** & _b_ <at user_id="all">';
const down = { type: "channel.down", gatewayUserId: null, cause: "channel:7" } as const;
const downData = { channel_id: "7", channel, failures: 3, http_status: 500 };
const back = { type: "channel.recovered", gatewayUserId: null, cause: "channel:7" } as const;

async function deliveriesOf({ target }: Created): Promise<Delivery[]> {
  const query = { target_id: String(target.target_id) };
  return (await boss.get("/backend/admin/event-target/deliveries/", query)).body["deliveries"] as Delivery[];
}

async function settled(made: Created): Promise<Delivery> {
  const deadline = performance.now() + patienceMs;
  for (;;) {
    const newest = (await deliveriesOf(made))[0];
    if (newest !== undefined && newest.attempts.length > 0 && newest.status !== "sending") {
      return newest;
    }
    if (performance.now() > deadline) {
      throw new Error("nothing was attempted");
    }
    await Bun.sleep(20);
  }
}

test("each chat gets its own form, escaped, and none can be made to mention anyone", async () => {
  const token = "123456:abcdefghijklmnopqrstuvwxyz";
  await add({ kind: "slack", url: `${receiver.url}/slack` }, ["channel.down"]);
  await add({ kind: "discord", url: `${receiver.url}/discord` }, ["channel.down"]);
  await add({ kind: "telegram", bot_token: token, chat_id: "-100", server: receiver.url }, ["channel.down"]);
  await add({ kind: "feishu", url: `${receiver.url}/feishu`, signing_secret: "s3cret" }, ["channel.down"]);
  await record({ ...down, data: downData });
  const [slack] = await receiver.wait("/slack", 1);
  expect(slack?.json["text"]).toStartWith(
    '*Sluice: Channel &lt;!channel&gt; **a** &amp; _b_ &lt;at user_id="all"&gt; is down*\n3 tests in a row failed',
  );
  const [discord] = await receiver.wait("/discord?wait=true", 1);
  expect(discord?.json["allowed_mentions"]).toEqual({ parse: [] });
  expect(discord?.json["content"]).toContain("\\<!channel\\> \\*\\*a\\*\\* & \\_b\\_");
  const [telegram] = await receiver.wait(`/bot${token}/sendMessage`, 1);
  expect(telegram?.json).toMatchObject({ chat_id: "-100", parse_mode: "HTML" });
  expect(telegram?.json["text"]).toStartWith("<b>Sluice: Channel &lt;!channel&gt; **a** &amp;");
  const [feishu] = await receiver.wait("/feishu", 1);
  const key = `${feishu?.json["timestamp"]}\ns3cret`;
  expect(feishu?.json["sign"]).toBe(new Bun.CryptoHasher("sha256", key).update("").digest("base64"));
  expect(feishu?.json["content"]).toEqual({ text: expect.stringContaining("‹at user_id") });
});

test("a mailbox gets an e-mail in the same outbox, whatever the event", async () => {
  const made = await add({ kind: "mail", to: "ops@example.org" }, ["node.lost"]);
  await record({
    type: "node.lost",
    gatewayUserId: null,
    cause: "node:a",
    data: { node: "tokyo-1", failure: "timeout" },
  });
  expect((await settled(made)).status).toBe("delivered");
  const mails = await rig.db.sql<{
    template: string;
  }>`select template from mail_log where to_address = 'ops@example.org'`;
  expect(mails.map(({ template }) => template)).toEqual(["operator_event"]);
});

test("a flapping channel sends people one message at once and one per period with a count, programs every event", async () => {
  const people = await add({ kind: "slack", url: `${receiver.url}/people` }, ["channel.down", "channel.recovered"]);
  await add({ kind: "webhook", url: `${receiver.url}/program` }, ["channel.down", "channel.recovered"]);
  await record({ ...down, data: downData });
  await receiver.wait("/people", 1);
  for (let count = 0; count < 10; count += 1) {
    await record({ ...back, data: { channel_id: "7", channel } });
    await record({ ...down, data: downData });
  }
  await record({ ...back, data: { channel_id: "7", channel } });
  await receiver.wait("/program", 22);
  expect(receiver.at("/people")).toHaveLength(1);
  const [held, first] = await deliveriesOf(people);
  expect([first?.count, held?.count, held?.type]).toEqual([1, 21, "channel.recovered"]);
  const waits = new Date(held?.next_attempt_at ?? 0).getTime() - new Date(first?.created_at ?? 0).getTime();
  expect(waits).toBe(600_000);
  await rig.db.sql`update event_delivery set next_attempt_at = now() where status = 'queued'`;
  const [, second] = await receiver.wait("/people", 2);
  expect(second?.json["text"]).toContain("is back*");
  expect(second?.json["text"]).toContain("21 messages about this were merged");
});

test("a chat's answer decides: a pause is kept, another number is stored, and a code that is not 0 is a failure", async () => {
  const token = "123456:abcdefghijklmnopqrstuvwxyz";
  const server = receiver.url;
  const telegram = await add({ kind: "telegram", bot_token: token, chat_id: "-100", server }, ["node.recovered"]);
  const parameters = { retry_after: 77, migrate_to_chat_id: -1_002_003 };
  receiver.reply = () => Response.json({ ok: false, parameters, description: `bot${token}` }, { status: 429 });
  const feishu = await add({ kind: "feishu", url: `${receiver.url}/feishu` }, ["node.lost"]);
  await record({ type: "node.recovered", gatewayUserId: null, cause: "node:b", data: { node: "b" } });
  const tried = await settled(telegram);
  expect(tried.attempts[0]?.response_start).not.toContain(token);
  const [row] = await rig.db.sql<{ place: string; seconds: number }>`
    select place, extract(epoch from paused_until - now())::integer as seconds from event_target where kind = 'telegram'`;
  expect(row?.place).toEndWith(" -1002003");
  expect(row?.seconds).toBeWithin(60, 78);
  receiver.reply = () => Response.json({ code: 19_021, msg: "sign match fail" });
  await record({ type: "node.lost", gatewayUserId: null, cause: "node:c", data: { node: "c", failure: null } });
  expect((await settled(feishu)).attempts[0]).toMatchObject({ http_status: 200, error: "code 19021" });
});

test("an operator's webhook gets the events of accounts with their number, and only those it chose", async () => {
  const { userId, gatewayUserId } = await loginUser(rig);
  await add({ kind: "webhook", url: `${receiver.url}/all` }, ["payment.settled"]);
  const cause = "payments:1";
  const data = { order_no: "A1", amount: "5.00", currency: "USD", quota: "2500000" };
  await record({
    type: "balance.low",
    gatewayUserId,
    cause,
    data: { threshold_percent: 5, balance_usd: "1", quota: "5" },
  });
  await record({ type: "payment.settled", gatewayUserId: gatewayUserId as GatewayUserId, cause, data });
  const [message] = await receiver.wait("/all", 1);
  expect(message?.json).toMatchObject({ type: "payment.settled", data: { ...data, user_id: String(userId) } });
  expect(receiver.messages).toHaveLength(1);
});

test("an event of a transaction that fails is not sent, and one that nobody wants is not kept", async () => {
  await add({ kind: "webhook", url: `${receiver.url}/never` }, ["channel.down"]);
  const failing = rig.db.withTransaction(async (tx) => {
    await recordEvent(tx, { ...down, data: downData });
    throw new Error("rolled back");
  });
  expect(failing).rejects.toThrow("rolled back");
  await record({ ...back, data: { channel_id: "7", channel } });
  expect(await rig.db.sql`select id from event`).toEqual([]);
});

test("only the beginning and the end of a condition are events, also when the nightly check finds violations", async () => {
  await add({ kind: "webhook", url: `${receiver.url}/money` }, ["money_check.violated", "money_check.passed"]);
  const data = { violations: 1, invariants: ["a"] };
  for (let count = 0; count < 3; count += 1) {
    await rig.db.withTransaction((tx) =>
      recordCondition(tx, "money", { holds: true, type: "money_check.violated", gatewayUserId: null, data }),
    );
  }
  await receiver.wait("/money", 1);
  const check = new MoneyCheck({ db: rig.db, log: createLog("error", () => undefined), registry: new Registry() });
  await check.runJob();
  await check.runJob();
  const [, second] = await receiver.wait("/money", 2);
  expect(second?.json["type"]).toBe("money_check.passed");
  expect(await rig.db.sql`select name from event_condition`).toEqual([]);
  expect(receiver.messages).toHaveLength(2);
});

test("a target with a thousand deliveries waiting gets no more, and says how many it missed", async () => {
  const made = await add({ kind: "webhook", url: `${receiver.url}/full` }, ["channel.down"]);
  const id = BigInt(made.target.target_id);
  await rig.db.sql`update event_target set paused_until = now() + interval '1 hour' where id = ${id}`;
  await record({ ...down, data: downData });
  await rig.db.sql`insert into event_delivery (target_id, event_id)
    select ${id}, (select max(id) from event) from generate_series(1, 999)`;
  await record({ ...down, data: downData });
  const [row] = await rig.db.sql<{ dropped: number; waiting: bigint }>`
    select t.dropped, (select count(*) from event_delivery d where d.target_id = t.id) as waiting from event_target t`;
  expect([row?.dropped, Number(row?.waiting)]).toEqual([1, 1_000]);
});

test("targets are named by super-admins with a fresh login only, and their addresses are masked and sealed", async () => {
  const wish = {
    name: "ops",
    place: { kind: "slack", url: "https://hooks.example.org/T0/secret-part" },
    events: ["test"],
  };
  const good = { ...wish, events: ["channel.down"] };
  expect(codeOf(await boss.post("/backend/admin/event-target/create/", wish))).toEqual([400, "invalid_value"]);
  const stale = consoleClient(sluice.url, (await loginAdmin(rig, { isFresh: false })).cookie);
  expect(codeOf(await stale.post("/backend/admin/event-target/create/", good))).toEqual([403, "step_up_required"]);
  const plain = await loginAdmin(rig, { isSuper: false });
  const plainPage = consoleClient(sluice.url, plain.cookie);
  expect(codeOf(await plainPage.post("/backend/admin/event-target/create/", good))).toEqual([
    403,
    "super_admin_required",
  ]);
  const token = await giveToken(rig, plain, ["everything"]);
  const headers = { authorization: `Bearer ${token}`, "content-type": "application/json" };
  const asked = await fetch(`${sluice.url}/backend/admin/event-target/create/`, {
    method: "POST",
    headers,
    body: JSON.stringify(good),
  });
  expect(asked.status).toBe(403);
  await boss.post("/backend/admin/event-target/create/", good);
  const listed = await plainPage.get("/backend/admin/event-target/list/");
  expect(listed.body["targets"]).toEqual([
    expect.objectContaining({ place: "hooks.example.org/…part", kind: "slack" }),
  ]);
  const stored = await rig.db
    .sql`select to_jsonb(t)::text from event_target t union all select to_jsonb(a)::text from audit_log a`;
  expect(JSON.stringify(stored)).not.toContain("secret-part");
});
