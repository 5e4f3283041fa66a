import { afterAll, beforeAll, expect, test } from "bun:test";
import { AccountClient } from "../support/accounts/account-client.ts";
import { Authenticator } from "../support/accounts/authenticator.ts";
import { chat } from "../support/calls/chat-call.ts";
import { type ConsoleScene, faultsOf, startConsoleScene } from "../support/web/console-scene.ts";
import { countActs } from "../support/web/count-acts.ts";

let scene: ConsoleScene;

beforeAll(async () => {
  scene = await startConsoleScene();
});

afterAll(() => scene?.close());

test("a customer without balance is sent to the plans first, and a refused first call says why", async () => {
  const watched = await scene.enter([], 0n);
  const { page } = watched;
  try {
    await page.goto("/console/");
    await page.getByText("Four steps to your first call.").waitFor();
    expect(await page.getByRole("link", { name: "Add balance" }).getAttribute("href")).toBe("/console/billing/");
    expect(await faultsOf(watched)).toEqual([]);
    await page.goto("/console/keys/");
    await page.getByRole("button", { name: "Create key" }).first().click();
    const form = page.getByRole("dialog");
    await form.getByRole("textbox", { name: "Name" }).fill("laptop");
    await form.getByRole("button", { name: "Create key" }).click();
    const key = (await page.locator("[data-secret]").textContent()) ?? "";
    expect((await chat({ url: scene.web.sluice.url, apiKey: key }, { model: "gpt-4o-mini" })).status).toBe(429);
    await page.getByText("A request with this key was refused: the balance is empty.").waitFor();
    await page.getByRole("dialog").getByRole("link", { name: "Add balance" }).waitFor();
    expect(await faultsOf(watched)).toEqual([]);
  } finally {
    await watched.close();
  }
});

test("a key is created, its first call is seen, and the call appears in the usage with its receipt", async () => {
  const watched = await scene.enter();
  const { page } = watched;
  const acts = await countActs(page);
  try {
    await page.goto("/console/keys/");
    await page.getByText("No keys yet").waitFor();
    expect(await faultsOf(watched)).toEqual([]);
    await page.getByRole("button", { name: "Create key" }).first().click();
    const form = page.getByRole("dialog");
    await form.getByRole("textbox", { name: "Name" }).fill("laptop");
    await form.getByRole("button", { name: "Create key" }).click();
    const secret = (await page.locator("[data-secret]").textContent()) ?? "";
    expect(secret).toStartWith("sk-");
    await page.getByText("Waiting for the first request with this key").waitFor();
    expect(await faultsOf(watched)).toEqual([]);
    await page.getByRole("button", { name: "Send a test request" }).click();
    await page.getByText("First request seen").waitFor();
    await page.getByText("The model answered:").waitFor();
    // Create key, its name, create, test.
    expect(acts).toEqual({ clicks: 3, fields: 1 });
    await page.getByRole("button", { name: "Done" }).click();
    await page.getByRole("button", { name: "Close anyway" }).click();
    await page.locator("[data-secret]").waitFor({ state: "detached" });
    expect(await page.content()).not.toContain(secret);
    await page.goto("/console/usage/");
    await page.locator(".row-open").first().click();
    await page.getByRole("heading", { name: "How the cost was calculated" }).waitFor();
    // Closing the dialog takes two clicks, as the key was not copied; the receipt of the call is one more.
    expect(acts).toEqual({ clicks: 6, fields: 1 });
    await page.getByRole("columnheader", { name: "Amount" }).waitFor();
    await page.getByText("Attempt 1").waitFor();
    const receipt = new URL(page.url()).searchParams.get("open");
    await scene.web.rig.db.sql`
      insert into usage_key_performance (api_key_id, starts_at, model, kind, bucket, calls, output_tokens, output_ms)
      select id, date_trunc('day', now(), 'UTC'), 'gpt-4o-mini', kind, bucket, 10, 100, 1000
      from api_key cross join (values ('first_byte', 28), ('total', 40)) as times (kind, bucket) where name = 'laptop'`;
    await page.goto("/console/usage/");
    // Its own figures, beside those of the call: 100 tokens a second.
    await page
      .getByRole("region", { name: "Speed by model" })
      .getByRole("cell", { name: "100", exact: true })
      .waitFor();
    const chart = page.getByRole("region", { name: "By day" });
    await chart.getByLabel("Group by").selectOption("key");
    await chart.getByRole("button", { name: "laptop" }).waitFor();
    await chart.getByLabel("Compare with the previous period").check();
    await chart.getByText(/^Previous period, .*: \$0\.00$/).waitFor();
    expect(await faultsOf(watched)).toEqual([]);
    await page.getByRole("link", { name: "How figures are counted" }).click();
    await page.getByText("Completed calls as a share of completed and failed calls.").waitFor();
    expect(await faultsOf(watched)).toEqual([]);
    await page.goto(`/console/usage/?from_day=2026-01-01&to_day=2026-01-02&open=${receipt}`);
    await page.getByText("No calls in this range").waitFor();
    await page.getByText("Attempt 1").waitFor();
    expect(await faultsOf(watched)).toEqual([]);
  } finally {
    await watched.close();
  }
});

