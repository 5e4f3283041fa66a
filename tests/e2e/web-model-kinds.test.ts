import { afterAll, beforeAll, expect, test } from "bun:test";
import { addModel } from "@sluice/control-plane/models/add-model.ts";
import { patienceMs } from "../support/values/patience.ts";
import { TestBrowser } from "../support/web/browser.ts";
import { shownEmail, startWebRig, type WebRig } from "../support/web/web-rig.ts";

const testMsMax = 300_000;
/** Its name sorts before that of the chat model, so that a page that takes the first model is caught. */
const picture = "a-picture-model";
const numbers = "b-embedding-model";

let web: WebRig;
let browser: TestBrowser;

beforeAll(async () => {
  [web, browser] = await Promise.all([startWebRig(), TestBrowser.launch()]);
  const bounds = { ownedBy: "test", contextTokensMax: 8_000, outputTokensMax: 1_000, imageTokensMax: 0 };
  // The share of calls that were answered is that of whole days.
  for (const [kind, calls] of [
    ["total", 995],
    ["failed", 5],
  ] as const) {
    await web.rig.db.sql`
      insert into usage_performance (grain, starts_at, model, channel_id, kind, bucket, calls, output_tokens, output_ms)
      values ('day', date_trunc('day', now() - interval '2 days', 'UTC'), 'gpt-4o-mini', 77, ${kind}, 40, ${calls}, 0, 0)`;
  }
  await web.rig.db.withTransaction(async (tx) => {
    await addModel(
      tx,
      { ...bounds, name: picture, displayName: "Pictures", kind: "image" },
      { input_usd_per_m: "0", output_usd_per_m: "0", image_usd: "0.04" },
    );
    await addModel(
      tx,
      { ...bounds, name: numbers, displayName: "Numbers", kind: "embedding" },
      { input_usd_per_m: "0.02", output_usd_per_m: "0" },
    );
  });
  await web.rig.addChannel("others", "http://127.0.0.1:9/v1", [picture, numbers]);
  await waitForPage(`/models/${picture}/`);
});

afterAll(async () => {
  await browser?.close();
  await web?.close();
});

/** Public pages are redrawn a moment after the catalog has changed. */
async function waitForPage(path: string): Promise<void> {
  const deadline = performance.now() + patienceMs;
  while ((await fetch(`${web.sluice.url}${path}`)).status !== 200) {
    if (performance.now() > deadline) {
      throw new Error(`${path} was not drawn`);
    }
    await Bun.sleep(100);
  }
}

async function textOf(path: string, cookie?: string, ready = "main h1"): Promise<string> {
  const watched = await browser.open({ url: web.sluice.url, ...(cookie === undefined ? {} : { cookie }) });
  try {
    await watched.page.goto(path);
    await watched.page.waitForSelector(ready);
    await watched.page.waitForLoadState("networkidle");
    const text = await watched.page.evaluate<string>("document.querySelector('main').innerText");
    const options = await watched.page.locator("main option").allTextContents();
    expect(watched.faults).toEqual([]);
    return `${text}\n${options.join("\n")}`;
  } finally {
    await watched.close();
  }
}

test(
  "snippets and price cards of the home page show only chat models",
  async () => {
    const text = await textOf("/");
    expect(text).toContain('"model": "gpt-4o-mini"');
    expect(text).not.toContain(picture);
    expect(text).not.toContain(numbers);
    expect(text).not.toMatch(/\$0\.00\s/);
  },
  testMsMax,
);

test("the home page and the list of models show how many calls were answered", async () => {
  expect(await textOf("/")).toMatch(/3\s+models\s+99\.5%\s+of calls answered in 30 days/);
  const list = await textOf("/models/?sort=success");
  expect(list).toContain("Answered: share of calls in 30 days.");
  expect(list.slice(list.indexOf("gpt-4o-mini"))).toContain("99.5%");
});

test(
  "the docs name a chat model",
  async () => {
    const text = await textOf("/docs/quickstart/");
    expect(text).toContain("gpt-4o-mini");
    expect(text).not.toContain(picture);
  },
  testMsMax,
);

