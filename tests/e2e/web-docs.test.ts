import { afterAll, beforeAll, expect, test } from "bun:test";
import { docList } from "@sluice/web/src/site/docs/doc-list.ts";
import { type PageOptions, TestBrowser, type WatchedPage } from "../support/web/browser.ts";
import { startWebRig, type WebRig } from "../support/web/web-rig.ts";

let web: WebRig;
let browser: TestBrowser;

beforeAll(async () => {
  [web, browser] = await Promise.all([startWebRig(), TestBrowser.launch()]);
});

afterAll(async () => {
  await browser?.close();
  await web?.close();
});

/**
 * The text for screen readers disappears after two seconds; here it stays, so that a test finds it however late it
 * looks.
 */
const recordAnnouncements = `new MutationObserver(([{ target }]) => {
  document.documentElement.dataset.said ??= target.textContent;
}).observe(document.querySelector("[data-copy-status]"), { childList: true })`;

async function withPage(
  path: string,
  options: Partial<PageOptions>,
  use: (watched: WatchedPage) => Promise<void>,
): Promise<void> {
  const watched = await browser.open({ url: web.sluice.url, ...options });
  try {
    await watched.page.goto(path);
    await watched.page.waitForSelector(".doc-end");
    await use(watched);
    expect(watched.faults).toEqual([]);
  } finally {
    await watched.close();
  }
}

test("a selected tab is selected in every block that has it, and on the next page", async () => {
  await withPage("/docs/clients/", {}, async ({ page }) => {
    await page.click('#openai label:text-is("TypeScript"), section:has(#openai) label:text-is("TypeScript")');
    await page.waitForSelector('[data-snippet="langchain-typescript"]:visible');
    expect(await page.isVisible('[data-snippet="langchain-python"]')).toBe(false);
    await page.goto("/docs/quickstart/");
    await page.waitForSelector('[data-snippet="openai-typescript"]:visible');
    // The arrow keys move between tabs, as they do between radio buttons.
    await page.focus(".doc-tabs input:checked");
    await page.keyboard.press("ArrowLeft");
    await page.waitForSelector('[data-snippet="openai-python"]:visible');
  });
});

test("snippets use the address at which the visitor opened the docs, even when copied", async () => {
  await withPage("/docs/quickstart/", {}, async ({ page }) => {
    const origin = await page.evaluate<string>("location.origin");
    expect(await page.textContent('[data-snippet="curl-chat"]')).toContain(`${origin}/v1/chat/completions`);
    await page.context().grantPermissions(["clipboard-read", "clipboard-write"]);
    await page.evaluate(recordAnnouncements);
    await page.click('.code:has([data-snippet="curl-models"]) > button');
    await page.waitForSelector('html[data-said="Copied"]', { state: "attached" });
    const copied = await page.evaluate<string>("navigator.clipboard.readText()");
    expect(copied).toStartWith(`curl -sS --fail-with-body ${origin}/v1/models`);
  });
});

test("a page is copied as its Markdown version, in its language", async () => {
  await withPage("/de/docs/billing/", {}, async ({ page }) => {
    await page.context().grantPermissions(["clipboard-read", "clipboard-write"]);
    await page.evaluate(recordAnnouncements);
    await page.click("[data-copy-from]");
    await page.waitForSelector('html[data-said="Kopiert"]', { state: "attached" });
    const copied = await page.evaluate<string>("navigator.clipboard.readText()");
    expect(copied).toStartWith("# Abrechnung\n");
    const answer = await fetch(`${web.sluice.url}/de/docs/billing.md`);
    expect(answer.headers.get("content-type")).toBe("text/markdown; charset=utf-8");
    expect((await answer.text()).split("\n").length).toBe(copied.split("\n").length);
  });
});

