import { afterAll, beforeAll, expect, test } from "bun:test";
import type { Page } from "playwright-core";
import { chat } from "../support/calls/chat-call.ts";
import { waitUntil } from "../support/calls/relay-scene.ts";
import { AdminWeb } from "../support/web/admin-web.ts";

const testMsMax = 300_000;

let admin: AdminWeb;

beforeAll(async () => {
  admin = await AdminWeb.start();
});

afterAll(() => admin?.close());

test(
  "a model gets a new version of its prices, and a name in the model map leads to it",
  async () => {
    await admin.walk("/admin/models/?open=gpt-4o-mini", async (page) => {
      await page.getByRole("button", { name: "Edit model" }).click();
      const dialog = page.getByRole("dialog");
      await dialog.getByLabel("Input, USD per M", { exact: true }).fill("0.2");
      await dialog.getByText(/^0\.15\d* → 0\.2\b/).waitFor();
      await dialog.getByRole("button", { name: "Save model" }).click();
      await page.getByText("its prices are version 2").waitFor();
      await page.getByRole("button", { name: "Edit model" }).click();
      await dialog.getByLabel("Display name").fill("A small model");
      await dialog.getByRole("button", { name: "Save model" }).click();
      await page.getByText("gpt-4o-mini was saved.", { exact: true }).waitFor();
    });
    await admin.walk("/admin/model-map/", async (page) => {
      await page.getByRole("button", { name: "New name" }).click();
      const dialog = page.getByRole("dialog");
      await dialog.getByLabel("Name clients use").fill("claude-test");
      await dialog.getByLabel("Display name").fill("Claude test");
      await dialog.getByLabel("Model", { exact: true }).fill("gpt-4o-mini");
      await dialog.getByLabel("Release date").fill("2026-05-01T00:00:00Z");
      await dialog.getByLabel("Flags").fill('{"vision": true}');
      await dialog.getByRole("button", { name: "Add name" }).click();
      await page.getByRole("button", { name: "claude-test" }).click();
      await page.getByRole("link", { name: "Test this name" }).click();
      await page.getByText("A call with this name reaches a channel.").waitFor();
      await page.getByRole("link", { name: "first" }).waitFor();
    });
  },
  testMsMax,
);

test(
  "a channel gets limits and one more model, responds to a test call, and is disabled by its name and enabled again",
  async () => {
    await admin.web.rig.db.sql`insert into user_group (name) values ('a-group-of-a-test')`;
    await admin.walk("/admin/upstreams/?open=1", async (page) => {
      const panel = page.locator(".side-panel");
      const dialog = page.locator("dialog[open]");
      const name = (await panel.getByRole("heading", { level: 2 }).textContent()) ?? "";
      await panel.getByRole("button", { name: "Edit channel" }).click();
      await dialog.getByLabel("Concurrent calls").fill("77");
      await dialog.getByRole("textbox", { name: "Reason" }).fill("a test of limits");
      await dialog.getByRole("button", { name: "Save channel" }).click();
      await panel.getByText("77 calls").waitFor();
      await panel.getByRole("button", { name: "Serve a model" }).click();
      await dialog.getByLabel("Model", { exact: true }).fill("gpt-4o-mini");
      await dialog.getByLabel("Group").fill("a-group-of-a-test");
      await dialog.getByRole("button", { name: "Save", exact: true }).click();
      await panel.getByRole("cell", { name: "a-group-of-a-test" }).waitFor();
      await panel.getByRole("button", { name: "Send test call" }).click();
      await panel.locator("dt:text-is('HTTP') + dd", { hasText: "200" }).waitFor();
      await panel.getByRole("button", { name: "Disable" }).click();
      expect(await dialog.getByRole("button", { name: "Disable" }).isDisabled()).toBe(true);
      await dialog.getByLabel(`Type ${name}`).fill(name);
      await dialog.getByRole("button", { name: "Disable" }).click();
      await panel.getByRole("button", { name: "Enable" }).click();
      await panel.getByRole("button", { name: "Disable" }).waitFor();
    });
  },
  testMsMax,
);

