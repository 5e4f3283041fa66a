import { afterAll, beforeAll, beforeEach, describe, expect, test } from "bun:test";
import { leadSenders } from "@sluice/control-plane/accounts/attempts/sender-limits.ts";
import { analyticsEndpoints } from "@sluice/control-plane/admin/campaigns/routes.ts";
import { forgetOldEvents } from "@sluice/control-plane/admin/campaigns/service.ts";
import { leadEndpoints, leadPlace } from "@sluice/control-plane/admin/leads/routes.ts";
import { findAppRole } from "@sluice/control-plane/db/app-role.ts";
import { systemClock } from "@sluice/control-plane/platform/clock.ts";
import type { Database } from "@sluice/control-plane/platform/db.ts";
import { openDatabase } from "@sluice/control-plane/platform/db-open.ts";
import { listEndpoints } from "@sluice/control-plane/platform/list-query/endpoints.ts";
import { createLog } from "@sluice/control-plane/platform/log.ts";
import { reportEndpoints } from "@sluice/control-plane/usage/reports/routes.ts";
import { holdLock } from "../support/postgres/held-lock.ts";
import { createTestDatabase, type TestDatabase } from "../support/postgres/test-database.ts";
import { type EndpointServer, serveEndpoints } from "../support/service/endpoint-server.ts";

const browser = "Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0";
const admin = { "x-test-admin": "plain" };

let database: TestDatabase;
let db: Database;
let http: EndpointServer;
/** Advances only when a test says so, so that limits per minute do not slow the tests. */
let tick = 0;
/** The addresses that leads come from. */
let sender = "192.0.2.1";

beforeAll(async () => {
  database = await createTestDatabase();
  db = openDatabase({
    url: database.url,
    poolMax: 4,
    applicationName: "test",
    role: await findAppRole(database.url),
  });
  const clock = { tick: () => tick, now: () => Date.now() };
  const limits = { perAddress: 20, inAll: 30 };
  const problemPage = (
    { locale, problem }: { locale: string; problem: { code: string } | null },
    status: number,
  ): Response => new Response(`${locale} ${problem?.code}`, { status, headers: { "content-type": "text/html" } });
  const lists = { db, clock: systemClock, log: createLog("error", () => {}), recordExport: () => Promise.resolve() };
  http = serveEndpoints([
    ...analyticsEndpoints({ db, clock, limits }),
    ...leadEndpoints({ db, clock, limits, problemPage, countSender: () => leadSenders(db)(sender) }),
    ...listEndpoints(lists, [leadPlace]),
    ...reportEndpoints({ db, clock }),
  ]);
});

beforeEach(async () => {
  tick += 120_000;
  sender = `192.0.${tick / 120_000}.1`;
  await db.sql`delete from campaign_event where kind <> 'payment_settled'`;
  await db.sql`delete from enterprise_lead where id > 0`;
});

afterAll(async () => {
  await http.stop();
  await db.close(1_000);
  await database.drop();
});

type Sent = { readonly status: number; readonly body: Record<string, unknown>; readonly cookies: string | null };

async function send(path: string, body: unknown, headers: Record<string, string> = {}): Promise<Sent> {
  const answer = await fetch(`${http.url}${path}`, {
    method: "POST",
    headers: { "content-type": "application/json", "user-agent": browser, ...headers },
    body: typeof body === "string" ? body : JSON.stringify(body),
  });
  const cookies = answer.headers.get("set-cookie");
  return { status: answer.status, body: (await answer.json()) as Record<string, unknown>, cookies };
}

const report = (event: unknown, headers?: Record<string, string>): Promise<Sent> =>
  send("/backend/analytics/landing/", event, headers);

const codeOf = ({ status, body }: Sent) => [status, (body["error"] as { code?: string } | undefined)?.code];

