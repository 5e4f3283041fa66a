import { afterAll, beforeAll, expect, test } from "bun:test";
import { loginAdmin, loginUser, type UserLogin } from "../support/accounts/logins.ts";
import { TestBrowser } from "../support/web/browser.ts";
import { startWebRig, type WebRig } from "../support/web/web-rig.ts";

let web: WebRig;
let browser: TestBrowser;
let moved: UserLogin;

beforeAll(async () => {
  [web, browser] = await Promise.all([startWebRig("http://127.0.0.1:9"), TestBrowser.launch()]);
  moved = await loginUser(web.rig);
  await web.rig.db.sql`insert into import_source (instance, program) values ('old', 'one-api')`;
  await web.rig.db.sql`insert into imported_usage
      (gateway_user_id, instance, day, model, calls, input_tokens, output_tokens, quota)
    values (${moved.gatewayUserId}::bigint, 'old', '2026-01-31', 'gpt-4o', 1200, 5000, 700, 250000),
      (${moved.gatewayUserId}::bigint, 'old', '2026-03-01', 'gpt-4o', 34, 50, 7, 500000)`;
  await web.rig.db.sql`insert into imported_call
      (gateway_user_id, instance, source_id, made_at, model, key_name, input_tokens, output_tokens, quota)
    values (${moved.gatewayUserId}::bigint, 'old', '1', '2026-01-31', 'gpt-4o', 'main', 50, 7, 2500)`;
});
afterAll(async () => {
  await browser?.close();
  await web?.close();
});

test("a customer who was moved sees what was used before on the page of usage, with a file of the days", async () => {
  const watched = await browser.open({ url: web.sluice.url, cookie: moved.cookie });
  const { page } = watched;
  try {
    await page.goto("/console/usage/");
    await page.getByText("Before the move, from Jan 31, 2026 to Mar 1, 2026: 1,234 calls for $1.50.").waitFor();
    const link = page.getByRole("link", { name: "CSV by day and model" });
    const arriving = page.waitForEvent("download");
    await link.click();
    expect((await arriving).suggestedFilename()).toBe("usage-before-the-move.csv");
    const arrivingCalls = page.waitForEvent("download");
    await page.getByRole("link", { name: "CSV of single calls" }).click();
    expect((await arrivingCalls).suggestedFilename()).toBe("calls-before-the-move.csv");
    // Where the page has scrolled to for a click, the bar above it may cover half a button.
    await page.evaluate("scrollTo(0, 0)");
    expect([...(await watched.axe()), ...watched.faults]).toEqual([]);
  } finally {
    await watched.close();
  }
});

test("an admin sees it on the page of the user", async () => {
  const { cookie } = await loginAdmin(web.rig);
  const [row] = await web.rig.db.sql<{ id: bigint }>`
    select id from user_profile where gateway_user_id = ${moved.gatewayUserId}::bigint`;
  const watched = await browser.open({ url: web.sluice.url, cookie });
  const { page } = watched;
  try {
    await page.goto(`/admin/users/${row?.id}/`);
    await page.getByText("Before the move, from 2026-01-31 to 2026-03-01: 1,234 calls for $1.50").waitFor();
    expect([...(await watched.axe()), ...watched.faults]).toEqual([]);
  } finally {
    await watched.close();
  }
});
