import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { TestBrowser } from "../support/web/browser.ts";
import { builtWeb } from "../support/web/web-build.ts";
import { startWebRig, type WebRig } from "../support/web/web-rig.ts";

const origin = "https://widget.example";
const script = `${origin}/v1/widget.js`;
const html = { accept: "text/html" };
const marks = /support-widget|support-context|widget\.example/;

let web: WebRig;
let withoutUrl = "";
let browser: TestBrowser;

beforeAll(async () => {
  [web, browser] = await Promise.all([
    startWebRig("http://127.0.0.1:9", { SUPPORT_WIDGET_URL: script }),
    TestBrowser.launch(),
  ]);
  const webDist = await builtWeb();
  withoutUrl = (await web.rig.startProcess({ WEB_DIST: webDist, NODE_ENV: "development" })).url;
});

afterAll(async () => {
  await browser?.close();
  await web?.close();
});

type Who = "nobody" | "user" | "admin";

async function get(base: string, path: string, who: Who = "nobody"): Promise<Response> {
  const cookie = web.cookies[who];
  return await fetch(`${base}${path}`, {
    redirect: "manual",
    headers: { ...html, ...(cookie === undefined ? {} : { cookie }) },
  });
}

const policyOf = (answer: Response): string => answer.headers.get("content-security-policy") ?? "";

const withWidget: readonly (readonly [path: string, who: Who])[] = [
  ["/", "nobody"],
  ["/ar/pricing/", "nobody"],
  ["/nothing", "nobody"],
  ["/console/", "user"],
];
const never: readonly (readonly [path: string, who: Who])[] = [
  ["/admin/", "nobody"],
  ["/admin/users/", "admin"],
  ["/login/", "nobody"],
  ["/reset-password/?token=abc", "nobody"],
];

describe("the support widget", () => {
  test.each([...withWidget])(
    "is on %s, with an empty token, and the policy allows only its origin",
    async (path, who) => {
      const [answer, plain] = await Promise.all([get(web.sluice.url, path, who), get(withoutUrl, path, who)]);
      const text = await answer.text();
      expect(text.match(/<support-widget token=""><\/support-widget>/g)?.length).toBe(1);
      expect([...text.matchAll(/<script[^>]*src="(https?:[^"]+)"/g)].map((match) => match[1])).toEqual([script]);
      expect(text).toMatch(/<script type="module" src="\/assets\/support-context-[^"]+\.js">/);
      expect(policyOf(answer)).toContain(`script-src 'self' ${origin};`);
      expect(policyOf(answer).replaceAll(` ${origin}`, "")).toBe(policyOf(plain));
    },
  );

  test.each([...never])("is never on %s (%s)", async (path, who) => {
    const [answer, plain] = await Promise.all([get(web.sluice.url, path, who), get(withoutUrl, path, who)]);
    expect(await answer.text()).not.toMatch(marks);
    expect(policyOf(answer)).toContain("default-src 'self';");
    expect(policyOf(answer)).toBe(policyOf(plain));
  });

  test.each([...withWidget])("adds nothing to %s if none is configured", async (path, who) => {
    const answer = await get(withoutUrl, path, who);
    expect(policyOf(answer)).toContain("default-src 'self';");
    expect(await answer.text()).not.toMatch(marks);
  });

  test.each([
    ["/pricing/", "user", ["", "Test user", "ada@example.org"]],
    ["/console/", "user", ["", "Test user", "ada@example.org"]],
    ["/pricing/", "nobody", ["", null, null]],
  ] as const)("is loaded on %s, and given the name of the %s", async (path, who, expected) => {
    const cookie = web.cookies[who];
    const { page, close } = await browser.open({ url: web.sluice.url, ...(cookie === undefined ? {} : { cookie }) });
    try {
      await page.route(`${origin}/**`, (route) =>
        route.fulfill({
          contentType: "text/javascript",
          body: `customElements.define("support-widget", class extends HTMLElement {});`,
        }),
      );
      const asked = page.waitForResponse((answer) => answer.url().endsWith("/backend/auth/me/"));
      await page.goto(path);
      await page.waitForFunction(`customElements.get("support-widget") !== undefined`);
      expect((await asked).status()).toBe(who === "user" ? 200 : 401);
      const widget = page.locator("support-widget");
      if (who === "user") {
        await page.waitForSelector("support-widget[email]", { state: "attached" });
      }
      const names = ["token", "username", "email"];
      expect(await Promise.all(names.map((name) => widget.getAttribute(name)))).toEqual([...expected]);
    } finally {
      await close();
    }
  });
});

test("a failure is a page with the request id for a person, and JSON for a program", async () => {
  const cookie = web.cookies.user ?? "";
  const ask = (base: string, path: string, accept: string): Promise<Response> =>
    fetch(`${base}${path}`, { redirect: "manual", headers: { accept, cookie } });
  // Pages are drawn before anything fails.
  await Promise.all([web.sluice.url, withoutUrl].map((base) => get(base, "/pricing/")));
  await web.rig.db.sql`alter table session rename to session_away`;
  try {
    for (const base of [web.sluice.url, withoutUrl]) {
      const [person, program, backend] = await Promise.all([
        ask(base, "/console/", "text/html"),
        ask(base, "/console/", "*/*"),
        ask(base, "/backend/auth/me/", "text/html"),
      ]);
      expect([person.status, program.status, backend.status]).toEqual([500, 500, 500]);
      expect(person.headers.get("content-type")).toBe("text/html; charset=utf-8");
      expect(person.headers.get("cache-control")).toBe("no-store");
      const requestId = person.headers.get("x-request-id") ?? "";
      const text = await person.text();
      expect(requestId).toMatch(/^[0-9a-f]{8}-[0-9a-f-]{27}$/);
      expect(text).toContain(`x-request-id: ${requestId}`);
      expect(text).not.toContain("00000000-0000");
      expect(marks.test(text)).toBe(base === web.sluice.url);
      expect(await program.json()).toMatchObject({ ok: false, error: { code: "internal_error" } });
      expect(await backend.json()).toMatchObject({ ok: false, error: { code: "internal_error" } });
    }
    const admin = await get(web.sluice.url, "/admin/", "admin");
    expect(admin.status).toBe(500);
    expect(await admin.text()).not.toMatch(marks);
  } finally {
    await web.rig.db.sql`alter table session_away rename to session`;
  }
});