test("a click on a bar of calls over time narrows the list to its time, and a button widens it again", async () => {
  await admin.walk("/admin/trace/", async (page) => {
    const bars = page.locator(".u-over");
    await bars.click();
    await page.waitForURL((url) => {
      const [from, to] = ["from", "to"].map((name) => Date.parse(url.searchParams.get(name) ?? ""));
      return (to ?? 0) - (from ?? 0) === 15 * 60_000;
    });
    await page.getByRole("button", { name: "Last 24 hours" }).click();
    await page.waitForURL((url) => !url.searchParams.has("from") && !url.searchParams.has("to"));
  });
});

test(
  "what a provider said about a failed call is two clicks from the dashboard",
  async () => {
    const { rig } = admin.web;
    const user = await rig.addUser();
    const messages = [{ role: "user", content: "sandbox: status 400" }];
    const call = await chat({ url: admin.web.sluice.url, apiKey: user.apiKey }, { model: "gpt-4o-mini", messages });
    expect(call.status).toBe(400);
    await waitUntil(async () => {
      const rows = await rig.db.sql`select 1 from trace_record where request_id = ${call.requestId}::uuid`;
      return rows.length === 1;
    }, 30_000);
    await admin.walk("/admin/", async (page) => {
      await page.getByRole("link", { name: "Failed calls" }).click();
      await page.locator(".row-open").first().click();
      const said = page.locator(".side-panel").getByRole("region", { name: "Attempts" }).locator("li p");
      expect(await said.textContent()).toMatch(/\w{3}/);
    });
  },
  testMsMax,
);

test(
  "a payload is read by a super-admin with a reason, and by no other admin",
  async () => {
    const user = await admin.web.rig.addUser();
    const call = await chat({ url: admin.web.sluice.url, apiKey: user.apiKey }, { model: "gpt-4o-mini" });
    expect(call.status).toBe(200);
    await waitUntil(async () => {
      const rows = await admin.web.rig.db.sql`
        select 1 from trace_record t cross join lateral find_payload(t.day, t.request_id)
        where t.request_id = ${call.requestId}::uuid`;
      return rows.length === 1;
    }, 30_000);
    const address = `/admin/trace/${call.requestId}/`;
    await admin.walk(
      address,
      async (page) => {
        await page.getByText("Payloads can be read by super-admins only.").waitFor();
        expect(await page.getByRole("button", { name: "Decrypt" }).count()).toBe(0);
      },
      { cookie: admin.plainAdmin },
    );
    const readAndForgotten = async (page: Page): Promise<void> => {
      await page.getByRole("button", { name: "Took" }).click();
      await page.getByText("By duration: at most 24 hours, the last ones by default").waitFor();
      await page.getByLabel("Request ID").fill(call.requestId ?? "");
      await page.getByLabel("Request ID").press("Enter");
      await page.locator(".row-open", { hasText: call.requestId?.slice(0, 13) ?? "" }).click();
      await page.getByRole("link", { name: "Open call" }).click();
      // The attempt at the channel that responded.
      await page.getByRole("region", { name: "Attempts, rows" }).getByText("first").waitFor();
      await page.getByRole("button", { name: "Decrypt" }).click();
      await page.getByText("Give a reason of at least five characters.").waitFor();
      await page.getByLabel("Reason").fill("the customer asked us to look");
      await page.clock.install();
      await page.getByRole("button", { name: "Decrypt" }).click();
      await page.getByRole("region", { name: "Request, content" }).getByText("Hello").waitFor();
      await page.getByRole("button", { name: "Copy as curl" }).waitFor();
      // The page shows none of it five minutes later.
      await page.clock.runFor(301_000);
      await page.getByRole("button", { name: "Decrypt" }).waitFor();
      expect(await page.getByText("Hello").count()).toBe(0);
      await page.getByRole("cell", { name: "the customer asked us to look" }).waitFor();
    };
    await admin.walk("/admin/trace/", readAndForgotten, { isAlone: true });
  },
  testMsMax,
);
