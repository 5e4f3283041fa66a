import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from "bun:test";
import { join } from "node:path";
import { openDatabase } from "@sluice/control-plane/platform/db-open.ts";
import { MailGateway } from "../../support/mail/mail-gateway.ts";
import { MailRig } from "../../support/mail/mail-rig.ts";
import { SmtpSink } from "../../support/mail/smtp-sink.ts";
import { startProgram } from "../../support/service/start-process.ts";

const mails = process.env["TEST_FULL"] === "1" ? 2_000 : 120;
const minute = 60_000;
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

test("two workers on separate connections never both send an email, and none is left", async () => {
  for (let index = 0; index < mails; index += 1) {
    await rig.queue(`both-${index}`);
  }
  const other = openDatabase({ url: rig.database.url, poolMax: 10, applicationName: "other" });
  const workers = [
    rig.worker(rig.httpSender(gateway.url), { concurrency: 8 }),
    rig.worker(rig.httpSender(gateway.url), { concurrency: 8, db: other }),
  ];
  await Promise.all(workers.map((worker) => worker.runDue()));
  await other.close(1_000);
  expect(gateway.requests).toHaveLength(mails);
  expect(new Set(gateway.requests.map(({ idempotencyKey }) => idempotencyKey)).size).toBe(mails);
  expect(await rig.db.sql`select status, count(*)::int as count from mail_log group by 1`).toEqual([
    { status: "sent", count: mails },
  ]);
});

test("no more emails are in progress at once than the worker may send", async () => {
  let underWay = 0;
  let most = 0;
  const reached = Promise.withResolvers<void>();
  gateway.answer = async () => {
    underWay += 1;
    most = Math.max(most, underWay);
    if (underWay === 3) {
      // A fourth would be claimed meanwhile.
      for (let turn = 0; turn < 20; turn += 1) {
        await rig.db.sql`select 1 from mail_log where status = 'sending'`;
      }
      reached.resolve();
    }
    await reached.promise;
    underWay -= 1;
    return { status: 200 };
  };
  for (let index = 0; index < 30; index += 1) {
    await rig.queue(`bounded-${index}`);
  }
  await rig.worker(rig.httpSender(gateway.url), { concurrency: 3 }).runDue();
  expect(gateway.requests).toHaveLength(30);
  expect(most).toBe(3);
});

test("an email whose sender was killed before it was recorded is sent once more, with the same Message-ID", async () => {
  const sink = await SmtpSink.start();
  await rig.queue("killed");
  const script = join(import.meta.dir, "../../support/mail/mail-process.ts");
  const env = { DATABASE_URL: rig.database.url, SMTP_URL: sink.url, NOW_MS: String(rig.nowMs) };
  const sender = startProgram({ command: [process.execPath, script], env });
  sink.onComplete = () => {
    sink.onComplete = () => undefined;
    sender.signal("SIGKILL");
  };
  await sender.exited;
  expect(sink.received).toHaveLength(1);
  expect(await rig.row("killed")).toMatchObject({ status: "sending", attempts: 1 });
  const worker = rig.worker(rig.smtpSender(sink.url));
  rig.nowMs += 2 * minute;
  await worker.runDue();
  expect(sink.received).toHaveLength(1);
  rig.nowMs += minute;
  await worker.runDue();
  expect(sink.received.map(({ messageId }) => messageId)).toEqual([
    expect.stringContaining("@example.com>"),
    sink.received[0]?.messageId ?? "",
  ]);
  expect(await rig.row("killed")).toMatchObject({ status: "sent", attempts: 2 });
  await worker.stop(0);
  await sink.stop();
});

test("a sender that comes back after its lease writes nothing over what its successor does", async () => {
  const late = Promise.withResolvers<void>();
  gateway.answer = async () => {
    await late.promise;
    return { status: 422 };
  };
  await rig.queue("late");
  const slow = rig.worker(rig.httpSender(gateway.url)).runDue();
  await gateway.untilRequests(1);
  await using successor = new MailGateway();
  const answered = Promise.withResolvers<void>();
  successor.answer = async () => {
    await answered.promise;
    return { status: 200 };
  };
  rig.nowMs += 4 * minute;
  const quick = rig.worker(rig.httpSender(successor.url)).runDue();
  await successor.untilRequests(1);
  late.resolve();
  await slow;
  expect(await rig.row("late")).toMatchObject({ status: "sending", attempts: 2, last_error: null });
  expect(rig.logLines.join("")).toContain("mail.lease_lost");
  answered.resolve();
  await quick;
  expect(await rig.row("late")).toMatchObject({ status: "sent", attempts: 2, last_error: null });
  expect(rig.outcomes).toHaveLength(1);
});

test("stopping lets emails in progress finish, and aborts them when that takes too long", async () => {
  const released = Promise.withResolvers<void>();
  gateway.answer = async () => {
    await released.promise;
    return { status: 200 };
  };
  await rig.queue("drained");
  // One at a time: a second lane might be asking for a mail at the moment of the stop, and get the next one.
  const worker = rig.worker(rig.httpSender(gateway.url), { concurrency: 1 });
  worker.wake();
  await gateway.untilRequests(1);
  const stopped = worker.stop(10_000);
  await rig.queue("after the stop");
  worker.wake();
  released.resolve();
  await stopped;
  expect(await rig.row("drained")).toMatchObject({ status: "sent" });
  expect(await rig.row("after the stop")).toMatchObject({ status: "queued", attempts: 0 });

  gateway.answer = () => "hang";
  const cut = rig.worker(rig.httpSender(gateway.url));
  cut.wake();
  await gateway.untilRequests(2);
  await cut.stop(0);
  const row = await rig.row("after the stop");
  expect(row).toMatchObject({ status: "queued", attempts: 1 });
  expect(row.next_attempt_at.getTime()).toBe(rig.nowMs);
});

test("an email that can't be decrypted or was claimed too often ends dead and does not stop the others", async () => {
  await rig.queue("moved");
  await rig.queue("crashing");
  await rig.queue("fine");
  await rig.db
    .sql`update mail_log set variables_sealed = (select variables_sealed from mail_log where dedupe_key = 'fine')
    where dedupe_key = 'moved'`;
  await rig.db.sql`update mail_log set attempts = 8 where dedupe_key = 'crashing'`;
  await rig.worker(rig.httpSender(gateway.url)).runDue();
  expect(gateway.requests).toHaveLength(1);
  expect(await rig.row("moved")).toMatchObject({
    status: "dead",
    last_error: expect.stringContaining("BrokenSealError"),
  });
  expect(await rig.row("crashing")).toMatchObject({ status: "dead", attempts: 9 });
  expect(await rig.row("fine")).toMatchObject({ status: "sent" });
});

test("the content of a dead email is deleted after a week, or when it expires", async () => {
  gateway.answer = () => ({ status: 422 });
  await rig.queue("dead-kept");
  await rig.queue("dead-over", { expiresAt: new Date(rig.nowMs + minute) });
  const worker = rig.worker(rig.httpSender(gateway.url));
  await worker.runDue();
  rig.nowMs += 2 * minute;
  await worker.forgetDead();
  expect(await rig.row("dead-over")).toMatchObject({ status: "dead", has_variables: false });
  expect(await rig.row("dead-kept")).toMatchObject({ status: "dead", has_variables: true });
  await rig.db.sql`update mail_log set updated_at = ${new Date(rig.nowMs - 8 * 24 * 60 * minute)}`;
  await worker.forgetDead();
  expect(await rig.row("dead-kept")).toMatchObject({ status: "dead", has_variables: false });
});