test(
  "the page of an image model has its price and no conversation",
  async () => {
    const text = await textOf(`/models/${picture}/`);
    expect(text).toContain("$0.04");
    expect(text).not.toContain("$0.00");
    expect(text).not.toContain("chat/completions");
    expect(text).not.toContain("playground");
  },
  testMsMax,
);

test(
  "a token price is a dash if a model has none",
  async () => {
    for (const path of ["/models/", "/pricing/"]) {
      const text = await textOf(path);
      const [row = ""] = text.slice(text.indexOf(picture)).split(numbers);
      expect([path, row.includes("–"), row.includes("$0.00")]).toEqual([path, true, false]);
    }
  },
  testMsMax,
);

test(
  "the price page includes prices per image, call and second",
  async () => {
    const text = await textOf("/pricing/");
    const [row = ""] = text.slice(text.indexOf(picture)).split(numbers);
    expect(row).toContain("Per image: $0.04");
    expect(text.match(/Per image/g)).toHaveLength(1);
  },
  testMsMax,
);

test(
  "the list of models is filtered by capability, sorted by its heads, and linked as it is seen",
  async () => {
    const { page, faults, close } = await browser.open({ url: web.sluice.url });
    const names = () => page.locator(".model-table tbody code").allTextContents();
    await page.goto("/models/");
    await page.getByRole("button", { name: "Sort by Input", exact: true }).click();
    expect(await names()).toEqual([picture, numbers, "gpt-4o-mini"]);
    await page.getByRole("button", { name: "Sort by Input", exact: true }).click();
    expect(await page.locator("th[aria-sort]").getAttribute("aria-sort")).toBe("descending");
    expect(await names()).toEqual(["gpt-4o-mini", numbers, picture]);
    await page.getByLabel("Capability").selectOption({ label: "Tools" });
    expect(await names()).toEqual(["gpt-4o-mini"]);
    expect(new URL(page.url()).search).toBe("?can=tools&sort=input&order=reverse");
    await page.goto(`/models/?can=embedding&compare=${picture},${numbers}`);
    const compared = page.getByRole("region", { name: "Side by side" });
    await compared.getByText("Image generation").waitFor();
    const cells = (label: string) => compared.locator(`tr:has(th:text-is("${label}")) td`).allTextContents();
    expect(await cells("Per image")).toEqual(["$0.04", "–Not charged"]);
    expect(await cells("Input")).toEqual(["–Not charged", "$0.02"]);
    expect(await cells("Per second of audio")).toEqual([]);
    expect(await names()).toEqual([numbers]);
    expect(faults).toEqual([]);
    await close();
  },
  testMsMax,
);

test(
  "a customer sees the prices of their own group, and those of new accounts on request",
  async () => {
    await web.rig.db.sql`
      update gateway_user g set rate_multiplier = 2 from user_profile p
      where p.gateway_user_id = g.id and p.email = ${shownEmail}`;
    const { page, faults, close } = await browser.open({ url: web.sluice.url, cookie: web.cookies.user ?? "" });
    // The console leaves the hint that somebody is logged in.
    await page.goto("/console/");
    await page.waitForFunction(() => localStorage.getItem("signed-in") === "yes");
    await page.goto("/models/");
    const input = page.locator(`tr:has(code:text-is("${numbers}")) td[data-label="Input"]`);
    await page.getByLabel("Prices for").waitFor();
    expect(await input.textContent()).toBe("$0.04");
    await page.getByLabel("Prices for").selectOption({ label: "New accounts" });
    expect(await input.textContent()).toBe("$0.02");
    expect(faults).toEqual([]);
    await close();
  },
  testMsMax,
);

test(
  "the playground offers only chat models",
  async () => {
    const text = await textOf("/console/playground/", web.cookies.user, 'main select:has(option[value="gpt-4o-mini"])');
    expect(text).toContain("gpt-4o-mini");
    expect(text).not.toContain(picture);
    expect(text).not.toContain(numbers);
  },
  testMsMax,
);
