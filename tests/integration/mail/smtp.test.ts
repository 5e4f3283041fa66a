import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from "bun:test";
import { needsEncryption } from "@sluice/control-plane/mail/senders/smtp-sender.ts";
import { canary, MailRig } from "../../support/mail/mail-rig.ts";
import { SmtpSink } from "../../support/mail/smtp-sink.ts";
import { createTestAuthority } from "../../support/wire/test-certificates.ts";

const second = 1_000;
let rig: MailRig;
let sink: SmtpSink;

beforeAll(async () => {
  rig = await MailRig.open();
});

beforeEach(async () => {
  await rig.clear();
  sink = await SmtpSink.start();
});

afterEach(async () => {
  await sink.stop();
});

afterAll(async () => {
  await rig.close();
});

test("a mail server gets an email with both formats, the Message-ID and the source tag, to exactly one address", async () => {
  await rig.queue("smtp-whole", { locale: "de" });
  const worker = rig.worker(rig.smtpSender(sink.url));
  await worker.runDue();
  await worker.stop(second);
  const [mail, ...others] = sink.received;
  expect(others).toEqual([]);
  expect(mail).toMatchObject({ from: "no-reply@example.com", to: ["a@example.com"] });
  expect(mail?.messageId).toMatch(/^<[0-9a-f]{40}@example\.com>$/);
  expect(mail?.subject).toContain("Passwort");
  for (const part of [
    "multipart/alternative",
    "text/plain",
    "text/html",
    "X-Mail-Source: sluice",
    "Content-Language: de",
  ]) {
    expect(mail?.source).toContain(part);
  }
  // Once in the text; in the HTML as the link of the button, as the link of the address and as the address.
  expect(mail?.source.split(`https://example.com/reset/?token=${canary}`)).toHaveLength(5);
  expect(await rig.row("smtp-whole")).toMatchObject({ status: "sent", attempts: 1, has_variables: false });
});

/** Failures are dated by the clock of the database. */
function expectJustNow(at: Date | null): void {
  expect(Math.abs(Date.now() - (at?.getTime() ?? 0))).toBeLessThan(60_000);
}

test("451 is retried and succeeds later under the same Message-ID", async () => {
  const messageIds: string[] = [];
  sink.onComplete = ({ messageId }) => messageIds.push(messageId);
  sink.behaviour = "451 at DATA";
  await rig.queue("smtp-451");
  const worker = rig.worker(rig.smtpSender(sink.url));
  await worker.runDue();
  const waiting = await rig.row("smtp-451");
  expect(waiting).toMatchObject({ status: "queued", attempts: 1, has_variables: true });
  expect(waiting.last_error).toContain("try again later");
  expectJustNow(waiting.failed_at);
  expect(waiting.next_attempt_at.getTime()).toBe(rig.nowMs + 30 * second);
  sink.behaviour = "accept";
  rig.nowMs += 29 * second;
  await worker.runDue();
  expect(messageIds).toHaveLength(1);
  rig.nowMs += second;
  await worker.runDue();
  expect(messageIds).toHaveLength(2);
  expect(new Set(messageIds).size).toBe(1);
  expect(messageIds[0]).toContain("@example.com>");
  expect(await rig.row("smtp-451")).toMatchObject({ status: "sent", attempts: 2, last_error: null, failed_at: null });
});

test("550 ends the email at once, and the reason is stored with its time", async () => {
  sink.behaviour = "550 at RCPT";
  await rig.queue("smtp-550");
  await rig.worker(rig.smtpSender(sink.url)).runDue();
  const row = await rig.row("smtp-550");
  expect(row).toMatchObject({ status: "dead", attempts: 1 });
  expect(row.last_error).toContain("no such mailbox");
  expectJustNow(row.failed_at);
});

test("the last of several failures is the one whose time is kept", async () => {
  sink.behaviour = "451 at DATA";
  await rig.queue("smtp-twice");
  const worker = rig.worker(rig.smtpSender(sink.url));
  await worker.runDue();
  await rig.db.sql`update mail_log set failed_at = failed_at - interval '1 day' where dedupe_key = 'smtp-twice'`;
  rig.nowMs += 30 * second;
  await worker.runDue();
  const row = await rig.row("smtp-twice");
  expect(row).toMatchObject({ status: "queued", attempts: 2 });
  expectJustNow(row.failed_at);
});

test("a refused connection is retried", async () => {
  const { url } = sink;
  await sink.stop();
  await rig.queue("smtp-refused");
  await rig.worker(rig.smtpSender(url)).runDue();
  expect(await rig.row("smtp-refused")).toMatchObject({ status: "queued", attempts: 1 });
  sink = await SmtpSink.start();
});

