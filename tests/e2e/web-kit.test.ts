import { afterAll, afterEach, beforeAll, describe, expect, test } from "bun:test";
import { focusedText, WebVisits } from "../support/web/web-visits.ts";

let visits: WebVisits;

beforeAll(async () => {
  visits = await WebVisits.start();
});

afterEach(async () => {
  expect(await visits.leave()).toEqual([]);
});

afterAll(() => visits?.close());

describe("public pages", () => {
  test("the calculator is visible before its script and counts exactly after it", async () => {
    const still = await visits.open("/pricing/", { hasScript: false });
    expect(await still.textContent(".calculator output")).toBe("$0.027");
    const page = await visits.open("/pricing/");
    await page.getByLabel("Input tokens", { exact: true }).fill("2,000,000");
    await page.getByText("$0.312").waitFor();
    // The script adopts the elements of the page and does not redraw them.
    expect(await page.getAttribute(".calculator", "data-hk")).toStartWith("price-calculator-");
  });

  test("a language is chosen by a link that works without JavaScript", async () => {
    const page = await visits.open("/pricing/", { hasScript: false });
    await page.getByRole("button", { name: "Language" }).click();
    await page.getByRole("link", { name: "العربية" }).click();
    await page.waitForURL("**/ar/pricing/");
    expect(await page.getAttribute("html", "dir")).toBe("rtl");
    await page.goto("/console/");
    expect([page.url(), await page.getAttribute("html", "lang")]).toEqual([
      `${visits.web.sluice.url}/login/?next=%2Fconsole%2F`,
      "ar",
    ]);
  });

  test("the selected theme is applied before anything is drawn", async () => {
    const page = await visits.open("/console/", { as: "user" });
    await page.getByRole("button", { name: /^Your account/ }).click();
    await page.getByRole("menuitemcheckbox", { name: "Dark" }).click();
    await page.goto("/pricing/");
    expect(await page.getAttribute("html", "data-theme")).toBe("dark");
    expect(await page.evaluate<string>("getComputedStyle(document.body).colorScheme")).toBe("dark");
  });
});

describe("the logins", () => {
  test("an admin logs in without JavaScript, and arrives at the requested page", async () => {
    await visits.web.rig.db.sql`
      insert into shared_admin_credentials (username, password_hash, agent)
      values ('form-admin', ${await Bun.password.hash("a long password", { algorithm: "argon2id", memoryCost: 19_456, timeCost: 2 })}, 1)`;
    const page = await visits.open("/admin/plans/", { hasScript: false, expectedStatuses: [401] });
    await page.getByLabel("Username, e-mail or mobile number").fill("form-admin");
    await page.getByLabel("Password").fill("not the password");
    await page.getByRole("button", { name: "Log in" }).click();
    await page.getByRole("alert").waitFor();
    await page.getByLabel("Password").fill("a long password");
    await page.getByRole("button", { name: "Log in" }).click();
    await page.waitForURL("**/admin/plans/");
    expect(await page.textContent("noscript")).toContain("needs JavaScript");
  });

  test("an expired session shows it, keeps the page, and continues after a new login", async () => {
    const page = await visits.open("/", { as: "user", expectedStatuses: [401, 503] });
    await page.route("**/backend/billing/balance/", (route) => route.fulfill({ status: 503, body: "away" }));
    await page.goto("/console/");
    const retry = page.getByRole("button", { name: "Try again" });
    await retry.waitFor();
    await page.unroute("**/backend/billing/balance/");
    const cookies = await page.context().cookies();
    await page.context().clearCookies();
    await retry.click();
    await page.getByRole("dialog", { name: "Your session has ended" }).waitFor();
    await page.context().addCookies(cookies);
    await page.getByRole("button", { name: "I have logged in" }).click();
    await page.getByText("$5.00").first().waitFor();
    expect(await page.getByRole("dialog").isVisible()).toBe(false);
  });
});

