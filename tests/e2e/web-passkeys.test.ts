import { afterAll, beforeAll, expect, test } from "bun:test";
import { findFreePort } from "@sluice/deploy/start/port";
import type { CDPSession, Page } from "playwright-core";
import { AccountClient } from "../support/accounts/account-client.ts";
import { TestBrowser } from "../support/web/browser.ts";
import { startWebRig, type WebRig } from "../support/web/web-rig.ts";

const testMsMax = 300_000;
const password = "correct horse battery";
let web: WebRig;
let browser: TestBrowser;
let url: string;

beforeAll(async () => {
  // Browsers make passkeys for domain names alone, and the origin has to be the one that the program knows.
  const port = await findFreePort();
  url = `http://localhost:${port}`;
  [web, browser] = await Promise.all([
    startWebRig(undefined, { PORT: String(port), PUBLIC_BASE_URL: url }),
    TestBrowser.launch(),
  ]);
});

afterAll(async () => {
  await browser?.close();
  await web?.close();
});

type Authenticator = { readonly cdp: CDPSession; readonly id: string };
type Credential = { readonly credentialId: string; readonly isResidentCredential: boolean; readonly signCount: number };

/** Chromium's own authenticator, which keeps keys and says yes for its owner. */
async function addAuthenticator(page: Page): Promise<Authenticator> {
  const cdp = await page.context().newCDPSession(page);
  await cdp.send("WebAuthn.enable");
  const { authenticatorId } = await cdp.send("WebAuthn.addVirtualAuthenticator", {
    options: {
      protocol: "ctap2",
      transport: "internal",
      hasResidentKey: true,
      hasUserVerification: true,
      isUserVerified: true,
      automaticPresenceSimulation: true,
    },
  });
  return { cdp, id: authenticatorId };
}

async function keysOf({ cdp, id }: Authenticator): Promise<readonly Credential[]> {
  const { credentials } = await cdp.send("WebAuthn.getCredentials", { authenticatorId: id });
  return credentials;
}

async function newUser(): Promise<{ email: string; cookie: string }> {
  const email = `user-${crypto.randomUUID().slice(0, 8)}@example.org`;
  const client = new AccountClient({ ...web.sluice, url });
  await client.makeUser(email, password);
  return { email, cookie: (await client.logIn(email, password)).cookie };
}

async function addPasskey(page: Page, name: string): Promise<void> {
  await page.goto("/console/account/");
  await page.getByRole("button", { name: "Add a passkey" }).click();
  const dialog = page.getByRole("dialog", { name: "Add a passkey" });
  await dialog.getByLabel("Name of the passkey").fill(name);
  await dialog.getByLabel("Current password").fill(password);
  await dialog.getByRole("button", { name: "Continue" }).click();
  await page.getByText("The passkey was added.").waitFor();
}

test(
  "a user adds a passkey, logs in with it alone, renames it and removes it",
  async () => {
    const { email, cookie } = await newUser();
    const watched = await browser.open({ url, cookie, expectedStatuses: [404] });
    const { page } = watched;
    try {
      const authenticator = await addAuthenticator(page);
      await page.goto("/console/account/");
      await page.getByText("You have no passkey.").waitFor();
      await addPasskey(page, "Laptop");
      expect(await watched.axe()).toEqual([]);
      expect(await keysOf(authenticator)).toMatchObject([{ isResidentCredential: true }]);

      await page.context().clearCookies();
      await page.goto("/login/?next=/console/keys/");
      expect(await watched.axe()).toEqual([]);
      await page.getByRole("button", { name: "Log in with a passkey" }).click();
      await page.waitForURL((at) => at.pathname === "/console/keys/");
      await page.goto("/console/account/");
      await page.getByRole("main").getByText(email).first().waitFor();
      await page.getByText("Passkey · Address").first().waitFor();

      await page.getByRole("button", { name: "Rename: Laptop" }).click();
      const renaming = page.getByRole("dialog", { name: "Rename Laptop" });
      await renaming.getByLabel("Name of the passkey").fill("Old laptop");
      await renaming.getByLabel("Current password").fill(password);
      await renaming.getByRole("button", { name: "Rename" }).click();
      await page.getByRole("button", { name: "Remove: Old laptop" }).click();
      const removal = page.getByRole("dialog", { name: "Remove Old laptop?" });
      expect(await watched.axe()).toEqual([]);
      await removal.getByLabel("Current password").fill(password);
      await removal.getByRole("button", { name: "Remove" }).click();
      await page.getByText("You have no passkey.").waitFor();

      await page.context().clearCookies();
      await page.goto("/login/");
      await page.getByRole("button", { name: "Log in with a passkey" }).click();
      await page.getByText("This passkey is not registered here, or was removed.").waitFor();
      expect(watched.faults).toEqual([]);
    } finally {
      await watched.close();
    }
  },
  testMsMax,
);

test(
  "an authenticator that does not recognise its owner logs nobody in, and the page says so in its language",
  async () => {
    const { cookie } = await newUser();
    const watched = await browser.open({ url, cookie });
    const { page } = watched;
    try {
      const { cdp, id } = await addAuthenticator(page);
      await addPasskey(page, "Laptop");
      await cdp.send("WebAuthn.setUserVerified", { authenticatorId: id, isUserVerified: false });
      await page.context().clearCookies();
      await page.goto("/login/?lang=de");
      await page.getByRole("button", { name: "Mit einem Passkey anmelden" }).click();
      await page.getByText("Der Passkey wurde nicht vorgezeigt").waitFor();
      expect(await watched.axe()).toEqual([]);
      expect(new URL(page.url()).pathname).toBe("/login/");
      expect(watched.faults).toEqual([]);
    } finally {
      await watched.close();
    }
  },
  testMsMax,
);

test(
  "a copy of a key that was used before is noticed by its counter",
  async () => {
    const { email, cookie } = await newUser();
    const watched = await browser.open({ url, cookie, expectedStatuses: [403] });
    const { page } = watched;
    try {
      const { cdp, id } = await addAuthenticator(page);
      await addPasskey(page, "Key ring");
      const [made] = (await cdp.send("WebAuthn.getCredentials", { authenticatorId: id })).credentials;
      const logIn = async (): Promise<void> => {
        await page.context().clearCookies();
        await page.goto("/login/");
        await page.getByRole("button", { name: "Log in with a passkey" }).click();
      };
      await logIn();
      await page.waitForURL((at) => at.pathname === "/console/");
      // What the page loads is refused once the cookie is gone.
      await page.waitForLoadState("networkidle");
      await cdp.send("WebAuthn.clearCredentials", { authenticatorId: id });
      if (made === undefined) {
        throw new Error("the authenticator has no key");
      }
      await cdp.send("WebAuthn.addCredential", { authenticatorId: id, credential: made });
      await logIn();
      await page.getByText("seems to have been copied").waitFor();
      const [mail] = await web.rig.db.sql<{ template: string }>`
        select template from mail_log where to_address = ${email} order by id desc limit 1`;
      expect(mail?.template).toBe("passkey_copied");
      expect(watched.faults).toEqual([]);
    } finally {
      await watched.close();
    }
  },
  testMsMax,
);

test(
  "without script, the login page offers no passkey",
  async () => {
    const watched = await browser.open({ url, hasScript: false });
    try {
      await watched.page.goto("/login/");
      expect(await watched.page.getByRole("button", { name: "Log in with a passkey" }).count()).toBe(0);
    } finally {
      await watched.close();
    }
  },
  testMsMax,
);