test("a silent server is given up in time and retried", async () => {
  sink.behaviour = "silent";
  await rig.queue("smtp-silent");
  const timeouts = { connectionTimeout: 200, greetingTimeout: 200, socketTimeout: 200 };
  await rig.worker(rig.smtpSender(sink.url, timeouts)).runDue();
  expect(await rig.row("smtp-silent")).toMatchObject({ status: "queued", attempts: 1 });
});

test("an address that a mail server could read as two is not sent to at all", async () => {
  const addresses = [
    "a@example.com, b@evil.example",
    '"x@evil.example y"@example.com',
    "a@b.c\r\nBcc: x@y.z",
    "a@b@c.d",
  ];
  for (const [index, to] of addresses.entries()) {
    await rig.queue(`smtp-address-${index}`, { to });
  }
  await rig.worker(rig.smtpSender(sink.url)).runDue();
  for (const index of addresses.keys()) {
    expect(await rig.row(`smtp-address-${index}`)).toMatchObject({ status: "dead" });
  }
  expect(sink.received).toEqual([]);
});

test("an encrypted server with a login gets the email, one with an untrusted certificate gets nothing", async () => {
  const certificate = createTestAuthority().issue({ ip: ["127.0.0.1"] });
  const secure = await SmtpSink.start({ certificate, password: "p w&1" });
  await rig.queue("smtp-untrusted");
  await rig.worker(rig.smtpSender(secure.url)).runDue();
  expect(secure.received).toEqual([]);
  expect(await rig.row("smtp-untrusted")).toMatchObject({ status: "queued", attempts: 1 });
  const urlOf = (password: string) =>
    `smtps://sluice:${encodeURIComponent(password)}@127.0.0.1:${secure.port}/?tls.rejectUnauthorized=false`;
  rig.nowMs += 30 * second;
  await rig.worker(rig.smtpSender(urlOf("p w&1"))).runDue();
  expect(secure.received).toHaveLength(1);
  expect(await rig.row("smtp-untrusted")).toMatchObject({ status: "sent", attempts: 2 });
  await rig.queue("smtp-password");
  await rig.worker(rig.smtpSender(urlOf("wrong-password"))).runDue();
  expect(await rig.row("smtp-password")).toMatchObject({
    status: "queued",
    last_error: expect.stringContaining("535"),
  });
  expect(rig.logLines.join("")).not.toContain("wrong-password");
  await secure.stop();
});

test("a mail server on another machine gets nothing in plain text unless its URL allows it", () => {
  const urls = [
    "smtp://mail.example.com",
    "smtp://u:p@10.0.0.7:587",
    "smtp://127.0.0.1.example.com",
    "smtp://[2001:db8::1]",
  ];
  expect(urls.map(needsEncryption)).toEqual([true, true, true, true]);
  const excepted = ["smtp://localhost:25", "smtp://127.0.0.1", "smtp://[::1]:25", "smtp://mail.lan?requireTLS=false"];
  expect(excepted.map(needsEncryption)).toEqual([false, false, false, false]);
});

test("a login that the mail server refuses kills no email, however often, and raises an alarm", async () => {
  await sink.stop();
  sink = await SmtpSink.start({ password: "right" });
  await rig.queue("smtp-login");
  const address = sink.url.replace("smtp://", "smtp://sluice:wrong@");
  const worker = rig.worker(rig.smtpSender(address));
  for (let round = 1; round <= 12; round += 1) {
    await worker.runDue();
    expect(await rig.row("smtp-login")).toMatchObject({ status: "queued", attempts: round, has_variables: true });
    rig.nowMs += 3_600 * second;
  }
  expect(rig.logLines.some((line) => line.includes('"mail.alarm"') && line.includes("misconfigured"))).toBe(true);
  await rig.worker(rig.smtpSender(address.replace("wrong", "right"))).runDue();
  expect(await rig.row("smtp-login")).toMatchObject({ status: "sent", attempts: 13 });
});

test("the mail log covers a year and a bit, without waiting emails", async () => {
  await rig.queue("old-sent");
  await rig.queue("old-waiting");
  await rig.queue("young");
  const worker = rig.worker(rig.smtpSender(sink.url));
  await rig.db.sql`update mail_log set status = 'sent' where dedupe_key <> 'old-waiting'`;
  await rig.db.sql`
    update mail_log set created_at = ${new Date(rig.nowMs - 401 * 86_400 * second)} where dedupe_key like 'old-%'`;
  await rig.db.sql`update mail_log set created_at = ${new Date(rig.nowMs)} where dedupe_key = 'young'`;
  expect(await worker.deleteOld()).toBe(1);
  expect((await rig.row("old-waiting")).status).toBe("queued");
  expect((await rig.row("young")).status).toBe("sent");
});