describe("a table", () => {
  test("keeps filters in the address, so that Back removes them and a link shows the same", async () => {
    const page = await visits.open("/admin/plans/", { as: "admin" });
    await page.getByRole("row").nth(3).waitFor();
    await page.getByLabel("Kind").selectOption("monthly");
    await page.waitForURL("**/admin/plans/?kind=monthly");
    await page.getByRole("button", { name: "Top-up 10" }).waitFor({ state: "hidden" });
    const linked = await visits.open("/admin/plans/?kind=monthly", { as: "admin" });
    await linked.getByRole("button", { name: "Monthly 20" }).waitFor();
    expect(await linked.getByRole("row").count()).toBe(2);
    await page.goBack();
    await page.getByRole("button", { name: "Top-up 10" }).waitFor();
  });

  test("has one search on a phone, and the other filters under a button that counts the active ones", async () => {
    const page = await visits.open("/admin/users/", { as: "admin", width: 390 });
    const button = page.getByRole("button", { name: "Filters" });
    const status = page.getByRole("combobox", { name: "Status" });
    await button.waitFor();
    expect([await page.getByRole("searchbox").count(), await status.isVisible()]).toEqual([1, false]);
    await button.press("Enter");
    await status.selectOption("active");
    await page.getByRole("button", { name: "Filters 1", exact: true }).waitFor();
  });

  test("opens a row at its own address; J and K move on, Escape leads back to the row", async () => {
    const page = await visits.open("/admin/plans/", { as: "admin" });
    await page.getByRole("button", { name: "Top-up 10" }).press("Enter");
    await page.waitForURL("**/?open=credit-10");
    await page.getByRole("complementary", { name: "Top-up 10" }).waitFor();
    await page.keyboard.press("j");
    await page.getByRole("complementary", { name: "Top-up 50" }).waitFor();
    await page.keyboard.press("k");
    await page.getByRole("complementary", { name: "Top-up 10" }).waitFor();
    await page.keyboard.press("Escape");
    await page.getByRole("complementary").waitFor({ state: "hidden" });
    expect(await focusedText(page)).toBe("Top-up 10");
  });

  test("exports every matching row as a file", async () => {
    const page = await visits.open("/admin/plans/?kind=monthly", { as: "admin" });
    await page.getByRole("button", { name: "Export CSV" }).click();
    const [download] = await Promise.all([
      page.waitForEvent("download"),
      page.getByRole("menuitem", { name: "Export CSV" }).click(),
    ]);
    const text = await Bun.file((await download.path()) ?? "").text();
    expect(text).toContain("monthly-20");
    expect(text).not.toContain("credit-10");
  });

  test("says what is wrong, with the request id, when the list can't be loaded, and retries", async () => {
    const page = await visits.open("/", { as: "admin", expectedStatuses: [503] });
    await page.route("**/backend/admin/plan/list/**", (route) =>
      route.fulfill({
        status: 503,
        json: { ok: false, error: { code: "temporarily_unavailable", message: "Away.", request_id: "req-7" } },
      }),
    );
    await page.goto("/admin/plans/");
    await page.getByRole("alert").getByText("req-7").waitFor();
    await page.unroute("**/backend/admin/plan/list/**");
    await page.getByRole("button", { name: "Try again" }).click();
    await page.getByRole("button", { name: "Top-up 10" }).waitFor();
  });
});

test("a form shows errors at their fields, moves there, and keeps the typed input", async () => {
  const page = await visits.open("/__kit");
  await page.getByLabel("Limit, USD").fill("1.234");
  await page.locator("form").getByRole("button", { name: "Create key" }).click();
  await page.getByText("A name helps to tell keys apart.").waitFor();
  expect(await page.evaluate<string>("document.activeElement.name")).toBe("name");
  await page.keyboard.type("laptop");
  await page.keyboard.press("Enter");
  await page.getByText("US dollars with at most two places").waitFor();
  expect(await page.evaluate<string>("document.activeElement.name")).toBe("limit");
  expect(await page.getByLabel("Name").inputValue()).toBe("laptop");
  expect(await page.getByLabel("Limit, USD").getAttribute("aria-invalid")).toBe("true");
});