test("a page asks the backend while its modules are loading, asks nothing twice, and asks itself if that fails", async () => {
  const watched = await scene.enter();
  const { page } = watched;
  const asked: string[] = [];
  page.on("request", (request) => asked.push(new URL(request.url()).pathname));
  try {
    for (const [path, first] of [
      ["/console/", "/backend/usage/summary/"],
      ["/console/keys/", "/backend/keys/list/"],
      ["/console/billing/", "/backend/billing/plans/"],
    ] as const) {
      // The page before asks nothing more from here on.
      await page.goto("about:blank");
      asked.length = 0;
      const answered = page.waitForResponse((response) => new URL(response.url()).pathname === first);
      // The modules come only after the response.
      await page.route("**/assets/vendor-*.js", async (route) => {
        await answered;
        await route.fallback();
      });
      await page.goto(path);
      await page.locator("main h1").waitFor();
      await page.waitForSelector("main [aria-busy=true]", { state: "detached" });
      await page.unroute("**/assets/vendor-*.js");
      const ofBackend = asked.filter((each) => each.startsWith("/backend/") && each !== "/backend/usage/list/");
      expect({ path, asked: ofBackend.sort() }).toEqual({ path, asked: [...new Set(ofBackend)].sort() });
    }
    let cut = 0;
    await page.route("**/backend/billing/plans/", async (route) => {
      cut += 1;
      await (cut === 1 ? route.abort() : route.fallback());
    });
    await page.reload();
    await page
      .getByRole("button", { name: /^Buy: / })
      .first()
      .waitFor();
    expect(cut).toBe(2);
    // Another address of the page asks for something else.
    asked.length = 0;
    await page.goto("/console/billing/?tab=orders");
    await page.getByText("No orders yet").waitFor();
    expect(asked).not.toContain("/backend/billing/plans/");
    expect(watched.faults).toEqual([]);
  } finally {
    await watched.close();
  }
});

