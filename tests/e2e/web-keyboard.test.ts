import { afterAll, afterEach, beforeAll, describe, expect, test } from "bun:test";
import type { Page } from "playwright-core";
import { loginAdmin } from "../support/accounts/logins.ts";
import { shownEmail } from "../support/web/web-rig.ts";
import { focusedText, WebVisits } from "../support/web/web-visits.ts";

let visits: WebVisits;

beforeAll(async () => {
  visits = await WebVisits.start();
});

afterEach(async () => {
  expect(await visits.leave()).toEqual([]);
});

afterAll(() => visits?.close());

describe("with the keyboard alone", () => {
  test("a dialog takes the focus, keeps it, and returns it", async () => {
    const page = await visits.open("/__kit");
    await page.getByRole("button", { name: "Open a dialog" }).focus();
    await page.keyboard.press("Enter");
    await page.getByRole("dialog", { name: "A dialog" }).waitFor();
    expect(await page.evaluate("document.activeElement.closest('.dialog-body') !== null")).toBe(true);
    for (let press = 0; press < 6; press += 1) {
      await page.keyboard.press("Tab");
      expect(
        await page.evaluate(
          "document.activeElement === document.body || document.activeElement.closest('dialog') !== null",
        ),
      ).toBe(true);
    }
    await page.keyboard.press("Escape");
    await page.getByRole("dialog").waitFor({ state: "hidden" });
    expect(await focusedText(page)).toBe("Open a dialog");
  });

  test("the pages on a phone are opened, left and closed with keys, and Escape leads back to the button", async () => {
    const page = await visits.open("/console/keys/", { as: "user", width: 390 });
    const button = page.getByRole("button", { name: "Menu" });
    await button.press("Enter");
    expect(await focusedText(page)).toBe("Keys");
    await page.keyboard.press("Escape");
    expect(await page.getByRole("navigation", { name: "Main" }).isVisible()).toBe(false);
    expect(await page.evaluate<string>("document.activeElement.getAttribute('aria-label')")).toBe("Menu");
  });

  test("a menu moves by arrows, letters, Home and End, and Escape leads back", async () => {
    const page = await visits.open("/__kit");
    await page.getByRole("button", { name: "Actions" }).focus();
    await page.keyboard.press("ArrowDown");
    expect(await focusedText(page)).toBe("Copy the id");
    await page.keyboard.press("ArrowUp");
    expect(await focusedText(page)).toBe("Revoke");
    await page.keyboard.press("c");
    expect(await focusedText(page)).toBe("Copy the id");
    await page.keyboard.press("End");
    expect(await focusedText(page)).toBe("Revoke");
    await page.keyboard.press("Escape");
    expect(await focusedText(page)).toBe("Actions");
  });

  test("a success is announced and leaves unless somebody is at it, a failure stays until it is closed", async () => {
    const page = await visits.open("/__kit");
    const messages = page.getByRole("region", { name: "Notifications" });
    // A screen reader announces what comes into a part that was there before.
    const announced = messages.locator("[role=status][aria-live=polite]");
    expect(await announced.count()).toBe(1);
    await page.clock.install();
    const copied = announced.getByText("Copied");
    const copy = async (): Promise<void> => {
      await page.getByRole("button", { name: "Actions" }).click();
      await page.getByRole("menuitem", { name: "Copy the id" }).press("Enter");
      await copied.waitFor();
    };
    const now = (): Promise<number> => page.evaluate("Date.now()");
    const before = await now();
    await copy();
    const after = await now();
    expect(await focusedText(page)).toBe("Actions");
    // The clock of the page goes on by itself: it stands still from here on, however long the steps before have taken.
    await page.clock.pauseAt(before + 5_500);
    expect(await copied.count()).toBe(1);
    await page.clock.runFor(after - before + 600);
    expect(await copied.count()).toBe(0);
    await page.clock.resume();
    await copy();
    await copied.hover();
    await page.clock.runFor(60_000);
    expect(await copied.count()).toBe(1);
    await page.mouse.move(0, 0);
    await page.clock.runFor(6_100);
    expect(await copied.count()).toBe(0);
    await page.getByRole("button", { name: "Show a failure" }).press("Enter");
    const failure = announced.getByText("The key was not disabled");
    await failure.waitFor();
    await copy();
    await page.clock.runFor(60_000);
    expect([await failure.count(), await copied.count()]).toEqual([1, 0]);
    await messages.getByRole("button", { name: "Close" }).press("Enter");
    expect(await failure.count()).toBe(0);
  });

  test("an irreversible action waits for the word that has to be typed", async () => {
    const page = await visits.open("/__kit");
    await page.getByRole("button", { name: "Ask before" }).press("Enter");
    const revoke = page.getByRole("button", { name: "Revoke now" }).last();
    expect(await revoke.isDisabled()).toBe(true);
    expect(await page.evaluate("document.activeElement.matches('dialog input')")).toBe(true);
    await page.getByLabel("Type laptop to confirm").fill("laptop");
    await page.keyboard.press("Enter");
    await page.getByRole("dialog").waitFor({ state: "hidden" });
  });

  test("the palette finds a page by its name, and a pair of letters opens it", async () => {
    const page = await visits.open("/admin/", { as: "admin" });
    await page.getByRole("heading", { name: "Dashboard" }).waitFor();
    await page.keyboard.press("Control+k");
    await page.getByRole("combobox", { name: "Go to page or search" }).fill("plan");
    await page.keyboard.press("Enter");
    await page.waitForURL("**/admin/plans/");
    await page.keyboard.press("g");
    await page.keyboard.press("d");
    await page.waitForURL("**/admin/");
    await page.keyboard.press("?");
    await page.getByRole("dialog", { name: "Keyboard shortcuts" }).waitFor();
  });

  test("the palette finds a user by the beginning of the address, a model and the trace of a request id", async () => {
    const page = await visits.open("/admin/", { as: "admin" });
    const typed = async (words: string): Promise<void> => {
      await page.keyboard.press("Control+k");
      await page.getByRole("combobox", { name: "Go to page or search" }).fill(words);
    };
    await typed(shownEmail.slice(0, -4));
    await page.getByRole("option", { name: `${shownEmail} User` }).click();
    await page.waitForURL(/\/admin\/users\/\d+\/$/);
    await typed("gpt-4o-m");
    await page.getByRole("option", { name: "gpt-4o-mini Model" }).click();
    await page.waitForURL("**/admin/models/?q=gpt-4o-mini&open=gpt-4o-mini");
    await page.getByRole("complementary", { name: "GPT-4o mini" }).waitFor();
    await typed("0199d0aa-0000-7000-8000-0000000000AA");
    await page.getByRole("option", { name: "0199d0aa-0000-7000-8000-0000000000AA Call" }).waitFor();
    await page.getByRole("combobox", { name: "Go to page or search" }).fill("insufficient_quota");
    await page.getByRole("option", { name: "insufficient_quota Docs: Errors" }).click();
    await page.waitForURL("**/docs/errors/#insufficient_quota");
  });

  test("the palette of the console finds keys and models of the account, and who is logged in is in the menu", async () => {
    const page = await visits.open("/console/", { as: "user" });
    await page.getByRole("button", { name: `Your account: ${shownEmail}` }).click();
    await page.getByRole("menuitem", { name: "Account" }).click();
    await page.waitForURL("**/console/account/");
    await page.keyboard.press("Control+k");
    await page.getByRole("combobox", { name: "Go to page or search" }).fill("embeddings");
    await page
      .getByRole("option", { name: /Docs: / })
      .first()
      .waitFor();
    await page.getByRole("combobox", { name: "Go to page or search" }).fill("gpt-4o");
    await page.getByRole("option", { name: "gpt-4o-mini Model" }).click();
    await page.waitForURL("**/models/gpt-4o-mini/");
  });

  test("the palette begins what the rights of the person allow, and its form has the keys", async () => {
    const page = await visits.open("/admin/", { as: "admin" });
    const choose = async (on: Page, name: string): Promise<void> => {
      await on.keyboard.press("Control+k");
      await on.getByRole("option", { name: `${name} Action` }).click();
    };
    await page.getByRole("heading", { name: "Dashboard" }).waitFor();
    await choose(page, "New model");
    const form = page.getByRole("dialog", { name: "New model" });
    await form.getByLabel("Name", { exact: true }).waitFor();
    expect(await form.locator(":focus").getAttribute("name")).toBe("name");
    expect(new URL(page.url()).search).toBe("");
    const { cookie } = await loginAdmin(visits.web.rig, { isSuper: false });
    const plain = await visits.open("/admin/", { cookie });
    await plain.getByRole("heading", { name: "Dashboard" }).waitFor();
    await plain.keyboard.press("Control+k");
    await plain.getByRole("option", { name: "Adjust balance Action" }).waitFor();
    expect(await plain.getByRole("option", { name: "New model Action" }).count()).toBe(0);
  });

  test("a key is made and copied with the keys alone, each dialog beginning where its work is", async () => {
    const page = await visits.open("/console/usage/", { as: "user" });
    await page.getByRole("heading", { name: "Usage" }).first().waitFor();
    await page.keyboard.press("Control+k");
    await page.getByRole("combobox").and(page.locator(":focus")).waitFor();
    await page.keyboard.type("create k");
    await page.getByRole("option", { name: "Create key Action", selected: true }).waitFor();
    await page.keyboard.press("Enter");
    await page.locator("dialog input[name=name]:focus").waitFor();
    await page.keyboard.type("By keys");
    await page.keyboard.press("Enter");
    await page.locator("[data-secret]").waitFor();
    await page.getByRole("button", { name: "Copy the key" }).and(page.locator(":focus")).waitFor();
    // It is there for two seconds: it has to be waited for before it comes.
    const copied = page.getByRole("dialog").getByText("Copied").first();
    await Promise.all([copied.waitFor(), page.keyboard.press("Enter")]);
    await page.keyboard.press("Escape");
    await page.getByRole("dialog").waitFor({ state: "hidden" });
    await page.getByRole("button", { name: "By keys" }).waitFor();
  });

  test("single-letter shortcuts do nothing once they are turned off", async () => {
    const page = await visits.open("/admin/", { as: "admin" });
    await page.getByRole("heading", { name: "Dashboard" }).waitFor();
    await page.keyboard.press("?");
    await page.getByRole("switch", { name: "Single-letter shortcuts" }).press("Space");
    await page.keyboard.press("Escape");
    await page.keyboard.press("?");
    await page.keyboard.press("Control+k");
    await page.getByRole("combobox", { name: "Go to page or search" }).waitFor();
    expect(await page.getByRole("dialog", { name: "Keyboard shortcuts" }).isVisible()).toBe(false);
  });
});