test("a chart can be read as a table, and its code is loaded only on pages with a chart", async () => {
  const page = await visits.open("/__kit");
  await page.getByRole("button", { name: "View as table" }).first().click();
  expect(await page.getByRole("table", { name: "Requests by model" }).getByRole("row").count()).toBe(31);
  const plain = await visits.open("/console/account/", { as: "user" });
  await plain.getByRole("main").getByText("ada@example.org").first().waitFor();
  const scripts = await plain.evaluate<string[]>("performance.getEntriesByType('resource').map(({ name }) => name)");
  expect(scripts.filter((name) => name.includes("plot"))).toEqual([]);
});

/**
 * How far the lowest part of the last bar of a chart is from its colour of the legend, mixed with what is behind it: the largest
 * difference of red, green and blue, of 255. Null while nothing is drawn.
 */
const lastBarOff = `(() => {
  const chart = document.querySelector(".chart");
  const canvas = chart?.querySelector("canvas");
  if (!canvas) return null;
  const copy = new OffscreenCanvas(canvas.width, canvas.height).getContext("2d", { willReadFrequently: true });
  const fill = (color) => {
    copy.fillStyle = color;
    copy.fillRect(0, 0, canvas.width, canvas.height);
    return [...copy.getImageData(0, 0, 1, 1).data];
  };
  const legend = fill(getComputedStyle(chart.querySelector(".chart-swatch")).backgroundColor);
  const behind = fill(getComputedStyle(canvas.closest(".card")).backgroundColor);
  copy.drawImage(canvas, 0, 0);
  const over = chart.querySelector(".u-over");
  const scale = canvas.width / canvas.clientWidth;
  const low = Math.round((over.offsetTop + over.clientHeight - 4) * scale);
  const right = Math.round((over.offsetLeft + over.clientWidth) * scale);
  const { data } = copy.getImageData(0, low, right, 1);
  const isDrawn = (x) => behind.some((value, index) => data[x * 4 + index] !== value);
  const edge = Array.from({ length: right }, (_, index) => right - 1 - index).find(isDrawn);
  const offOf = (value, index) => Math.abs(data[(edge - 4) * 4 + index] - (value * 0.35 + behind[index] * 0.65));
  return edge === undefined ? null : Math.max(...legend.slice(0, 3).map(offOf));
})()`;

test.each([false, true])("the bar of an unfinished day is paler, in the same colour (dark: %p)", async (isDark) => {
  const page = await visits.open("/__kit", { isDark });
  // The policy of the page forbids waitForFunction, which compiles its text inside the page.
  let off: number | null = null;
  while (off === null) {
    await page.evaluate("new Promise(requestAnimationFrame)");
    off = await page.evaluate<number | null>(lastBarOff);
  }
  expect(off).toBeLessThan(8);
});

test("a page shows when it is offline, and when it is online again", async () => {
  const page = await visits.open("/console/account/", { as: "user" });
  await page.getByRole("main").getByText("ada@example.org").first().waitFor();
  await page.context().setOffline(true);
  await page.getByText("You are offline.").waitFor();
  await page.context().setOffline(false);
  await page.getByText("You are offline.").waitFor({ state: "hidden" });
});

