import { afterAll, beforeAll, expect, test } from "bun:test";
import { MailService } from "@sluice/control-plane/mail/service.ts";
import { systemClock } from "@sluice/control-plane/platform/clock.ts";
import { MasterKey } from "@sluice/control-plane/platform/crypto/master-key.ts";
import { MailGateway } from "../../support/mail/mail-gateway.ts";
import { canary, mailTestKey } from "../../support/mail/mail-rig.ts";
import { SmtpSink } from "../../support/mail/smtp-sink.ts";
import { type SluiceProcess, SluiceRig } from "../../support/service/sluice.ts";
import { patienceMs } from "../../support/values/patience.ts";

const link = `https://example.com/verify/?token=${canary}`;
const service = new MailService({ masterKey: new MasterKey(mailTestKey), clock: systemClock });
let rig: SluiceRig;
let gateway: MailGateway;

beforeAll(async () => {
  gateway = new MailGateway();
  rig = await SluiceRig.create("http://127.0.0.1:1");
});

afterAll(async () => {
  await rig.close();
  await gateway.stop();
});

const startWith = (env: Record<string, string>): Promise<SluiceProcess> =>
  rig.startProcess({ MAIL_FROM: "Our Service <no-reply@example.com>", PUBLIC_BASE_URL: "https://example.com", ...env });

const withGateway = (): Promise<SluiceProcess> =>
  startWith({ MAIL_ADAPTER: "http", MAIL_GATEWAY_URL: gateway.url, MAIL_GATEWAY_KEY: "a key of the environment" });

async function addUser(): Promise<bigint> {
  const { gatewayUserId } = await rig.addUser();
  const [row] = await rig.db.sql<{ id: bigint }>`
    insert into user_profile (gateway_user_id, email) values (${gatewayUserId}::bigint, ${`${gatewayUserId}@example.com`})
    returning id`;
  return row?.id ?? 0n;
}

async function queue(dedupeKey: string, userId: bigint): Promise<void> {
  const variables = { link, valid_minutes: "1440" };
  const mail = {
    dedupeKey,
    template: "email_verify",
    userId,
    to: "a@example.com",
    locale: "en",
    source: "test",
  } as const;
  await rig.db.withTransaction((tx) => service.queueMail(tx, { ...mail, variables }));
}

async function untilStatus(dedupeKey: string, status: string): Promise<void> {
  const deadline = performance.now() + patienceMs;
  for (;;) {
    const [row] = await rig.db.sql<{ status: string }>`select status from mail_log where dedupe_key = ${dedupeKey}`;
    if (row?.status === status) {
      return;
    }
    if (performance.now() > deadline) {
      throw new Error(`${dedupeKey} is ${row?.status} and not ${status}`);
    }
    await Bun.sleep(10);
  }
}

const profileOf = async (userId: bigint) => {
  const [row] = await rig.db.sql<{ sent: boolean; error: string | null }>`
    select verification_email_sent_at is not null as sent, verification_email_error as error
    from user_profile where id = ${userId}::bigint`;
  return row;
};

test("the program sends an email as soon as it is committed, updates the profile, and drains at its end", async () => {
  const program = await withGateway();
  const failing = await addUser();
  gateway.answer = () => ({ status: 422, body: `no such ${link}` });
  const committed = performance.now();
  await queue("refused", failing);
  await gateway.untilRequests(1);
  // The job that looks for what is due comes only four times a minute.
  expect(performance.now() - committed).toBeLessThan(5_000);
  await untilStatus("refused", "dead");
  expect(await profileOf(failing)).toEqual({ sent: true, error: "the mail gateway responded 422 no such [link]" });
  expect(gateway.requests[0]).toMatchObject({ key: "a key of the environment", body: { source: "sluice" } });
  expect(gateway.requests[0]?.body["text"]).toContain("Our Service");

  const userId = await addUser();
  const released = Promise.withResolvers<void>();
  gateway.answer = async () => {
    await released.promise;
    return { status: 200 };
  };
  await queue("drained", userId);
  await gateway.untilRequests(2);
  const stopped = program.stop();
  released.resolve();
  expect(await stopped).toBe(0);
  await untilStatus("drained", "sent");
  expect(await profileOf(userId)).toEqual({ sent: true, error: null });
  await program.logged("mail.not_sent");
  expect(program.log()).not.toContain("canary");
});

test("a new user gets an email by SMTP whose link verifies the address; a server that refuses stops nobody", async () => {
  const sink = await SmtpSink.start();
  const program = await startWith({ MAIL_ADAPTER: "smtp", SMTP_URL: sink.url });
  const register = (email: string): Promise<Response> =>
    fetch(`${program.url}/backend/auth/register/`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ email, password: "violet-anvil-93-harbour" }),
    });
  const profile = async (email: string) => {
    const [row] = await rig.db.sql<{ status: string; sent: boolean; error: string | null }>`
      select status, verification_email_sent_at is not null as sent, verification_email_error as error
      from user_profile where email = ${email}`;
    return row;
  };
  const untilTold = async (email: string) => {
    const deadline = performance.now() + patienceMs;
    let seen = await profile(email);
    while (seen !== undefined && !seen.sent && seen.error === null && performance.now() < deadline) {
      await Bun.sleep(10);
      seen = await profile(email);
    }
    return seen;
  };

  expect((await register("new@example.com")).ok).toBe(true);
  expect(await untilTold("new@example.com")).toEqual({ status: "email_pending", sent: true, error: null });
  const [mail] = sink.received;
  expect(mail?.to).toEqual(["new@example.com"]);
  const token = /https:\/\/example\.com(\/\S*token=[\w-]+)/.exec(mail?.source ?? "")?.[1] ?? "";
  expect((await fetch(`${program.url}${token}`)).ok).toBe(true);
  // The page that the link opens has a button, so that link scanners verify nothing.
  expect(await profile("new@example.com")).toMatchObject({ status: "email_pending" });
  const form = new URLSearchParams({ token: token.split("token=")[1] ?? "" });
  const pressed = { method: "POST", body: form, headers: { origin: program.url } };
  expect((await fetch(`${program.url}/verify-email/`, pressed)).status).toBeLessThan(400);
  expect(await profile("new@example.com")).toMatchObject({ status: "active" });

  sink.behaviour = "550 at RCPT";
  expect((await register("refused@example.com")).ok).toBe(true);
  const refused = await untilTold("refused@example.com");
  expect(refused).toMatchObject({ status: "email_pending", sent: true });
  expect(refused?.error).toContain("no such mailbox");
  await program.stop();
  expect(token.length).toBeGreaterThan(40);
  expect(program.log()).not.toContain(token.split("token=")[1] ?? "");
  await sink.stop();
});

test("in development nothing is sent: the email is kept in the mail log, and no log line shows its link", async () => {
  const program = await startWith({});
  const userId = await addUser();
  await queue("kept", userId);
  await untilStatus("kept", "sent");
  const requests = gateway.requests.length;
  expect(await program.stop()).toBe(0);
  await program.logged("mail.kept_in_log");
  expect(program.log()).not.toContain("canary");
  expect(gateway.requests.length).toBe(requests);
  expect(await profileOf(userId)).toEqual({ sent: true, error: null });
});

test("a program whose adapter lacks its address does not start, and says which variable is missing", async () => {
  const starting = startWith({ MAIL_ADAPTER: "http" });
  await expect(starting).rejects.toThrow("MAIL_GATEWAY_URL: needed with MAIL_ADAPTER=http");
  const unfit = startWith({ MAIL_FROM: "somebody" });
  await expect(unfit).rejects.toThrow("MAIL_FROM");
});
