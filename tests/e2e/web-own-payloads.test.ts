import { afterAll, beforeAll, expect, test } from "bun:test";
import type { SandboxProvider } from "@sluice/sandbox-provider/sandbox";
import { startSandboxProvider } from "@sluice/sandbox-provider/server";
import { consoleClient } from "../support/accounts/console-client.ts";
import { loginAdmin, loginUser } from "../support/accounts/logins.ts";
import { chat } from "../support/calls/chat-call.ts";
import { allowOwnPayloads, untilTraced } from "../support/trace/own-payload-scene.ts";
import { TestBrowser } from "../support/web/browser.ts";
import { startWebRig, type WebRig } from "../support/web/web-rig.ts";

let provider: SandboxProvider;
let web: WebRig;
let browser: TestBrowser;

beforeAll(async () => {
  provider = startSandboxProvider();
  [web, browser] = await Promise.all([startWebRig(provider.url), TestBrowser.launch()]);
});
afterAll(async () => {
  await browser?.close();
  await web?.close();
  await provider?.stop();
});

test("a user switches it on, opens request and response of a call, and both user and operator see that", async () => {
  const { rig, sluice } = web;
  const user = await loginUser(rig, { quota: 1_000_000_000n });
  const as = consoleClient(sluice.url, user.cookie);
  await allowOwnPayloads(rig, as);
  const { body } = await as.post("/backend/keys/create/", { name: "mine" });
  const watched = await browser.open({ url: sluice.url, cookie: user.cookie });
  const { page } = watched;
  try {
    await page.goto("/console/usage/");
    await page.getByLabel("Allow reading the contents of calls").check();
    await page.getByText("On for calls since").waitFor();
    await page.getByText("Nobody has read the contents of a call.").waitFor();
    const { requestId } = await chat(
      { url: sluice.url, apiKey: String(body["secret"]) },
      { model: "gpt-4o-mini", max_tokens: 5, messages: [{ role: "user", content: "What is a sluice?" }] },
    );
    await untilTraced(rig, requestId ?? "");
    await rig.waitForUsageRows(1);
    await page.goto(`/console/usage/?open=${requestId}`);
    await page.getByRole("button", { name: "Show request and response" }).click();
    await page.getByText("What is a sluice?").waitFor();
    const opened = page.getByRole("region", { name: "Response body" });
    await opened.getByText("chat.completion").waitFor();
    expect([...(await watched.axe()), ...watched.faults]).toEqual([]);
    await page.getByRole("button", { name: "Hide", exact: true }).click();
    await page.getByText("What is a sluice?").waitFor({ state: "detached" });
    await page.goto("/console/usage/");
    await page.getByRole("region", { name: "Who has read contents" }).getByText(user.email).waitFor();
    await page.getByLabel("Allow reading the contents of calls").uncheck();
    await page.getByText("On for calls since").waitFor({ state: "detached" });
    await page.goto(`/console/usage/?open=${requestId}`);
    await page.getByRole("heading", { name: "Attempts" }).waitFor();
    expect(await page.getByRole("button", { name: "Show request and response" }).count()).toBe(0);
    const admin = await browser.open({ url: sluice.url, cookie: (await loginAdmin(rig)).cookie });
    try {
      await admin.page.goto(`/admin/trace/${requestId}/`);
      const card = admin.page.getByRole("region", { name: "Users who have read their own payloads" });
      await card.getByRole("link", { name: user.email }).waitFor();
      expect([...(await admin.axe()), ...admin.faults]).toEqual([]);
    } finally {
      await admin.close();
    }
    expect([...(await watched.axe()), ...watched.faults]).toEqual([]);
  } finally {
    await watched.close();
  }
});
