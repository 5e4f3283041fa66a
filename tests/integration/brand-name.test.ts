import { afterAll, beforeAll, expect, test } from "bun:test";
import { dayMs } from "@sluice/control-plane/platform/clock.ts";
import { loginAdmin, loginUser } from "../support/accounts/logins.ts";
import { type SluiceProcess, SluiceRig } from "../support/service/sluice.ts";
import { builtWeb } from "../support/web/web-build.ts";

let rig: SluiceRig;
let service: SluiceProcess;
let cookie: string;
let userCookie = "";
let before: { readonly login: string; readonly register: string };
let saved: readonly number[];

beforeAll(async () => {
  rig = await SluiceRig.create("http://127.0.0.1:9");
  service = await rig.startProcess({ WEB_DIST: await builtWeb() });
  cookie = (await loginAdmin(rig)).cookie;
  before = { login: await textOf("/login/"), register: await textOf("/register/") };
  // At once: after each change that the service sees, it renders all public pages again.
  saved = await Promise.all([
    nameIt('Acme <b>"AI"', 0),
    setSetting("announcement.text", "Maintenance <i>tonight</i>"),
    setSetting("announcement.url", "https://status.example/a?b=1&c=2"),
    setSetting("brand.terms_url", "https://acme.example/terms"),
    setSetting("brand.imprint_url", "/docs/quickstart/"),
  ]);
});
afterAll(() => rig.close());

const nameIt = (value: string, version: number): Promise<number> => setSetting("brand.name", value, version);

async function setSetting(name: string, value: string, version = 0): Promise<number> {
  const response = await fetch(`${service.url}/backend/admin/settings/save/`, {
    method: "POST",
    headers: { cookie, origin: service.url, "content-type": "application/json" },
    body: JSON.stringify({ name, value, version }),
  });
  await response.arrayBuffer();
  return response.status;
}

const textOf = async (path: string): Promise<string> =>
  await (await fetch(`${service.url}${path}`, { headers: { cookie: userCookie } })).text();

/** Resolves once a page has the text: settings are read again every few seconds, and public pages are rendered again. */
async function untilShown(path: string, wanted: string): Promise<string> {
  for (let attempt = 0; attempt < 1_000; attempt += 1) {
    const text = await textOf(path);
    if (text.includes(wanted)) {
      return text;
    }
    await Bun.sleep(50);
  }
  throw new Error(`${path} never had ${wanted}`);
}

test("a service with a name of its own is called so on its pages and in its API description, whatever the name", async () => {
  expect(saved).toEqual([200, 200, 200, 200, 200]);
  expect(before.login).toContain("Sluice");
  const page = await untilShown("/login/", "Acme &lt;b&gt;&quot;AI&quot;");
  expect(page).not.toContain("Sluice");
  expect(page).not.toContain("<b>");
  const description = JSON.parse(await textOf("/backend/openapi.json")) as { info: { title: string } };
  expect(description.info.title).toBe('Acme <b>"AI"');
});

test.each([
  ["empty", ""],
  ["of two lines", "Ac\nme"],
  ["that turns text around", "Ac\u202Eme"],
  ["without a letter", "---"],
  ["too long", "a".repeat(41)],
])("a name that is %s is refused", async (_, name) => {
  expect(await nameIt(name, 1)).toBe(400);
});

/** Resolves once a page no longer has the text. */
async function untilGone(path: string, text: string): Promise<void> {
  for (let attempt = 0; attempt < 1_000; attempt += 1) {
    if (!(await textOf(path)).includes(text)) {
      return;
    }
    await Bun.sleep(50);
  }
  throw new Error(`${path} still has ${text}`);
}

const startedAtMs = Date.now();

/** The minute so many days, and minutes, after this file began, as a setting has it. */
function minuteAhead(days: number, minutes = 0): string {
  const moment = new Date(startedAtMs + days * dayMs + minutes * 60_000);
  return moment.toISOString().slice(0, 16).replace("T", " ");
}

test("an announcement is shown on public pages, forms and the console in its time, escaped", async () => {
  const line = '<a href="https://status.example/a?b=1&amp;c=2">Maintenance &lt;i&gt;tonight&lt;/i&gt;</a>';
  for (const path of ["/login/", "/admin/"]) {
    expect(await untilShown(path, line)).not.toContain("<i>tonight");
  }
  expect(await untilShown("/de/pricing/", "https://status.example/a?b=1&amp;c=2")).not.toContain("<i>tonight");
  userCookie = (await loginUser(rig)).cookie;
  const console = await untilShown("/console/", 'content="Maintenance &lt;i&gt;tonight&lt;/i&gt;"');
  // Above the head of the page, where the application draws it, too.
  expect(console).toContain(`${line}</p>\n<div class="page-head"`);
  userCookie = "";
  expect(await setSetting("announcement.until", "2020-01-01 00:00")).toBe(200);
  await untilGone("/login/", "tonight");
  await untilGone("/de/pricing/", "tonight");
  expect(await setSetting("announcement.until", minuteAhead(20), 1)).toBe(200);
  await untilShown("/login/", "tonight");
  expect(await setSetting("announcement.from", minuteAhead(10))).toBe(200);
  await untilGone("/login/", "tonight");
  expect(await setSetting("announcement.until", minuteAhead(10, -1), 2)).toBe(400);
  expect(await setSetting("announcement.from", minuteAhead(20), 1)).toBe(400);
  expect(await setSetting("announcement.from", minuteAhead(20, -1), 1)).toBe(200);
});

test("the operator's legal pages are linked in the footer and where people register", async () => {
  expect(before.register).not.toContain("Terms of service");
  await untilShown("/register/?lang=de", '<a href="https://acme.example/terms">Nutzungsbedingungen</a>');
  const page = await untilShown("/de/pricing/", "Impressum");
  expect(page).toContain("https://acme.example/terms");
  expect(page).not.toContain("Datenschutzerklärung");
});

test.each([
  "javascript:alert(1)",
  "//other.example/",
  "/\\other.example/",
  "http://acme.example/",
  "https://",
  "https://user@acme.example/",
  "https://:secret@acme.example/",
  "data:text/html,hi",
  "/a\nb",
])("the link %j is refused", async (url) => {
  expect(await setSetting("brand.privacy_url", url)).toBe(400);
  expect(await setSetting("announcement.url", url, 1)).toBe(400);
});

test.each(["2030-02-30 10:00", "2030-01-01 24:00", "2030-01-01", "tomorrow", "2030-01-01T10:00Z"])(
  "the time %j is refused",
  async (time) => {
    expect(await setSetting("announcement.from", time, 1)).toBe(400);
  },
);