describe("an event of a public page", () => {
  test("is stored with what the page reports, without a cookie, as JSON and as a beacon sends it", async () => {
    const event = {
      kind: "page_view",
      utm_source: "newsletter",
      utm_medium: "mail",
      visitor_id: "visitor-0001",
      path: "/docs/quickstart/?token=secret-of-a-link",
      referrer: "https://search.example.org/find?q=private#part",
      language: "de-AT",
      viewport: "1280x720",
    };
    expect(await report(event)).toMatchObject({ status: 200, body: { ok: true, is_counted: true }, cookies: null });
    const beacon = await report({ ...event, campaign: "spring" }, { "content-type": "text/plain;charset=UTF-8" });
    expect([beacon.status, beacon.cookies]).toEqual([200, null]);
    const rows = await db.sql<Record<string, unknown>>`
      select kind, campaign, utm_source, utm_medium, visitor_id, path, referrer, language, viewport, is_bot
      from campaign_event order by id`;
    const kept = {
      ...event,
      path: "/docs/quickstart/",
      referrer: "https://search.example.org/find",
      is_bot: false,
    };
    expect(rows).toEqual([
      { ...kept, campaign: "default" },
      { ...kept, campaign: "spring" },
    ]);
  });

  test.each([
    [
      "texts that are far too long",
      { path: `/${"a".repeat(1_500)}`, language: "x".repeat(300), target: "y".repeat(300) },
    ],
    ["texts with control characters", { target: "one\u001b[31m\r\ntwo", language: "\u0007" }],
    ["fields of another type", { utm_source: 5, visitor_id: ["a"], viewport: { width: 5 }, path: null }],
    ["an odd visitor and an odd viewport", { visitor_id: "<script>", viewport: "all of it" }],
    ["fields that nobody knows", { password: "x", __proto__: { kind: "cta_click" } }],
  ])("with %s is stored without the invalid fields", async (_, more) => {
    expect(await report({ kind: "cta_click", ...more })).toMatchObject({ status: 200 });
    const [row] = await db.sql<Record<string, string | null>>`
      select path, language, target, visitor_id, viewport, utm_source from campaign_event`;
    for (const value of Object.values(row ?? {})) {
      expect((value ?? "").length).toBeLessThanOrEqual(500);
      expect(value ?? "").not.toMatch(/[\p{Cc}<]/u);
    }
  });

  test.each([
    ["without a kind", {}, [400, "invalid_value"]],
    ["of the payment path", { kind: "payment_settled" }, [400, "invalid_value"]],
    ["that is a list", [], [400, "invalid_value"]],
    ["that is not JSON", "page_view", [400, "invalid_json"]],
    ["that is too large", { kind: "page_view", path: "/".repeat(20_000) }, [413, "request_too_large"]],
  ])("%s is refused", async (_, event, expected) => {
    expect(codeOf(await report(event))).toEqual(expected);
  });

  test("from another site is refused", async () => {
    expect(codeOf(await report({ kind: "page_view" }, { "sec-fetch-site": "cross-site" }))[0]).toBe(403);
  });

  test.each(["Mozilla/5.0 (compatible; Googlebot/2.1)", "curl/8.5.0", "HeadlessChrome/140"])(
    "from the program %s is stored separately",
    async (userAgent) => {
      expect(await report({ kind: "page_view" }, { "user-agent": userAgent })).toMatchObject({
        body: { is_counted: false },
      });
      const day = new Date().toISOString().slice(0, 10);
      const answer = await fetch(`${http.url}/backend/admin/report/campaign/?to_day=${day}`, { headers: admin });
      expect(await answer.json()).toMatchObject({ rows: [], bot_events: 1, total: { page_views: 0 } });
    },
  );

  test("one address can only send a limited number per minute, and more are not stored", async () => {
    const answers = await Promise.all(Array.from({ length: 25 }, () => report({ kind: "page_view" })));
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(20);
    const refused = answers.filter(({ status }) => status === 429);
    expect(refused).toHaveLength(5);
    expect(codeOf(refused[0] as Sent)).toEqual([429, "too_many_attempts"]);
    const [row] = await db.sql<{ events: number }>`select count(*)::integer as events from campaign_event`;
    expect(row?.events).toBe(20);
  });

  test("is deleted at the end of its retention", async () => {
    await report({ kind: "page_view" });
    await report({ kind: "cta_click" });
    await db.sql`update campaign_event set created_at = now() - interval '41 days' where kind = 'page_view'`;
    expect(await forgetOldEvents(db, 40)).toBe(1);
    expect([...(await db.sql`select kind from campaign_event`)]).toEqual([{ kind: "cta_click" }]);
  });
});