test("the console uses the selected language, and so do the emails and the errors", async () => {
  const page = await visits.open("/console/", { as: "user", expectedStatuses: [401] });
  await page.getByRole("button", { name: "Language" }).click();
  await Promise.all([page.waitForEvent("load"), page.getByRole("menuitemcheckbox", { name: "العربية" }).click()]);
  await page.getByRole("heading", { name: "الرئيسية" }).waitFor();
  expect(await page.getAttribute("html", "dir")).toBe("rtl");
  await page.goto("/console/account/");
  await page.getByRole("combobox", { name: "اللغة" }).selectOption("de");
  await Promise.all([page.waitForEvent("load"), page.getByRole("button", { name: "حفظ" }).click()]);
  await page.getByRole("heading", { name: "Konto" }).first().waitFor();
  const [user] = await visits.web.rig.db.sql<{ locale: string }>`
    select locale from user_profile where email = 'ada@example.org'`;
  expect(user?.locale).toBe("de");
  const form = page.locator("form", { has: page.getByLabel("Neues Passwort") });
  await form.getByLabel("Aktuelles Passwort").fill("not the one");
  await form.getByLabel("Neues Passwort").fill("correct horse battery");
  await page.getByRole("button", { name: "Passwort ändern" }).click();
  await page.getByText("Das Passwort stimmt nicht.").waitFor();
  await page.getByRole("alert").getByText("Anfrage").waitFor();
  await visits.web.speak("en");
});

type FirstHead = {
  readonly isOfDocument: boolean;
  readonly isVisible: boolean;
  readonly parts: readonly { readonly x: number }[];
};

/** The head that is shown: its texts with their boxes, and whether the document or the application drew it. */
const readHead = `(() => {
  const head = document.querySelector(".main .page-head");
  return {
    isOfDocument: head.dataset.first !== undefined,
    isVisible: head.checkVisibility({ visibilityProperty: true }),
    parts: [...head.querySelectorAll("h1, p")].map((part) => {
      const { x, y, width, height } = part.getBoundingClientRect();
      return { text: part.textContent, x, y, width, height };
    }),
  };
})()`;

/** Counts the frames that a page draws without a head after it had one. */
const countFramesWithoutHead = `
  globalThis.framesWithoutHead = 0;
  let hadHead = false;
  const look = () => {
    const hasHead = document.querySelector(".main h1") !== null;
    globalThis.framesWithoutHead += hadHead && !hasHead ? 1 : 0;
    hadHead ||= hasHead;
    requestAnimationFrame(look);
  };
  look();
`;

test("a page of the console shows its title and lead before its scripts, which draw them in the same place", async () => {
  const page = await visits.open("/pricing/", { as: "user", preferences: { "sidebar-collapsed": "yes" } });
  await page.addInitScript(countFramesWithoutHead);
  let held = Promise.withResolvers<void>();
  await page.route("**/assets/vendor-*.js", async (route) => {
    await held.promise;
    await route.fallback();
  });
  for (const [path, locale, width, x] of [
    // Beside the icons of a collapsed sidebar.
    ["/console/", "en", 1280, 76],
    ["/console/keys/", "ar", 412, 16],
    ["/console/billing/", "de", 412, 16],
  ] as const) {
    await visits.web.speak(locale);
    await page.setViewportSize({ width, height: 800 });
    held = Promise.withResolvers();
    await page.goto(path, { waitUntil: "commit" });
    await page.locator(".main h1").waitFor();
    const first = await page.evaluate<FirstHead>(readHead);
    const parts = [expect.objectContaining({ x }), expect.objectContaining({ x })];
    expect({ path, ...first }).toEqual({ path, isOfDocument: true, isVisible: true, parts });
    held.resolve();
    await page.locator(".main .page-head:not([data-first])").waitFor();
    expect({ path, ...(await page.evaluate<FirstHead>(readHead)) }).toEqual({ path, ...first, isOfDocument: false });
    expect(await page.evaluate<number>("framesWithoutHead")).toBe(0);
  }
  await visits.web.speak("en");
  // What an organisation has at an address is known to the application alone.
  await page.evaluate("localStorage.setItem('acting-for', JSON.stringify({ id: '1', name: 'One', role: 'billing' }))");
  held = Promise.withResolvers();
  await page.goto("/console/keys/", { waitUntil: "commit" });
  await page.locator(".main h1").waitFor({ state: "attached" });
  expect(await page.evaluate<FirstHead>(readHead)).toMatchObject({ isOfDocument: true, isVisible: false });
});
