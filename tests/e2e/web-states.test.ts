import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import type { Page } from "playwright-core";
import { fillHouse } from "../shots/full-house.ts";
import { fullPages } from "../shots/full-pages.ts";
import { type ShownPage, shownPages } from "../shots/pages.ts";
import { AccountClient } from "../support/accounts/account-client.ts";
import { loginUser, type UserLogin } from "../support/accounts/logins.ts";
import { BackendSwitch, type Failure, failedRequestId, failures } from "../support/admin/backend-switch.ts";
import { patienceMs } from "../support/values/patience.ts";
import { TestBrowser, type WatchedPage } from "../support/web/browser.ts";
import { hiddenColumns } from "../support/web/hidden-columns.ts";
import { pageOptions, shownEmail, startWebRig, type WebRig } from "../support/web/web-rig.ts";

const { TEST_FULL } = process.env;
/** Web vitals call up to 0.1 good. */
const layoutShiftMax = 0.1;
const errorSelector = "main [data-kind=error]";
const busySelector = "main [aria-busy=true]";
/** The clock of a test is a script, which the frame that shows a mail refuses like any other. */
const ofTheClock = "Blocked script execution in 'about:blank'";
/** How far the clock of a page is put forward at least, in seconds. */
const rounds = 60;

const returning = { email: "back@example.org", password: "correct horse battery" };

let web: WebRig;
let browser: TestBrowser;
/** An account without activity. */
let fresh: UserLogin;

beforeAll(async () => {
  [web, browser] = await Promise.all([startWebRig(), TestBrowser.launch()]);
  // Before the house is filled, which has terms: its users have accepted them. Nobody registers, which the audit log would show.
  fresh = await loginUser(web.rig);
  const { userId } = await loginUser(web.rig, { email: returning.email });
  const hash = await Bun.password.hash(returning.password);
  await web.rig.db.sql`update user_profile set password_hash = ${hash} where id = ${userId}::bigint`;
  if (TEST_FULL === "1") {
    await fillHouse(web.rig, shownEmail);
  }
});

afterAll(async () => {
  await browser?.close();
  await web?.close();
});

const requestingNothing = ["console-unknown", "console-figures", "admin-figures", "admin-provider", "admin-roles"];
/** The pages that request something from the backend, and get it. */
const appPages = (TEST_FULL === "1" ? fullPages : shownPages).filter(
  ({ name, path, as, expectedStatuses }) =>
    as !== "nobody" &&
    /^\/(console|admin)\//.test(path) &&
    !requestingNothing.includes(name) &&
    expectedStatuses === undefined,
);

const pagesPerCase = 16;
/** A sixteenth of the pages, each with one failure in turn; with TEST_FULL=1 every page with every failure. */
const cases: readonly (readonly [name: string, failure: Failure, shown: ShownPage])[] = appPages.flatMap(
  (shown, index) => {
    if (TEST_FULL === "1") {
      return failures.map((each) => [shown.name, each, shown] as const);
    }
    const failure = failures[Math.floor(index / pagesPerCase) % failures.length] ?? "error";
    return index % pagesPerCase === 0 ? [[shown.name, failure, shown] as const] : [];
  },
);

const adminPath = "/backend/auth/admin/me/";
/** An admin's frame asks who is logged in before it shows a page, so that no request of the page is refused for the role. */
const isOfPage = (path: string): boolean => path !== adminPath;
const codeOfPage = /\/assets\/page-[^/]+\.js$/;

type Visit = { readonly watched: WatchedPage; readonly page: Page; readonly backend: BackendSwitch };

/** Opens a page whose responses can be held back and failed; nothing else may go wrong in it. */
async function visit(shown: ShownPage, look: (visit: Visit) => Promise<void>): Promise<void> {
  const watched = await browser.open({ ...pageOptions(web, shown), expectedStatuses: [500, 503] });
  try {
    const backend = await BackendSwitch.between(watched.page);
    await look({ watched, page: watched.page, backend });
    expect(watched.faults.filter((fault) => !fault.includes(ofTheClock))).toEqual([]);
  } finally {
    await watched.close();
  }
}