const lead = {
  company: "Example & Sons",
  contact: "A person",
  email: "person@example.org",
  volume: "2 million tokens a day",
  message: "=HYPERLINK(1)\nPlease call.",
};
const create = (body: unknown): Promise<Sent> => send("/backend/lead/create/", body);

/** Makes all leads this old. */
const ageLeads = (interval: string): Promise<unknown> =>
  db.query("update enterprise_lead set created_at = now() - $1::text::interval", [interval]);

type Lead = { id: number; version: number; status: string; message: string };

async function listed(query = ""): Promise<Lead[]> {
  const answer = await fetch(`${http.url}/backend/admin/lead/list/${query}`, { headers: admin });
  expect(answer.status).toBe(200);
  return ((await answer.json()) as { rows: Lead[] }).rows;
}

async function sendForm(fields: Record<string, string>): Promise<Response> {
  const headers = { "user-agent": browser, "sec-fetch-site": "same-origin" };
  const body = new URLSearchParams(fields);
  return await fetch(`${http.url}/contact/send/`, { method: "POST", headers, body, redirect: "manual" });
}

describe("the form of an enterprise lead", () => {
  test("works without JavaScript: it is stored, and a page in the language of the form confirms it", async () => {
    const answer = await sendForm({ ...lead, lang: "pt", website: "" });
    expect([answer.status, answer.headers.get("location")]).toEqual([303, "/pt/contact/sent/"]);
    expect(await listed("?status=pending")).toMatchObject([{ ...lead, status: "pending" }]);
  });

  test.each([
    ["an invalid address", { email: "nobody" }, 400, "ja invalid_email"],
    ["a missing name", { contact: "" }, 400, "ja invalid_value"],
    ["an endless text", { message: "x".repeat(5_001) }, 400, "ja invalid_value"],
  ])("gets a page in response and stores nothing for %s", async (_, change, status, text) => {
    const answer = await sendForm({ ...lead, ...change, lang: "ja" });
    expect([answer.status, await answer.text()]).toEqual([status, text]);
    expect(await listed()).toEqual([]);
  });

  test("stores nothing when the hidden field is filled in", async () => {
    const answer = await sendForm({ ...lead, website: "http://spam.example" });
    expect([answer.status, answer.headers.get("location")]).toEqual([303, "/contact/sent/"]);
    expect(await listed()).toEqual([]);
  });

  test("is limited together with the endpoint, and says when to come back", async () => {
    const answers = await Promise.all(Array.from({ length: 22 }, () => sendForm({ ...lead, email: "" })));
    expect(answers.map(({ status }) => status).filter((status) => status === 400)).toHaveLength(22);
    for (let count = 0; count < 20; count += 1) {
      await create({ ...lead, website: "x" });
    }
    const refused = await sendForm(lead);
    expect([refused.status, Number(refused.headers.get("retry-after")) > 0]).toEqual([429, true]);
  });
});