test("a logged-in user puts a new key into the code until the page is closed; everyone else is sent to the login", async () => {
  const cookie = web.cookies.user;
  await withPage(
    "/de/docs/quickstart/",
    { ...(cookie === undefined ? {} : { cookie }), expectedStatuses: [401] },
    async ({ page }) => {
      const header = page.locator(".site-header-end");
      await header.getByRole("link", { name: "Anmelden" }).waitFor();
      await page.getByRole("link", { name: "Anmelden und einen einsetzen" }).waitFor();
      expect(await page.getByRole("button", { name: "Schlüssel für diese Seite anlegen" }).isVisible()).toBe(false);
      // The console leaves the hint that tells pages of a login.
      await page.goto("/console/");
      await page.waitForSelector("h1");
      await page.goto("/de/docs/quickstart/");
      await header.getByRole("link", { name: "Konsole" }).waitFor();
      expect(await header.getByRole("link", { name: "Anmelden" }).isVisible()).toBe(false);
      const code = page.locator('[data-snippet="environment"]');
      expect(await code.textContent()).toContain('"sk-..."');
      await page.getByRole("button", { name: "Schlüssel für diese Seite anlegen" }).click();
      await page.getByText("bis Sie diese Seite verlassen").waitFor();
      const filled = (await code.textContent()) ?? "";
      expect(filled).toMatch(/"sk-\w{48}"/);
      const kept = await page.evaluate<string>("JSON.stringify([localStorage, sessionStorage, location.href])");
      expect(kept).not.toContain(/sk-\w{8}/.exec(filled)?.[0] ?? filled);
      // As when the user leaves the page and the browser keeps it for the Back button.
      await page.evaluate("dispatchEvent(new Event('pagehide'))");
      expect(await code.textContent()).toContain('"sk-..."');
      await page.reload();
      expect(await code.textContent()).toContain('"sk-..."');
      const made = await web.rig.db.sql<{ name: string }>`select name from api_key where name like 'Docs %'`;
      expect(made.length).toBe(1);
      await page.context().clearCookies();
      await page.getByRole("button", { name: "Schlüssel für diese Seite anlegen" }).click();
      const login = page.getByRole("link", { name: "Anmelden und einen einsetzen" });
      await login.waitFor();
      expect(await login.getAttribute("href")).toBe("/login/?lang=de&next=%2Fde%2Fdocs%2Fquickstart%2F%3Fsigned-in");
    },
  );
});

test("a search finds a section by a word of its language, with the keyboard alone", async () => {
  await withPage("/de/docs/quickstart/", {}, async ({ page }) => {
    await page.keyboard.press("/");
    await page.waitForSelector(".doc-search[open]");
    await page.keyboard.type("insufficient_quota guthaben");
    const first = page.locator(".doc-search a").first();
    await first.waitFor();
    expect(await first.getAttribute("href")).toBe("/de/docs/errors/#insufficient_quota");
    await page.keyboard.type(" gibtesnicht");
    await page.getByText("Nichts gefunden").waitFor();
    await page.fill(".doc-search input", "Strukturierte");
    await first.waitFor();
    await page.keyboard.press("ArrowDown");
    await page.keyboard.press("Enter");
    await page.waitForURL(/\/de\/docs\/guides\/#structured$/);
    await page.keyboard.press("Control+K");
    await page.waitForSelector(".doc-search[open]");
    await page.keyboard.press("Escape");
    await page.waitForSelector(".doc-search:not([open])", { state: "attached" });
  });
});

test("without JavaScript all snippets can be reached, and no button is dead", async () => {
  await withPage("/docs/clients/", { hasScript: false }, async ({ page }) => {
    expect(await page.isVisible("[data-copy]")).toBe(false);
    expect(await page.isVisible("[data-search]")).toBe(false);
    await page.click('section:has(#langchain) fieldset:has([data-snippet="langchain-typescript"]) label:last-of-type');
    await page.waitForSelector('[data-snippet="langchain-typescript"]:visible');
  });
});

test("every page of the docs links to the others and to each language", async () => {
  const seen = new Set<string>();
  for (let path: string | null = "/hi/docs/quickstart/"; path !== null; ) {
    expect(seen.has(path)).toBe(false);
    seen.add(path);
    const answer: Response = await fetch(`${web.sluice.url}${path}`);
    expect(answer.status).toBe(200);
    const html: string = await answer.text();
    expect(html).toContain('lang="hi"');
    path = /href="([^"]+)" rel="next"/.exec(html)?.[1] ?? null;
  }
  expect([...seen]).toEqual(docList.map(([path]) => `/hi${path}`));
});

test.each(["", "/ar", "/ja"])("%s/docs/ links to every page of the docs", async (prefix) => {
  await withPage(`${prefix}/docs/`, {}, async ({ page }) => {
    const hrefs = await page.locator(".doc-section a").evaluateAll((links) => links.map((a) => a.getAttribute("href")));
    expect(hrefs).toEqual(docList.map(([path]) => `${prefix}${path}`));
    const answer = await page.goto(`${prefix}/docs.md`);
    expect(await answer?.text()).toContain("/docs/agents/");
    await page.goto(`${prefix}/docs/`);
  });
});

