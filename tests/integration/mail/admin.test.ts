import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "bun:test";
import { allLocales } from "@sluice/contracts/locales";
import { mailTemplateNames } from "@sluice/contracts/mail";
import { mailLogEndpoints } from "@sluice/control-plane/mail/log/routes.ts";
import { plainMailLook } from "@sluice/control-plane/mail/model.ts";
import { templateEndpoints } from "@sluice/control-plane/mail/templates/routes.ts";
import { MailGateway } from "../../support/mail/mail-gateway.ts";
import { MailRig } from "../../support/mail/mail-rig.ts";
import { type EndpointServer, serveEndpoints } from "../../support/service/endpoint-server.ts";

type Answer = { readonly status: number; readonly body: Readonly<Record<string, unknown>>; readonly text: string };

let rig: MailRig;
let http: EndpointServer;
let gateway: MailGateway;

beforeAll(async () => {
  rig = await MailRig.open();
  const shared = { service: "Sluice", console_link: "https://example.com/console/" };
  const { db, clock } = rig;
  http = serveEndpoints([
    ...mailLogEndpoints({ db, clock }),
    ...templateEndpoints({ db, shared, siteUrl: "https://example.com", look: () => plainMailLook }),
  ]);
});

beforeEach(async () => {
  await rig.clear();
  await rig.db.sql`delete from mail_template where name <> ''`;
  gateway = new MailGateway();
});

afterEach(async () => {
  await gateway.stop();
});

afterAll(async () => {
  await http.stop();
  await rig.close();
});

async function call(
  path: string,
  body?: unknown,
  headers: Record<string, string> = { "x-test-admin": "super" },
): Promise<Answer> {
  const response = await fetch(`${http.url}/backend/admin/mail/${path}`, {
    headers: { ...headers, ...(body === undefined ? {} : { "content-type": "application/json" }) },
    ...(body === undefined ? {} : { method: "POST", body: JSON.stringify(body) }),
  });
  const text = await response.text();
  return { status: response.status, body: JSON.parse(text) as Record<string, unknown>, text };
}

const good = { subject: "Pay <now>", html: "<b>{{order_no}}</b> {{amount}}", text: "{{order_no}}: {{amount}}" };
const place = { name: "payment_success", locale: "de" };

