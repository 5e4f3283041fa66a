import { afterAll, beforeAll, expect, test } from "bun:test";
import type { BudgetId } from "@sluice/contracts/ids";
import { grantQuota } from "@sluice/control-plane/gateway/quota/grant-store.ts";
import type { SandboxProvider } from "@sluice/sandbox-provider/sandbox";
import { startSandboxProvider } from "@sluice/sandbox-provider/server";
import { loginUser, type UserLogin } from "../support/accounts/logins.ts";
import { chat } from "../support/calls/chat-call.ts";
import { untilDayLasts } from "../support/values/day-that-lasts.ts";
import { promptMs } from "../support/values/patience.ts";
import { TestBrowser } from "../support/web/browser.ts";
import { countActs } from "../support/web/count-acts.ts";
import { startWebRig, type WebRig } from "../support/web/web-rig.ts";

const testMsMax = 240_000;
const price = 1_000n;
let provider: SandboxProvider;
let web: WebRig;
let browser: TestBrowser;

beforeAll(async () => {
  provider = startSandboxProvider();
  [web, browser] = await Promise.all([startWebRig(provider.url), TestBrowser.launch()]);
  await web.rig.addFlatPriceModel("flat", price);
});

afterAll(async () => {
  await browser?.close();
  await web?.close();
  await provider?.stop();
});

const open = async ({ cookie }: UserLogin) =>
  await browser.open({ url: web.sluice.url, cookie, expectedStatuses: [400, 403] });

/** The link that was mailed to an address. */
async function takeToken(owner: UserLogin, organisation: string, email: string): Promise<string> {
  const answer = await fetch(`${web.sluice.url}/backend/organisations/invite/`, {
    method: "POST",
    headers: {
      ...{ cookie: owner.cookie, origin: web.sluice.url, "content-type": "application/json" },
      "x-organisation": organisation,
    },
    body: JSON.stringify({ email, role: "member" }),
  });
  const { link } = (await answer.json()) as { link: string };
  return new URL(link).search;
}

