import { afterAll, beforeAll, expect, test } from "bun:test";
import type { SandboxProvider } from "@sluice/sandbox-provider/sandbox";
import { startSandboxProvider } from "@sluice/sandbox-provider/server";
import { TestBrowser } from "../support/web/browser.ts";
import { countActs } from "../support/web/count-acts.ts";
import { startWebRig, type WebRig } from "../support/web/web-rig.ts";

const testMsMax = 300_000;
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

test(
  "an admin asks for an invitation and a proof of work, and a browser with the link registers, is logged in, and sees its first call",
  async () => {
    const { admin } = web.cookies;
    const watched = await browser.open({ url: web.sluice.url, ...(admin === undefined ? {} : { cookie: admin }) });
    const { page } = watched;
    let link = "";
    try {
      await page.goto("/admin/registration/");
      await page.getByRole("button", { name: "Edit rules" }).click();
      const dialog = page.getByRole("dialog", { name: "Edit the rules of registration" });
      await dialog.getByLabel("Who may register").selectOption("invitation");
      await dialog.getByLabel("Proof of work, bits").fill("10");
      await dialog.getByLabel("Free credit, USD").fill("1");
      await dialog.getByLabel("Reason").fill("a slow start");
      expect(await watched.axe()).toEqual([]);
      await dialog.getByRole("button", { name: "Save rules" }).click();
      await page.getByText("The rules were saved.").waitFor();
      await page.getByText("people with an invitation").first().waitFor();
      await page.getByRole("button", { name: "New invitation" }).click();
      const maker = page.getByRole("dialog", { name: "New invitation" });
      await maker.getByLabel("For", { exact: true }).fill("the first customers");
      await maker.getByLabel("Reason").fill("they asked");
      await maker.getByRole("button", { name: "Create invitation" }).click();
      await page.getByText("The invitation was created.").waitFor();
      await page
        .getByRole("button", { name: /the first customers/ })
        .or(page.locator(".row-open"))
        .first()
        .click();
      link = (await page.getByText("/register/?invitation=").first().textContent()) ?? "";
      expect(await watched.axe()).toEqual([]);
      expect(watched.faults).toEqual([]);
    } finally {
      await watched.close();
    }
    const visitor = await browser.open({ url: web.sluice.url });
    const acts = await countActs(visitor.page, web.sluice.url);
    try {
      const { pathname, search } = new URL(link.trim());
      await visitor.page.goto(pathname + search);
      await visitor.page.getByText("You need an invitation to sign up.").waitFor();
      expect(await visitor.axe()).toEqual([]);
      await visitor.page.getByLabel("E-mail").fill("first@customers.example");
      await visitor.page.getByLabel("Password").fill("correct horse battery");
      await visitor.page.getByRole("button", { name: "Sign up" }).click();
      await visitor.page.getByRole("heading", { name: "Check your inbox" }).waitFor();
      const href = await visitor.page.getByRole("link", { name: "Verify the address" }).getAttribute("href");
      await visitor.page.goto(`/verify-email/${new URL(href ?? "").search}`);
      await visitor.page.getByRole("button", { name: "Verify the address" }).click();
      // The browser that registered need not log in.
      await visitor.page.getByRole("link", { name: "Create key" }).click();
      // Sign up, verify, create a key; address and password.
      expect(acts).toEqual({ clicks: 3, fields: 2 });
      const form = visitor.page.getByRole("dialog");
      await form.getByRole("textbox", { name: "Name" }).fill("laptop");
      await form.getByRole("button", { name: "Create key" }).click();
      await visitor.page.getByRole("button", { name: "Send a test request" }).click();
      await visitor.page.getByText("First request seen").waitFor();
      expect(acts).toEqual({ clicks: 5, fields: 3 });
      expect(visitor.faults).toEqual([]);
    } finally {
      await visitor.close();
    }
  },
  testMsMax,
);