describe("templates", () => {
  test("every template in every language can be read, previewed and saved unchanged", async () => {
    for (const name of mailTemplateNames) {
      for (const locale of allLocales) {
        const { body } = await call(`template/?name=${name}&locale=${locale}`);
        expect(body).toMatchObject({ template: { name, locale, version: 0 } });
        const preview = await call("template/preview/", { name, locale });
        expect(preview.status).toBe(200);
        expect(preview.text).not.toContain("{{");
        const { version: _, ...source } = body["template"] as Record<string, unknown>;
        const saved = await call("template/save/", { ...source, version: 0 });
        expect(saved.body).toMatchObject({ ok: true, template: { version: 1 } });
      }
    }
    const { body } = await call("template/list/");
    expect(body["changed"]).toHaveLength(mailTemplateNames.length * allLocales.length);
  });

  test("a saved one is what is sent, escaped, and the change is in the audit log", async () => {
    const saved = await call("template/save/", { ...place, ...good });
    expect(saved).toMatchObject({ status: 200, body: { template: { ...place, ...good, version: 1 } } });
    const variables = { order_no: "<A1>", plan_name: "p", amount: "5.00", currency: "USD", quota: "1" };
    const mail = {
      dedupeKey: "custom",
      template: "payment_success",
      userId: null,
      to: "a@b.c",
      locale: "de",
      source: "t",
    } as const;
    await rig.db.withTransaction((tx) => rig.service.queueMail(tx, { ...mail, variables }));
    await rig.worker(rig.httpSender(gateway.url)).runDue();
    expect(gateway.requests[0]?.body).toMatchObject({ subject: "Pay <now>", text: "<A1>: 5,00\u00a0$" });
    expect(gateway.requests[0]?.body["html"]).toBe("<b>&lt;A1&gt;</b> 5,00\u00a0$");
    const [entry] = await rig.db.sql`
      select actor_kind, actor_id, action, subject_id, before, after->>'version' as version from audit_log
      where action = 'mail_template.save' order by id desc limit 1`;
    const expected = { actor_kind: "admin", actor_id: 7n, action: "mail_template.save", before: null, version: "1" };
    expect(entry).toEqual({ ...expected, subject_id: "payment_success/de" });
  });

  test("of two admins who edit the same version the second gets a conflict, and a third without a version wins", async () => {
    expect((await call("template/save/", { ...place, ...good, version: 0 })).status).toBe(200);
    expect((await call("template/save/", { ...place, ...good, version: 0 })).status).toBe(409);
    expect((await call("template/save/", { ...place, ...good, version: 1 })).body).toMatchObject({
      template: { version: 2 },
    });
    expect((await call("template/save/", { ...place, ...good, version: 1 })).status).toBe(409);
    expect((await call("template/save/", { ...place, ...good })).body).toMatchObject({ template: { version: 3 } });
  });

  test("an invalid one is refused with the field that is wrong, and nothing is saved", async () => {
    const cases = [
      [{ ...good, html: "<b>{{order_no}}</b>" }, "html"],
      [{ ...good, text: "{{order_no}} {{amount}} {{link}}" }, "text"],
      [{ ...good, subject: "{{console_link}}" }, "subject"],
      [{ ...good, subject: "two\nlines" }, "subject"],
      [{ ...good, html: `${good.html}<script>1</script>` }, "html"],
      [{ ...good, html: "x".repeat(20_001) }, "html"],
    ] as const;
    for (const [source, field] of cases) {
      for (const path of ["template/save/", "template/preview/"]) {
        const { status, body } = await call(path, { ...place, ...source });
        expect(status).toBe(400);
        expect(Object.keys((body["error"] as { fields: object }).fields)).toEqual([field]);
      }
    }
    expect((await call("template/save/", { ...place, ...good, locale: "xx" })).status).toBe(400);
    expect(await rig.db.sql`select 1 from mail_template`).toEqual([]);
  });

  test("one that the program can no longer fill is replaced by the shipped one", async () => {
    await rig.db.sql`insert into mail_template (name, locale, subject, html, text)
      values ('password_reset', 'en', 'S', '{{gone}} {{link}}', '{{link}}')`;
    await rig.queue("fallback");
    await rig.worker(rig.httpSender(gateway.url)).runDue();
    expect(gateway.requests[0]?.body["subject"]).toBe("Reset your password");
    expect(rig.logLines.join("")).toContain("mail.template_invalid");
  });
});

describe("the mail log", () => {
  test("revives a dead email, once, with an entry in the audit log", async () => {
    gateway.answer = () => ({ status: 422 });
    await rig.queue("revived");
    const worker = rig.worker(rig.httpSender(gateway.url));
    await worker.runDue();
    const { id } = await rig.row("revived");
    gateway.answer = () => ({ status: 200 });
    expect(await call("resend/", { id: Number(id) })).toMatchObject({ status: 200, body: { status: "queued" } });
    expect((await call("resend/", { id: Number(id) })).status).toBe(409);
    await worker.runDue();
    expect(await rig.row("revived")).toMatchObject({ status: "sent", attempts: 1, has_variables: false });
    expect(new Set(gateway.requests.map(({ idempotencyKey }) => idempotencyKey)).size).toBe(1);
    expect((await call("resend/", { id: Number(id) })).status).toBe(409);
    expect(
      await rig.db.sql`select 1 as one from audit_log where action = 'mail.resend' and subject_id = ${String(id)}`,
    ).toEqual([{ one: 1 }]);
  });

  test("a dead email that has expired, or does not exist, is not sent again", async () => {
    gateway.answer = () => ({ status: 422 });
    await rig.queue("over", { expiresAt: new Date(rig.nowMs + 1_000) });
    await rig.worker(rig.httpSender(gateway.url)).runDue();
    const { id } = await rig.row("over");
    rig.nowMs += 1_000;
    expect((await call("resend/", { id: Number(id) })).status).toBe(409);
    expect((await call("resend/", { id: 999_999 })).status).toBe(409);
    expect((await call("resend/", { id: "9223372036854775808" })).status).toBe(400);
  });

  test("is for admins only", async () => {
    for (const [path, body] of [
      ["resend/", { id: 1 }],
      ["template/list/", undefined],
      ["template/save/", { ...place, ...good }],
      ["template/preview/", place],
    ] as const) {
      expect((await call(path, body, {})).status).toBe(401);
      expect((await call(path, body, { "x-test-user": "1" })).status).toBe(401);
    }
  });
});