/** A page retries a failed request before it gives up; the tests skip that wait. */
async function untilGivenUp(page: Page, isOver: () => Promise<boolean>): Promise<void> {
  // The code of a page comes by the clock of the machine, whatever that of the page says.
  const until = performance.now() + patienceMs;
  for (let round = 0; (round < rounds || performance.now() < until) && !(await isOver()); round += 1) {
    await page.clock.runFor(1_000);
  }
}

/** Presses every button at once: parts that share a request recover together, which removes the other buttons. */
async function retryAll(page: Page): Promise<void> {
  // What is asked for again by itself has its time, too.
  await page.clock.resume();
  await page.evaluate(`document.querySelectorAll("${errorSelector} button").forEach((button) => button.click())`);
}

async function layoutShiftOf(page: Page): Promise<number> {
  return await page.evaluate<number>(`new Promise((resolve) => {
    new PerformanceObserver((list) => resolve(list.getEntries().reduce((sum, { value }) => sum + value, 0)))
      .observe({ type: "layout-shift", buffered: true });
    setTimeout(() => resolve(0), 100);
  })`);
}

test.each([...cases])(
  "%s is busy until its responses arrive, says what failed (%s), and shows everything after a retry",
  async (_name, failure, shown) => {
    await visit(shown, async ({ page, backend }) => {
      await page.clock.install();
      await backend.set("hold", isOfPage);
      const document = await page.goto(shown.path);
      const policy = (await document?.headerValue("content-security-policy")) ?? "";
      expect(policy).toMatch(/^default-src 'self'/);
      expect(policy).not.toContain("unsafe");
      await page.waitForSelector("main h1");
      await page.waitForSelector(busySelector);
      expect(await page.locator(errorSelector).count()).toBe(0);
      await backend.set(failure, isOfPage);
      const waiting = page.locator(`${busySelector}, main .skeleton`);
      await untilGivenUp(page, async () => (await waiting.count()) === 0);
      const errors = await page.locator(errorSelector).allTextContents();
      expect(errors.length).toBeGreaterThan(0);
      for (const text of errors) {
        expect(text).toMatch(failure === "cut" ? /can't be reached/ : new RegExp(failedRequestId));
        expect(text).toContain("Try again");
      }
      // Nothing waits forever, and the frame is unchanged.
      expect(await waiting.count()).toBe(0);
      if (shown.as !== "newcomer") {
        expect(await page.locator("header nav a").first().isVisible()).toBe(true);
      }
      expect(await page.locator("main h1").isVisible()).toBe(true);
      await backend.set("pass");
      await retryAll(page);
      await page.waitForSelector(shown.ready);
      await page.waitForSelector(errorSelector, { state: "detached" });
    });
  },
);

test.each(
  appPages
    // A panel belongs to a row.
    .filter(({ as, path }) => as === "user" && !path.includes("open="))
    .filter(({ name }) => TEST_FULL === "1" || name === "console-ledger")
    .map((shown) => [shown.name, shown] as const),
)("%s of an account without activity says what will appear there, and does not fail", async (_name, shown) => {
  const watched = await browser.open({ url: web.sluice.url, cookie: fresh.cookie });
  const { page } = watched;
  try {
    await page.goto(shown.path);
    await page.waitForSelector("main h1");
    await page.waitForSelector(`${busySelector}, main .skeleton`, { state: "detached" });
    expect(await page.locator(errorSelector).count()).toBe(0);
    expect(await page.locator("main :is([data-kind=empty], .muted, .form, .card)").count()).toBeGreaterThan(0);
    expect(watched.faults).toEqual([]);
  } finally {
    await watched.close();
  }
});

/** With TEST_FULL=1 there are rows with long texts in every list. */
const shifting = ["console-home", "admin-users"];

test.each(
  appPages
    .filter(({ name }) => TEST_FULL === "1" || shifting.includes(name))
    .map((shown) => [shown.name, shown] as const),
)("%s does not move when its responses arrive late, and hides no column of its lists", async (_name, shown) => {
  await visit(shown, async ({ page, backend }) => {
    await backend.set("hold", isOfPage);
    await page.goto(shown.path);
    await page.waitForSelector(busySelector);
    await backend.set("pass");
    await page.waitForSelector(shown.ready);
    await page.waitForSelector(busySelector, { state: "detached" });
    expect(await layoutShiftOf(page)).toBeLessThanOrEqual(layoutShiftMax);
    expect(await page.evaluate<string[]>(hiddenColumns)).toEqual([]);
  });
});

/** The foot of the sidebar has the balance too; a page reports its failure only if it shows the balance itself. */
const balancePath = "/backend/billing/balance/";
/** So has the choice between accounts, which is not offered where it is not known that there is one. */
const organisationsPath = "/backend/organisations/list/";
const balancePages = ["console-home", "console-billing", "console-orders", "console-ledger"];
/** The frame asks who is logged in: without an answer a page is complete, or says what is missing. */
const loginPaths = ["/backend/auth/me/", adminPath];
const viewsPath = "/backend/admin/view/list/";
/** Without these responses a page is complete, but offers fewer choices. */
const besidesPoint: Readonly<Record<string, readonly string[]>> = {
  "console-home": ["/backend/keys/list/"],
  "console-usage": ["/backend/keys/list/"],
  "console-usage-compared": ["/backend/keys/list/"],
  "console-usage-tags": ["/backend/keys/list/"],
  "console-receipt": ["/backend/keys/list/"],
  "admin-invoices": ["/backend/admin/invoice/terms/"],
  "admin-trace": ["/backend/admin/channel/list/"],
};

function isBesidesPoint({ name }: ShownPage, path: string): boolean {
  if (path === organisationsPath) {
    return name !== "console-organisations";
  }
  if (path === viewsPath) {
    return true;
  }
  return path === balancePath ? !balancePages.includes(name) : besidesPoint[name]?.includes(path) === true;
}

const walkedAlone = TEST_FULL === "1" ? appPages : appPages.filter(({ name }) => name === "console-account");

describe("one failed response", () => {
  test.each(walkedAlone.map((shown) => [shown.name, shown] as const))(
    "%s says which part failed and shows the others",
    async (_name, shown) => {
      const asked: string[] = [];
      await visit(shown, async ({ page, backend }) => {
        await page.goto(shown.path);
        await page.waitForSelector(shown.ready);
        asked.push(...backend.asked);
      });
      for (const path of asked) {
        await visit(shown, async ({ page, backend }) => {
          await page.clock.install();
          await backend.set("error", (each) => each === path);
          await page.goto(shown.path);
          await page.waitForSelector("main h1");
          if (isBesidesPoint(shown, path)) {
            await page.waitForSelector(shown.ready);
            expect(await page.locator(errorSelector).count()).toBe(0);
            return;
          }
          const complete = page.locator(loginPaths.includes(path) ? `${errorSelector}, ${shown.ready}` : errorSelector);
          await untilGivenUp(page, async () => (await complete.count()) > 0);
          expect({ path, told: await complete.count() }).not.toEqual({ path, told: 0 });
          await backend.set("pass");
          await retryAll(page);
          await page.waitForSelector(shown.ready);
        });
      }
    },
  );
});

test("a later failure keeps the page and the typed input, and shows a bar that retries", async () => {
  const account = appPages.find(({ name }) => name === "console-account");
  if (account === undefined) {
    throw new Error("the page of the account is not photographed any more");
  }
  await visit(account, async ({ page, backend, watched }) => {
    await page.goto(account.path);
    await page.getByLabel("New password").fill("typed but not sent");
    await page.clock.install();
    await page.clock.runFor(20_000);
    await backend.set("unavailable");
    await page.evaluate("window.dispatchEvent(new Event('visibilitychange'))");
    const bar = page.locator("[data-kind=stale]");
    await untilGivenUp(page, async () => (await bar.count()) > 0);
    expect(await bar.textContent()).toContain(failedRequestId);
    expect(await page.getByLabel("New password").inputValue()).toBe("typed but not sent");
    expect(await watched.axe()).toEqual([]);
    await backend.set("pass");
    await bar.getByRole("button", { name: "Try again" }).click();
    await bar.waitFor({ state: "detached" });
    expect(await page.getByLabel("New password").inputValue()).toBe("typed but not sent");
  });
});

test("without a connection a bar appears and disappears, and a form that could not be sent is sent by the next press", async () => {
  const watched = await browser.open({ url: web.sluice.url, cookie: fresh.cookie });
  const { page } = watched;
  try {
    await page.goto("/console/account/");
    await page.getByLabel("Name").fill("Ada of the Lines");
    const heading = page.getByRole("heading", { level: 1 });
    const place = await heading.boundingBox();
    await page.context().setOffline(true);
    await page.getByText("You are offline.").waitFor();
    // The frame stays as it is.
    expect(await heading.boundingBox()).toEqual(place);
    await page.getByRole("button", { name: "Save", exact: true }).click();
    await page.getByText("The service can't be reached.").waitFor();
    await page.context().setOffline(false);
    await page.getByText("You are offline.").waitFor({ state: "detached" });
    expect(await page.getByLabel("Name").inputValue()).toBe("Ada of the Lines");
    await page.getByRole("button", { name: "Save", exact: true }).click();
    await page.locator(".toast").first().waitFor();
    expect(watched.faults).toEqual([]);
  } finally {
    await watched.close();
  }
});

test("an expired session keeps the typed input: after a login in another tab it is saved", async () => {
  const { email, password } = returning;
  const { cookie } = await new AccountClient(web.sluice).logIn(email, password);
  const watched = await browser.open({ url: web.sluice.url, cookie, expectedStatuses: [401] });
  const { page } = watched;
  try {
    await page.goto("/console/account/");
    await page.getByLabel("Name").fill("Ada Back Again");
    await page.route(
      "**/backend/auth/profile/save/",
      async (route) => {
        // Not before: other requests of the page would notice it first.
        await web.rig.db.sql`
          update session set revoked_at = now() where user_id = (select id from user_profile where email = ${email})`;
        await route.continue();
      },
      { times: 1 },
    );
    await page.getByRole("button", { name: "Save", exact: true }).click();
    const dialog = page.getByRole("dialog", { name: "Your session has ended" });
    await dialog.waitFor();
    expect(await watched.axe()).toEqual([]);
    const opened = page.context().waitForEvent("page");
    await dialog.getByRole("link", { name: "Log in in a new tab" }).click();
    const login = await opened;
    await login.getByLabel("E-mail").fill(email);
    await login.getByLabel("Password").fill(password);
    await login.getByRole("button", { name: "Log in" }).click();
    await login.waitForURL("**/console/**");
    await login.close();
    await dialog.getByRole("button", { name: "I have logged in" }).click();
    expect(await page.getByLabel("Name").inputValue()).toBe("Ada Back Again");
    await page.getByRole("button", { name: "Save", exact: true }).click();
    await page.locator(".toast").first().waitFor();
    const rows = await web.rig.db.sql<{ name: string }>`
        select display_name as name from user_profile where email = ${email}`;
    expect(rows[0]?.name).toBe("Ada Back Again");
    expect(watched.faults).toEqual([]);
  } finally {
    await watched.close();
  }
});

test("the code of an admin page is loaded while it is asked who is logged in, and the page asks for nothing before", async () => {
  const users = appPages.find(({ name }) => name === "admin-users");
  if (users === undefined) {
    throw new Error("the page of the users is not photographed any more");
  }
  await visit(users, async ({ page, backend }) => {
    await backend.set("hold", (path) => path === adminPath);
    await Promise.all([page.waitForResponse(codeOfPage), page.goto(users.path)]);
    expect([...backend.asked]).toContain(adminPath);
    expect([...backend.asked]).not.toContain("/backend/admin/user/list/");
    await backend.set("pass");
    await page.waitForSelector(users.ready);
  });
});

test("one card of the dashboard fails alone and names the request id, and an empty list differs from an empty search", async () => {
  const users = appPages.find(({ name }) => name === "admin-users");
  if (users === undefined) {
    throw new Error("the page of the users is not photographed any more");
  }
  await visit(users, async ({ page, backend }) => {
    await page.goto(`${users.path}?q=nobody-of-this-name`);
    await page.getByText("Nothing matches these filters").waitFor();
    await page.getByRole("button", { name: "Clear filters" }).first().click();
    await page.getByRole("button", { name: shownEmail, exact: true }).waitFor();
    await backend.set("error", (path) => path === "/backend/admin/exit-node/list/");
    await page.getByRole("link", { name: "Dashboard" }).click();
    await page.getByText(failedRequestId).waitFor();
    await page.getByText("Net revenue").first().waitFor();
    expect(await page.locator(errorSelector).count()).toBe(1);
  });
});