test(
  "three people share a wallet: invited, with a key in a project, charged, told apart, and one removed",
  async () => {
    const [owner, anna, ben] = [await loginUser(web.rig), await loginUser(web.rig), await loginUser(web.rig)];
    const watched = await open(owner);
    const acts = await countActs(watched.page, web.sluice.url);
    const { page } = watched;
    await page.goto("/console/organisation/");
    await page.getByText("No organisations").waitFor();
    expect(await watched.axe()).toEqual([]);
    await page.getByRole("button", { name: "Create organisation" }).first().click();
    const dialog = page.getByRole("dialog", { name: "Create organisation" });
    await dialog.getByLabel("Name").fill("Analytical Engines");
    await dialog.getByRole("button", { name: "Create organisation" }).click();
    await page.getByRole("heading", { name: "Analytical Engines" }).waitFor();
    const [made] = await web.rig.db.sql<{ id: bigint; budget_id: BudgetId }>`
      select o.id, b.id as budget_id from organisation o join budget b on b.gateway_user_id = o.gateway_user_id
      where o.name = 'Analytical Engines'`;
    const budgetId = made?.budget_id ?? (0n as BudgetId);
    await grantQuota(web.rig.db, { budgetId, amount: 100n * price, changeType: "manual_adjust", reference: "walk" });

    await page.getByRole("button", { name: "Invite", exact: true }).click();
    const inviting = page.getByRole("dialog", { name: "Invite" });
    await inviting.getByLabel("E-mail address").fill(anna.email);
    expect(await watched.axe()).toEqual([]);
    await inviting.getByRole("button", { name: "Invite" }).click();
    await page.getByText("Open invitations").waitFor();
    for (const person of [anna, ben]) {
      const search = await takeToken(owner, String(made?.id), person.email);
      const theirs = await open(person);
      const theirActs = await countActs(theirs.page, web.sluice.url);
      await theirs.page.goto(`/console/invitation/${search}`);
      await theirs.page.getByText("Analytical Engines").waitFor();
      expect(await theirs.axe()).toEqual([]);
      await theirs.page.getByRole("button", { name: "Accept" }).click();
      await theirs.page.getByRole("heading", { name: "Analytical Engines" }).waitFor();
      expect(theirActs.clicks).toBe(1);
      expect(theirs.faults).toEqual([]);
      await theirs.close();
    }

    await page.reload();
    await page.getByRole("button", { name: "New project" }).click();
    const project = page.getByRole("dialog", { name: "New project" });
    await project.getByLabel("Name").fill("Search");
    await project.getByLabel("Budget per month").fill("0.01");
    await project.getByRole("button", { name: "Save" }).click();
    await page.getByText("Live keys: 0 ·").first().waitFor();
    // Two each for the organisation, the invitation and the project: to open the form, and to send it.
    expect(acts.clicks).toBe(6);
    expect(await watched.axe()).toEqual([]);

    const annas = await open(anna);
    await annas.page.goto("/console/organisation/");
    await annas.page.getByRole("button", { name: "Open: Analytical Engines" }).click();
    await annas.page.getByRole("heading", { name: "Analytical Engines" }).waitFor();
    await annas.page.goto("/console/keys/");
    await annas.page.getByRole("button", { name: "Create key" }).first().click();
    const creating = annas.page.getByRole("dialog", { name: "Create key" });
    await creating.getByRole("textbox", { name: "Name" }).fill("search index");
    await creating.getByLabel("Project").selectOption({ label: "Search" });
    await creating.getByRole("button", { name: "Create key" }).click();
    const secret = /sk-[A-Za-z0-9]{48}/.exec(
      (await annas.page.locator("dialog[open]").filter({ hasText: "sk-" }).textContent()) ?? "",
    )?.[0];
    const call = () => chat({ url: web.sluice.url, apiKey: secret ?? "" }, { model: "flat" });
    // The next month would have a budget of its own.
    await untilDayLasts();
    const calls = [];
    for (let index = 0; index < 6; index += 1) {
      calls.push((await call()).isWhole);
    }
    // A budget of 0.01 USD covers five calls.
    expect(calls).toEqual([true, true, true, true, true, false]);
    await web.rig.waitForUsedQuota(budgetId, 5n * price);
    // A link to a page that her role does not have says so, and nothing on it is refused.
    await annas.page.goto("/console/billing/?tab=orders");
    await annas.page.getByRole("heading", { name: "Not for your role" }).waitFor();
    expect(await annas.axe()).toEqual([]);
    await annas.page.locator(".sidebar-balance").waitFor();
    expect(await annas.page.getByText("This could not be loaded").count()).toBe(0);
    await annas.close();

    await page.goto("/console/usage/");
    await page.getByRole("tab", { name: "By member" }).click();
    await page.getByRole("row", { name: new RegExp(anna.email) }).waitFor();
    await page.getByRole("tab", { name: "By project" }).click();
    await page.getByRole("row", { name: /Search/ }).waitFor();
    // Scrolled down to the tabs, the bar at the top covers a part of what is above them.
    await page.evaluate("scrollTo(0, 0)");
    expect(await watched.axe()).toEqual([]);

    await page.goto("/console/organisation/");
    await page.getByRole("button", { name: `Remove: ${anna.email}` }).click();
    const removing = page.getByRole("dialog", { name: "Remove this member?" });
    expect(await watched.axe()).toEqual([]);
    await removing.getByRole("button", { name: "Remove" }).click();
    await page.getByText("The member was removed.").waitFor();
    const sinceMs = performance.now();
    while ((await call()).status !== 401) {
      expect(performance.now() - sinceMs).toBeLessThan(promptMs);
    }
    expect(watched.faults).toEqual([]);
    await watched.close();
    expect(await web.rig.checkMoney()).toEqual([]);
  },
  testMsMax,
);