test("the page of the API has the site's frame in the chosen theme, and fields as tables", async () => {
  const { page, faults, close } = await browser.open({ url: web.sluice.url });
  await page.goto("/docs/api/");
  const frame = (): Promise<string | null> => page.locator(".site-header nav").textContent();
  const site = await frame();
  await page.evaluate('localStorage.setItem("theme", "dark")');
  await page.goto("/backend/docs/#model_list");
  expect(await frame()).toBe(site);
  expect(await page.getByRole("contentinfo").count()).toBe(1);
  expect(await page.getByRole("link", { name: "Docs", exact: true }).first().getAttribute("aria-current")).toBe("true");
  expect(await page.evaluate<string>("getComputedStyle(document.body).colorScheme")).toBe("dark");
  // Its other languages are those of the translated reference.
  expect(await page.locator("#languages [hreflang=de]").getAttribute("href")).toBe("/de/docs/api/?lang=de");
  await page.getByLabel("Find an operation").fill("keys create");
  const create = page.locator("#keys_create");
  await create.locator("summary").click();
  await create.getByRole("rowheader", { name: "name", exact: true }).first().waitFor();
  await page.getByRole("button", { name: "Search the docs" }).click();
  await page.getByRole("dialog").waitFor();
  expect(faults).toEqual([]);
  await close();
});

test("an operation of the API is found and tried with the login, and what changes something only after a question", async () => {
  const { page, faults, close } = await browser.open({ url: web.sluice.url, cookie: web.cookies.user ?? "" });
  await page.goto("/backend/docs/");
  expect(await page.evaluate<number>("document.documentElement.scrollHeight")).toBeLessThan(8_000);
  await page.getByLabel("Find an operation").fill("keys list");
  const list = page.locator("#keys_list");
  await list.locator("summary").click();
  await list.getByRole("button", { name: "Send" }).click();
  await list.getByText(/^200 OK · \d+ ms · /).waitFor();
  expect(await list.getByRole("region", { name: "Response" }).textContent()).toContain('"ok": true');
  expect(await list.getByRole("region", { name: "As curl" }).textContent()).toContain("-b cookies.txt");
  // As over plain HTTP from another machine.
  await page.evaluate('Object.defineProperty(navigator, "clipboard", { value: undefined })');
  await page.evaluate(recordAnnouncements);
  await page.evaluate('document.addEventListener("copy", ({ target }) => document.body.dataset.copied = target.value)');
  await list.getByRole("button", { name: "Copy" }).last().click();
  await page.waitForSelector('html[data-said="Copied"]', { state: "attached" });
  expect(await page.getAttribute("body", "data-copied")).toContain("-b cookies.txt");
  await page.getByLabel("Find an operation").fill("keys create");
  const create = page.locator("#keys_create");
  await create.locator("summary").click();
  await create.getByLabel("Body").fill('{"name":"Tried"}');
  await create.getByRole("button", { name: "Send", exact: true }).click();
  await create.getByText("POST /backend/keys/create/ is really carried out").waitFor();
  expect((await web.rig.db.sql`select 1 from api_key where name = 'Tried'`).length).toBe(0);
  await create.getByRole("button", { name: "Send it now" }).click();
  await create.getByText(/^20\d .* · \d+ ms · /).waitFor();
  expect((await web.rig.db.sql`select 1 from api_key where name = 'Tried'`).length).toBe(1);
  expect(faults).toEqual([]);
  await close();
});

test("an admin sees on the page of the API what an operation would change, and nothing is changed", async () => {
  const { page, faults, close } = await browser.open({ url: web.sluice.url, cookie: web.cookies.admin ?? "" });
  await page.goto("/backend/docs/#admin_model_save");
  const save = page.locator("#admin_model_save");
  await page.getByLabel("Find an operation").fill("admin/model/save");
  await save.locator("summary").click();
  await save
    .getByLabel("Body")
    .fill('{"name":"tried","context_tokens_max":9,"output_tokens_max":9,"input_usd_per_m":"1","output_usd_per_m":"1"}');
  await save.getByRole("button", { name: "Preview the change" }).click();
  await save.getByText(/^200 OK/).waitFor();
  expect(await save.getByRole("region", { name: "Response" }).textContent()).toContain('"changes": true');
  expect((await web.rig.db.sql`select 1 from model where name = 'tried'`).length).toBe(0);
  expect(faults).toEqual([]);
  await close();
});