describe("an enterprise lead", () => {
  test("waits until an admin has changed its state, which is recorded", async () => {
    expect(await create(lead)).toMatchObject({ status: 200, body: { ok: true, received: true } });
    const [found] = await listed("?status=pending");
    expect(found).toMatchObject({ ...lead, status: "pending", campaign: "default" });
    const { id, version } = found as Lead;
    const change = { id, version, status: "contacted", note: "Called on Monday" };
    expect(await send("/backend/admin/lead/save/", change, admin)).toMatchObject({
      status: 200,
      body: { lead: { status: "contacted", version: 2 } },
    });
    expect(codeOf(await send("/backend/admin/lead/save/", change, admin))).toEqual([409, "conflict"]);
    expect(codeOf(await send("/backend/admin/lead/save/", { ...change, id: 999_999 }, admin))).toEqual([
      404,
      "not_found",
    ]);
    expect(await listed("?status=pending")).toEqual([]);
    const entries = await db.sql`
      select actor_name, before, after from audit_log where action = 'lead.save' and subject_id = ${id.toString()}`;
    expect([...entries]).toEqual([
      {
        actor_name: "plain admin",
        before: { status: "pending", note: "" },
        after: { status: "contacted", note: "Called on Monday" },
      },
    ]);
  });

  test("is not a formula in the file that admins download", async () => {
    await create(lead);
    const answer = await fetch(`${http.url}/backend/admin/lead/export/`, { headers: admin });
    expect(await answer.text()).toContain(`"'=HYPERLINK(1)`);
  });

  test("from a program that fills in the hidden field is not stored, and the program gets the same response", async () => {
    const caught = await create({ ...lead, website: "https://spam.example.org" });
    const taken = await create(lead);
    const { request_id: _, ...told } = caught.body;
    expect([caught.status, told]).toEqual([taken.status, taken.body]);
    expect(await listed()).toHaveLength(1);
  });

  test("is accepted three times a day per email address, however it is written", async () => {
    for (const email of ["person@example.org", "Person@Example.org", "PERSON@example.org"]) {
      expect((await create({ ...lead, email })).status).toBe(200);
    }
    await ageLeads("23 hours 59 minutes");
    expect(codeOf(await create(lead))).toEqual([429, "too_many_attempts"]);
    expect((await create({ ...lead, email: "other@example.org" })).status).toBe(200);
    await ageLeads("24 hours 1 minute");
    expect((await create(lead)).status).toBe(200);
  });

  test("is accepted two hundred times an hour in total", async () => {
    await db.sql`
      insert into enterprise_lead (company, contact, email, volume, message, campaign)
      select 'c', 'p', i || '@example.org', 'v', 'm', 'default' from generate_series(1, 199) i`;
    await ageLeads("59 minutes");
    expect((await create(lead)).status).toBe(200);
    expect(codeOf(await create({ ...lead, email: "late@example.org" }))).toEqual([429, "too_many_attempts"]);
    await ageLeads("61 minutes");
    expect((await create({ ...lead, email: "late@example.org" })).status).toBe(200);
  });

  test("is accepted ten times a day from one address, forty times from one network, and still from others", async () => {
    const sendFrom = async (ip: string): Promise<number> => {
      sender = ip;
      tick += 60_000;
      return (await create({ ...lead, email: `${crypto.randomUUID()}@example.org` })).status;
    };
    const flood = async (ip: string): Promise<number> => {
      let taken = 0;
      while ((await sendFrom(ip)) === 200) {
        taken += 1;
      }
      return taken;
    };
    const ofAddresses: number[] = [];
    for (const last of [1, 2, 3, 4, 5]) {
      ofAddresses.push(await flood(`198.51.100.${last}`));
    }
    expect(ofAddresses).toEqual([10, 10, 10, 10, 0]);
    expect(await sendFrom("198.51.101.1")).toBe(200);
    // With IPv6, the owner of a network has all of its addresses.
    const ofNetworks: number[] = [];
    for (const ip of ["2001:db8:1:1::1", "2001:db8:1:1::2", "2001:db8:1:2::1", "2001:db8:2::1"]) {
      ofNetworks.push(await flood(ip));
    }
    expect(ofNetworks).toEqual([10, 0, 10, 10]);
    expect((await create({ ...lead, email: "last@example.org", website: "x" })).status).toBe(200);
  });

  test("is accepted three times even if many are sent at the same moment", async () => {
    // No lead is written before all requests have counted.
    const watching = openDatabase({ url: database.url, poolMax: 2, applicationName: "test" });
    await using held = await holdLock(watching, (tx) => tx.sql`lock table enterprise_lead in share row exclusive mode`);
    const asked = Array.from({ length: 5 }, () => create({ ...lead, email: "crowd@example.org" }));
    await held.waitForWaiters(4);
    await held.release();
    const answers = await Promise.all(asked);
    await watching.close(500);
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 200, 200, 429, 429]);
  });

  test.each([
    ["a missing company", { company: " " }],
    ["an invisible company", { company: "\u200b\u3164" }],
    ["a missing address", { email: "nobody" }],
    ["a line break in the company", { company: "a\r\nb" }],
    ["control characters in the message", { message: "\u001b[31m" }],
    ["an endless message", { message: "a".repeat(5_001) }],
    ["a state chosen by the sender", { status: "won" }],
  ])("with %s is refused", async (_, change) => {
    const codes: Record<string, string> = { email: "invalid_email", status: "unknown_field" };
    const code = codes[Object.keys(change)[0] ?? ""] ?? "invalid_value";
    expect(codeOf(await create({ ...lead, ...change }))).toEqual([400, code]);
  });
});