test("a plan is previewed in a dry run, whose order is then bought without a real payment and appears in the ledger", async () => {
  const watched = await scene.enter();
  const { page } = watched;
  const acts = await countActs(page);
  try {
    await page.goto("/console/billing/");
    await page
      .getByRole("button", { name: /^Buy: / })
      .first()
      .click();
    await page.getByRole("group", { name: "Pay with" }).getByLabel("Alipay (wallet)").check();
    await page.getByRole("button", { name: "Dry run" }).click();
    await page.getByText("is waiting for payment").waitFor();
    await page.getByText(/^POST \//).waitFor();
    expect(await faultsOf(watched)).toEqual([]);
    await page.getByRole("button", { name: "Simulate payment (test)" }).click();
    await page.getByText("The order is paid.").waitFor();
    // Buy, how to pay, what would be sent, and the payment.
    expect(acts.clicks).toBe(4);
    await page.locator(".sidebar-balance", { hasText: /\$1[45]\.\d\d/ }).waitFor();
    await page.getByRole("tab", { name: "Ledger" }).click();
    await page.getByText("top-up", { exact: true }).waitFor();
    expect(await faultsOf(watched)).toEqual([]);
    await page.getByRole("tab", { name: "Orders" }).click();
    await page.locator(".status", { hasText: /^paid$/ }).waitFor();
    expect(await page.getByText("waiting for payment").count()).toBe(0);
    expect(await scene.web.rig.checkMoney()).toEqual([]);
  } finally {
    await watched.close();
  }
});

test("a link to a plan opens its purchase, and says so if the plan is not offered", async () => {
  const watched = await scene.enter();
  const { page } = watched;
  const dialog = page.locator("dialog[open]");
  try {
    const plan = (
      await scene.web.rig.db.sql<{ code: string; name: string }>`
      select plan_code as code, name from plan where status = 'active' order by id limit 1`
    )[0];
    await page.goto(`/console/billing/?plan=${plan?.code}`);
    await dialog.getByRole("heading", { name: plan?.name ?? "" }).waitFor();
    expect(await faultsOf(watched)).toEqual([]);
    await dialog.getByRole("button", { name: "Close" }).click();
    await page.waitForURL((url) => !url.searchParams.has("plan"));
    expect(await dialog.count()).toBe(0);
    await page.goto("/console/billing/?plan=no-such-plan");
    await page.getByText("The plan no-such-plan is not available.").waitFor();
    expect(await dialog.count()).toBe(0);
    await scene.web.rig.db.sql`update plan set status = 'hidden' where plan_code = ${plan?.code ?? ""}`;
    await page.goto(`/console/billing/?plan=${plan?.code}`);
    await page.getByText(`The plan ${plan?.code} is not available.`).waitFor();
    expect(await faultsOf(watched)).toEqual([]);
    await scene.web.rig.db.sql`update plan set status = 'active' where plan_code = ${plan?.code ?? ""}`;
  } finally {
    await watched.close();
  }
});

test("the account shows both ids, the status, the multiplier and the sessions", async () => {
  const watched = await scene.enter();
  const { page } = watched;
  try {
    await page.goto("/console/account/");
    for (const name of ["User ID", "Account ID", "E-mail", "Status", "Rate multiplier"]) {
      await page.locator("dt", { hasText: new RegExp(`^${name}$`) }).waitFor();
    }
    await page.getByText("× 1.0000").waitFor();
    await page.getByText("this one").waitFor();
    expect(await faultsOf(watched)).toEqual([]);
  } finally {
    await watched.close();
  }
});

test("a key is limited, switched off and on, rotated and revoked, each by its dialog", async () => {
  // An invalid address is refused.
  const watched = await scene.enter([400]);
  const { page } = watched;
  const panel = page.locator(".side-panel");
  const dialog = page.locator("dialog[open]");
  // It is there for two seconds: it has to be waited for before it comes.
  const copied = page.getByText("Copied", { exact: true }).first();
  try {
    await page.goto("/console/keys/");
    await page.getByRole("button", { name: "Create key" }).first().click();
    await dialog.getByRole("textbox", { name: "Name" }).fill("build server");
    await dialog.getByText("Limits", { exact: true }).click();
    await dialog.getByLabel("Budget in USD").fill("a lot");
    await dialog.getByRole("button", { name: "Create key" }).click();
    await dialog.getByText("Enter an amount like 5 or 2.50.").waitFor();
    await dialog.getByLabel("Budget in USD").fill("2.50");
    await dialog.getByLabel("Budget resets").selectOption("monthly");
    await dialog.getByLabel("Allowed IPs").fill("not an address");
    await dialog.getByRole("button", { name: "Create key" }).click();
    await dialog.locator("[aria-invalid=true], [data-kind=error]").first().waitFor();
    await dialog.getByLabel("Allowed IPs").fill("203.0.113.0/24");
    await dialog.getByRole("button", { name: "Create key" }).click();
    await Promise.all([copied.waitFor(), page.getByRole("button", { name: "Copy the key" }).click()]);
    await page.getByRole("button", { name: "Done" }).click();
    await page.locator("[data-secret]").waitFor({ state: "detached" });
    await page.getByRole("button", { name: "build server" }).click();
    await panel.getByText("203.0.113.0/24").waitFor();
    await panel.getByRole("button", { name: "Limits" }).click();
    await dialog.getByLabel("Requests per minute").fill("7");
    await dialog.getByRole("button", { name: "Save limits" }).click();
    await page.getByText("The limits were saved.").waitFor();
    await panel.locator("dt:text-is('Requests per minute') + dd", { hasText: "7" }).waitFor();
    await panel.getByRole("button", { name: "Disable" }).click();
    await panel.getByRole("button", { name: "Enable" }).click();
    await panel.getByRole("button", { name: "Rotate" }).click();
    await dialog.getByLabel("Old key works for").selectOption("quarter");
    await dialog.getByRole("button", { name: "Rotate key" }).click();
    await page.locator("[data-secret]").waitFor();
    expect(await faultsOf(watched)).toEqual([]);
    await Promise.all([copied.waitFor(), page.getByRole("button", { name: "Copy the key" }).click()]);
    await page.getByRole("button", { name: "Done" }).click();
    // The old key is open, and names its successor.
    await panel.locator("dt", { hasText: "Replaced by key" }).waitFor();
    await panel.getByRole("button", { name: "Revoke" }).click();
    expect(await dialog.getByRole("button", { name: "Revoke now" }).isDisabled()).toBe(true);
    await dialog.getByLabel("Type the name of the key").fill("build server");
    await dialog.getByRole("button", { name: "Revoke now" }).click();
    await page.getByText("The key was revoked.").waitFor();
    await page.locator("tr .status", { hasText: "revoked" }).waitFor();
    expect(await page.getByRole("button", { name: "build server" }).count()).toBe(2);
    expect(await faultsOf(watched)).toEqual([]);
  } finally {
    await watched.close();
  }
});

test("the authenticator is set up, required at login and switched off; a new password ends the other sessions", async () => {
  const email = "grace@example.org";
  const first = "correct horse battery";
  const second = "a better horse battery";
  const client = new AccountClient(scene.web.sluice);
  await client.makeUser(email, first);
  const { cookie } = await client.post("/backend/auth/login/", { email, password: first });
  const elsewhere = await client.post("/backend/auth/login/", { email, password: first });
  const watched = await scene.browser.open({ url: scene.web.sluice.url, cookie, expectedStatuses: [401] });
  const { page } = watched;
  const card = (title: string) => page.getByRole("region", { name: title });
  try {
    await page.goto("/console/account/");
    await card("Authenticator").getByLabel("Current password").fill(first);
    await card("Authenticator").getByRole("button", { name: "Set up" }).click();
    const secret = (await card("Authenticator").locator("code").first().textContent()) ?? "";
    const authenticator = new Authenticator(secret);
    await card("Authenticator").getByLabel("Code").fill(authenticator.wrong());
    await card("Authenticator").getByRole("button", { name: "Turn on" }).click();
    await card("Authenticator").locator("[data-kind=error], [aria-invalid=true]").first().waitFor();
    await card("Authenticator")
      .getByLabel("Code")
      .fill(await authenticator.next());
    await card("Authenticator").getByRole("button", { name: "Turn on" }).click();
    await page.getByText("The authenticator is on.").waitFor();
    await card("Authenticator").locator("[data-codes]").waitFor();
    const codes = await card("Authenticator").locator("[data-codes] code").allTextContents();
    expect(codes).toHaveLength(10);
    expect(await faultsOf(watched)).toEqual([]);
    await card("Authenticator").getByRole("button", { name: "I have saved them" }).click();
    await card("Authenticator").getByText("Recovery codes left: 10").waitFor();
    await card("Authenticator").getByText(secret).first().waitFor({ state: "detached" });
    expect((await client.get("/backend/auth/me/", { cookie: elsewhere.cookie })).status).toBe(401);
    await page.context().clearCookies();
    await page.goto("/login/?next=/console/account/");
    await page.getByLabel("E-mail").fill(email);
    await page.getByLabel("Password").fill(first);
    await page.getByRole("button", { name: "Log in" }).click();
    await page.getByLabel("Code from your authenticator, or a recovery code").fill((codes[4] ?? "").toLowerCase());
    await page.getByLabel("Password").fill(first);
    await page.getByRole("button", { name: "Log in" }).click();
    await page.waitForURL("**/console/account/");
    await card("Password").getByLabel("Current password").fill(first);
    await card("Password").getByLabel("New password").fill(second);
    await card("Password").getByRole("button", { name: "Change password" }).click();
    await page.getByText("Your password was changed.").waitFor();
    await card("Sessions").getByRole("listitem").nth(1).waitFor({ state: "detached" });
    await card("Sessions").getByText("this one").waitFor();
    expect(await card("Sessions").getByRole("listitem").count()).toBe(1);
    await card("Authenticator").getByText("Recovery codes left: 9").waitFor();
    await card("Authenticator").getByLabel("Current password").fill(second);
    await card("Authenticator")
      .getByLabel("Code")
      .fill(await authenticator.next());
    await card("Authenticator").getByRole("button", { name: "Create new recovery codes" }).click();
    await card("Authenticator").locator("[data-codes]").waitFor();
    const made = await card("Authenticator").locator("[data-codes] code").allTextContents();
    expect(made.filter((code) => codes.includes(code))).toEqual([]);
    await card("Authenticator").getByRole("button", { name: "I have saved them" }).click();
    await card("Authenticator").getByLabel("Current password").fill(second);
    await card("Authenticator")
      .getByLabel("Code")
      .fill(made[0] ?? "");
    await card("Authenticator").getByRole("button", { name: "Turn off" }).click();
    await page.getByText("The authenticator is off.").waitFor();
    await card("Authenticator").getByRole("button", { name: "Set up" }).waitFor();
    await client.post("/backend/auth/login/", { email, password: second });
    await page.reload();
    await card("Sessions").getByRole("button", { name: "Log out all others" }).click();
    await page.getByText("1 session was logged out.").waitFor();
    expect(watched.faults).toEqual([]);
  } finally {
    await watched.close();
  }
});

test("a month that was bought once says that it ends, the ledger leads to its order, and a pending order is cancelled", async () => {
  const watched = await scene.enter();
  const { page } = watched;
  const dialog = page.locator("dialog[open]");
  try {
    await page.goto("/console/billing/");
    const monthly = page.locator("[class*=_plan_]", { hasText: "per month" }).getByRole("button", { name: /^Buy: / });
    await monthly.first().click();
    await dialog.getByRole("button", { name: "Simulate payment (test)" }).click();
    await page.getByText(/The order is paid/).waitFor();
    await page.getByText("ends after this period").waitFor();
    expect(await page.getByRole("button", { name: "Cancel subscription" }).count()).toBe(0);
    await page.getByRole("tab", { name: "Ledger" }).click();
    await page.locator("tr", { hasText: "monthly plan" }).getByRole("link").click();
    await page.locator(".side-panel").getByText("paid", { exact: true }).waitFor();
    await page.goto("/console/billing/");
    await monthly.first().click();
    await dialog.getByRole("button", { name: "Dry run" }).click();
    await page.getByText("is waiting for payment").waitFor();
    await dialog.getByRole("button", { name: "Close" }).click();
    await page.getByRole("tab", { name: "Orders" }).click();
    await page.locator("tr", { hasText: "waiting for payment" }).locator(".row-open").click();
    await page.getByRole("button", { name: "Cancel order" }).click();
    await page.locator("tr .status", { hasText: "cancelled" }).waitFor();
    expect(await faultsOf(watched)).toEqual([]);
    expect(await scene.web.rig.checkMoney()).toEqual([]);
  } finally {
    await watched.close();
  }
});
