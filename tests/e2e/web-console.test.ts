import { afterAll, beforeAll, expect, test } from "bun:test";
import { startSandboxProvider } from "@sluice/sandbox-provider/server";
import { TestBrowser, type WatchedPage } from "../support/browser.ts";
import { loginUser } from "../support/logins.ts";
import { startWebRig, type WebRig } from "../support/web-rig.ts";

let provider: ReturnType<typeof startSandboxProvider>;
let web: WebRig;
let browser: TestBrowser;

beforeAll(async () => {
  provider = startSandboxProvider();
  [web, browser] = await Promise.all([startWebRig(provider.url), TestBrowser.launch()]);
}, 120_000);

afterAll(async () => {
  await browser?.close();
  await web?.close();
  await provider?.stop();
});

/** A new user with some balance, in a browser of their own. */
async function enter(): Promise<WatchedPage> {
  const { cookie } = await loginUser(web.rig, { quota: 2_500_000n });
  return await browser.open({ url: web.sluice.url, cookie });
}

/** What axe finds, and everything else that must not have happened. */
async function faultsOf({ axe, faults }: WatchedPage): Promise<string[]> {
  return [...(await axe()), ...faults];
}

test("a key is made, its first call is seen, and the call appears in the usage with its receipt", async () => {
  const watched = await enter();
  const { page } = watched;
  try {
    await page.goto("/console/keys/");
    await page.getByText("No key yet").waitFor();
    expect(await faultsOf(watched)).toEqual([]);
    await page.getByRole("button", { name: "Create key" }).first().click();
    const form = page.getByRole("dialog");
    await form.getByLabel("Name").fill("laptop");
    await form.getByRole("button", { name: "Create key" }).click();
    const secret = (await page.locator("[data-secret]").textContent()) ?? "";
    expect(secret).toStartWith("sk-");
    await page.getByText("Waiting for the first request with this key").waitFor();
    expect(await faultsOf(watched)).toEqual([]);
    await page.getByRole("button", { name: "Send a test request" }).click();
    await page.getByText("First request seen").waitFor();
    await page.getByText("The model answered:").waitFor();
    await page.getByRole("button", { name: "Done" }).click();
    await page.getByRole("button", { name: "Close anyway" }).click();
    await page.locator("[data-secret]").waitFor({ state: "detached" });
    expect(await page.content()).not.toContain(secret);
    await page.goto("/console/usage/");
    await page.locator(".row-open").first().click();
    await page.getByRole("heading", { name: "How the price came about" }).waitFor();
    await page.getByRole("columnheader", { name: "Amount" }).waitFor();
    await page.getByText("Attempt 1").waitFor();
    expect(await faultsOf(watched)).toEqual([]);
  } finally {
    await watched.close();
  }
});

test("a plan is looked at in a dry run, bought in a trial, and is in the ledger", async () => {
  const watched = await enter();
  const { page } = watched;
  try {
    await page.goto("/console/billing/");
    await page
      .getByRole("button", { name: /^Buy: / })
      .first()
      .click();
    await page.getByLabel("Pay with").selectOption("alipay");
    await page.getByRole("button", { name: "Dry run" }).click();
    await page.getByText("waits for its payment").waitFor();
    await page.getByText(/^POST \//).waitFor();
    expect(await faultsOf(watched)).toEqual([]);
    await page.getByRole("button", { name: "Settle without a payment" }).click();
    await page.getByText("The order is settled.").waitFor();
    await page.getByRole("tab", { name: "Ledger" }).click();
    await page.getByText("order paid").waitFor();
    expect(await faultsOf(watched)).toEqual([]);
    await page.getByRole("tab", { name: "Orders" }).click();
    await page.getByText("waits for payment").first().waitFor();
    expect(await page.locator(".status", { hasText: /^paid$/ }).count()).toBe(1);
    expect(await web.rig.checkMoney()).toEqual([]);
  } finally {
    await watched.close();
  }
});

test("the playground streams an answer and says what it cost", async () => {
  const { cookie } = await loginUser(web.rig, { quota: 2_500_000n });
  // The receipt is asked for until it is there.
  const watched = await browser.open({ url: web.sluice.url, cookie, expectedStatuses: [404] });
  const { page } = watched;
  try {
    await page.goto("/console/playground/");
    await page.getByRole("button", { name: "Make a key for this page" }).click();
    await page.getByLabel("Your message").fill("Say hello.");
    await page.getByRole("button", { name: "Send" }).click();
    await page.getByText(/Cost: \$0\.0/).waitFor();
    expect(await faultsOf(watched)).toEqual([]);
  } finally {
    await watched.close();
  }
});

test("the account shows both ids, the state, the multiplier and the sessions", async () => {
  const watched = await enter();
  const { page } = watched;
  try {
    await page.goto("/console/account/");
    for (const name of ["User id", "Upstream gateway user id", "E-mail", "Status", "Rate multiplier"]) {
      await page.locator("dt", { hasText: new RegExp(`^${name}$`) }).waitFor();
    }
    await page.getByText("× 1.0000").waitFor();
    await page.getByText("this one").waitFor();
    expect(await faultsOf(watched)).toEqual([]);
  } finally {
    await watched.close();
  }
});
