import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { MailService } from "@sluice/control-plane/mail/service.ts";
import { systemClock } from "@sluice/control-plane/platform/clock.ts";
import { MasterKey } from "@sluice/control-plane/platform/crypto/master-key.ts";
import { loginAdmin } from "../support/accounts/logins.ts";
import { nodeSettings } from "../support/exit-nodes/exit-node-scene.ts";
import { relayKey } from "../support/exit-nodes/node-agent.ts";
import { masterKeyBytes } from "../support/service/sluice.ts";
import { type PageOptions, TestBrowser, type WatchedPage } from "../support/web/browser.ts";
import { goWithin } from "../support/web/go-within.ts";
import { PageTabs } from "../support/web/page-tabs.ts";
import { startWebRig, type WebRig } from "../support/web/web-rig.ts";
import { DnsServer } from "../support/wire/dns-server.ts";

const { TEST_FULL } = process.env;
const nodeCode = "berlin-1";
const nodeHost = "node.example.org";
const profileKey = "a-key-that-is-never-shown";
const testMsMax = 300_000;
const narrow = { width: 390, height: 800 };
const narrowest = { width: 320, height: 640 };

let dns: DnsServer;
let web: WebRig;
let browser: TestBrowser;
let tabs: PageTabs;
let plainAdmin: string;

beforeAll(async () => {
  dns = await DnsServer.start();
  dns.set(nodeHost, { a: ["127.0.0.2"] });
  const settings = { ...nodeSettings, EXIT_NODE_DNS_SERVERS: dns.address };
  [web, browser] = await Promise.all([startWebRig(undefined, settings), TestBrowser.launch()]);
  tabs = new PageTabs(browser);
  plainAdmin = (await loginAdmin(web.rig, { isSuper: false })).cookie;
});

afterAll(async () => {
  await browser?.close();
  await web?.close();
  await dns?.[Symbol.asyncDispose]();
});

type Opened = Pick<PageOptions, "cookie" | "expectedStatuses">;

/** A page that has yet to go somewhere. */
async function inPage(
  look: (watched: WatchedPage) => Promise<void>,
  { cookie = web.cookies.admin ?? "", expectedStatuses = [] }: Opened = {},
): Promise<void> {
  await tabs.walk({ url: web.sluice.url, cookie, expectedStatuses }, async (watched) => {
    await look(watched);
    expect(watched.faults).toEqual([]);
  });
}

async function opened(path: string, look: (watched: WatchedPage) => Promise<void>, options?: Opened): Promise<void> {
  await inPage(async (watched) => {
    await goWithin(watched.page, path);
    await look(watched);
  }, options);
}

/** What axe finds on a phone in the dark, with TEST_FULL=1 also on a desk in the light; it also fits the narrowest screen. */
async function faultsOf({ page, axe }: WatchedPage): Promise<string[]> {
  const wide = TEST_FULL === "1" ? await axe() : [];
  await page.setViewportSize(narrow);
  await page.emulateMedia({ colorScheme: "dark" });
  const small = await axe();
  await page.setViewportSize(narrowest);
  // A chart adopts its new width in a later frame.
  await page.waitForFunction("document.documentElement.scrollWidth <= document.documentElement.clientWidth");
  return [...wide, ...small];
}

/** Each list of this part with the path of the backend behind it. `pages.ts` shows it empty. */
const lists: readonly (readonly [path: string, backend: string])[] = [
  ["/admin/leads/", "/backend/admin/lead/list/"],
  ["/admin/mail/", "/backend/admin/mail/list/"],
  ["/admin/exit-nodes/", "/backend/admin/exit-node/list/"],
  ["/admin/secrets/", "/backend/admin/secret/list/"],
  ["/admin/reports/", "/backend/admin/report/revenue/"],
  ["/admin/upstreams/?view=profiles", "/backend/upstream/auth-profiles/list/"],
];

test("the foot of the sidebar names the version that answers", async () => {
  const { version } = (await (await fetch(`${web.sluice.url}/healthz`)).json()) as { version: string };
  await opened("/admin/", async ({ page }) => {
    await page.getByText(`Version ${version}`, { exact: true }).waitFor();
  });
});

describe("operations pages", () => {
  test.each(lists)(
    "%s shows what failed with the request id, and shows its rows after a retry",
    async (path, backend) => {
      await inPage(
        async (watched) => {
          const { page } = watched;
          await page.route(`**${backend}*`, (route) =>
            route.fulfill({
              status: 409,
              json: { ok: false, error: { code: "conflict", message: "Try again.", request_id: "req-of-a-test" } },
            }),
          );
          await goWithin(page, path);
          await page.waitForSelector("[data-kind=error] >> text=req-of-a-test");
          expect(await watched.axe()).toEqual([]);
          await page.unroute(`**${backend}*`);
          await page.click("[data-kind=error] button");
          await page.waitForSelector("[data-kind=empty], .table tbody th");
          expect(await page.locator("[data-kind=error]").count()).toBe(0);
        },
        { expectedStatuses: [409] },
      );
    },
  );

  test(
    "a node is added, checked and edited; its relay key is never shown",
    async () => {
      await opened(
        "/admin/exit-nodes/",
        async (watched) => {
          const { page } = watched;
          await page.click("text=Add the first node");
          await page.getByLabel("Code").fill(nodeCode);
          await page.getByLabel("Name").fill("Berlin one");
          await page.getByLabel("Host").fill(nodeHost);
          await page.getByLabel("IP address").fill("127.0.0.1");
          await page.getByLabel("Relay address").fill("http://127.0.0.1:9/not here");
          await page.getByRole("dialog").getByRole("button", { name: "Add node" }).click();
          await page.waitForSelector("dialog [data-kind=error], dialog [aria-invalid=true]");
          await page.getByLabel("Relay address").fill("");
          await page.getByLabel("Relay key").first().fill(relayKey);
          await page.getByRole("dialog").getByRole("button", { name: "Add node" }).click();
          await page.waitForURL(`**/admin/exit-nodes/${nodeCode}/`);
          await page.getByRole("button", { name: "Check DNS" }).click();
          await page.waitForSelector(`.toast >> text=${nodeHost} resolves to 127.0.0.2, not to 127.0.0.1`);
          await page.getByRole("button", { name: "Check health" }).click();
          await page.waitForSelector(".toast >> text=It has no relay address.");
          dns.set(nodeHost, { a: ["127.0.0.1"] });
          await page.getByRole("button", { name: "Check DNS" }).click();
          await page.waitForSelector("dd >> text=matches");
          await page.getByLabel("Region").fill("eu-central");
          await page.getByRole("button", { name: "Save node" }).click();
          await page.waitForSelector("text=Berlin one saved");
          await page.getByRole("button", { name: "Add account" }).click();
          const dialog = page.locator("dialog[open]");
          await dialog.getByLabel("Code").fill("openai-main");
          await dialog.getByLabel("Provider").fill("openai");
          await dialog.getByLabel("Status").selectOption("active");
          await dialog.getByRole("button", { name: "Save account" }).click();
          await page.getByRole("button", { name: "Edit openai-main" }).waitFor();
          await page.getByRole("button", { name: "Add route" }).click();
          await dialog.getByLabel("Code").fill("ada-openai");
          await dialog.getByLabel("Account ID").fill("1");
          await dialog.getByLabel("Provider").fill("openai");
          await dialog.getByRole("button", { name: "Save route" }).click();
          await page.getByRole("button", { name: "Edit ada-openai" }).click();
          await dialog.getByLabel("Models").fill("gpt-*");
          await dialog.getByRole("button", { name: "Save route" }).click();
          await page.getByRole("cell", { name: "gpt-*" }).waitFor();
          // Nothing listens there: the switch is refused with the reason and changes nothing.
          await page.getByRole("button", { name: "Switch to host" }).click();
          await dialog.getByLabel(`Type ${nodeCode}`).fill(nodeCode);
          await dialog.getByRole("button", { name: "Switch now" }).click();
          await page.locator(".toast", { hasText: "Request " }).waitFor();
          expect(await page.content()).not.toContain(relayKey);
          expect(await faultsOf(watched)).toEqual([]);
        },
        { expectedStatuses: [400, 409, 502] },
      );
      const [node] = await web.rig.db.sql<{ region: string; dns: string | null }>`
        select region, dns_checked_at::text as dns from exit_node where node_code = ${nodeCode}`;
      expect(node?.region).toBe("eu-central");
      expect(node?.dns).not.toBeNull();
    },
    testMsMax,
  );

  test(
    "a secret is saved and replaced by a super-admin, and its value is nowhere on the page",
    async () => {
      await opened("/admin/secrets/", async (watched) => {
        const { page } = watched;
        await page.getByRole("button", { name: "Save secret" }).first().click();
        const dialog = page.getByRole("dialog");
        await dialog.getByLabel("Name").fill("cardpay.account_a.secret_key");
        await dialog.getByLabel("Value").fill("first-value");
        await dialog.getByRole("button", { name: "Save secret" }).click();
        await page.waitForSelector("text=cardpay.account_a.secret_key saved, version 1");
        await page.locator(".row-open", { hasText: "cardpay.account_a.secret_key" }).click();
        await page.getByRole("button", { name: "Replace value" }).click();
        await dialog.getByLabel("Value").fill("second-value");
        await dialog.getByRole("button", { name: "Save secret" }).click();
        await page.waitForSelector("text=cardpay.account_a.secret_key saved, version 2");
        expect(await page.content()).not.toMatch(/(first|second)-value/);
        expect(await faultsOf(watched)).toEqual([]);
      });
    },
    testMsMax,
  );

  test(
    "an admin without the right reads that secrets and settings need a super-admin",
    async () => {
      await opened(
        "/admin/secrets/",
        async ({ page, axe }) => {
          await page.waitForSelector(".notice >> text=super-admins only");
          expect(await page.locator("table").count()).toBe(0);
          await page.goto("/admin/admins/");
          await page.waitForSelector(".notice >> text=super-admins only");
          await page.goto("/admin/settings/");
          await page.waitForSelector(".notice >> text=Only super-admins can change settings");
          await page.waitForSelector("input[disabled]");
          expect(await page.getByRole("button", { name: "Save", exact: true }).count()).toBe(0);
          expect(await axe()).toEqual([]);
        },
        { cookie: plainAdmin },
      );
    },
    testMsMax,
  );

  test(
    "a setting is refused with its reason, saved, and reset to its default",
    async () => {
      await opened(
        "/admin/settings/",
        async (watched) => {
          const { page } = watched;
          const form = page.getByRole("form", { name: "trace.payload_reads_per_hour" });
          await form.getByLabel("Value").fill("0");
          await form.getByRole("button", { name: "Save" }).click();
          await form.getByText("Enter a whole number").first().waitFor();
          await form.getByLabel("Value").fill("12");
          await form.getByRole("button", { name: "Save" }).click();
          await form.getByText("changed", { exact: true }).waitFor();
          expect(await faultsOf(watched)).toEqual([]);
          await form.getByRole("button", { name: "Use the default" }).click();
          await form.getByText("default", { exact: true }).waitFor();
        },
        { expectedStatuses: [400] },
      );
    },
    testMsMax,
  );

  test(
    "a mail template is previewed, refused without a required placeholder, and saved",
    async () => {
      await opened(
        "/admin/mail/?view=templates",
        async (watched) => {
          const { page } = watched;
          await page.waitForSelector(".table tbody th");
          expect(await faultsOf(watched)).toEqual([]);
          await page.setViewportSize({ width: 1280, height: 800 });
          await page.click("a[href$='/email_verify/ar/']");
          await page.frameLocator("iframe").locator("a").first().waitFor();
          await page.getByLabel("Subject").fill("A subject of a test");
          await page.getByRole("button", { name: "Update preview" }).click();
          await page.waitForSelector("dd >> text=A subject of a test");
          const text = await page.getByLabel("Plain text").first().inputValue();
          await page.getByLabel("Plain text").first().fill("nothing that is needed");
          await page.getByRole("button", { name: "Save template" }).click();
          await page.waitForSelector("[aria-invalid=true]");
          await page.getByLabel("Plain text").first().fill(text);
          await page.getByRole("button", { name: "Save template" }).click();
          await page.waitForSelector("h2 >> text=Version 1");
          expect(await faultsOf(watched)).toEqual([]);
        },
        { expectedStatuses: [400] },
      );
    },
    testMsMax,
  );

  test(
    "a new lead is marked as answered, and the audit log shows who changed what",
    async () => {
      const sent = await fetch(`${web.sluice.url}/backend/lead/create/`, {
        method: "POST",
        headers: { "content-type": "application/json", origin: web.sluice.url },
        body: JSON.stringify({ company: "Example Works", contact: "Ada", email: "ada@example.com", message: "Hello" }),
      });
      expect(sent.status).toBe(200);
      await opened("/admin/leads/", async (watched) => {
        const { page } = watched;
        await page.click(".row-open");
        await page.locator(".side-panel").getByLabel("Status").selectOption("contacted");
        await page.locator(".side-panel").getByLabel("Note").fill("Called back");
        await page.getByRole("button", { name: "Save lead" }).click();
        await page.waitForSelector("text=Lead saved");
        expect(await faultsOf(watched)).toEqual([]);
      });
      await opened("/admin/audit/?action=lead.save", async (watched) => {
        const { page } = watched;
        await page.click(".row-open");
        await page.waitForSelector(".side-panel td >> text=Called back");
        expect(await faultsOf(watched)).toEqual([]);
      });
    },
    testMsMax,
  );

  test.each(["usage", "margin", "reconciliation", "campaign"])(
    "the report of %s is consistent, and can be downloaded",
    async (report) => {
      await opened(`/admin/reports/?report=${report}&zone=Asia/Tokyo`, async (watched) => {
        const { page } = watched;
        await page.waitForSelector("text=days in Asia/Tokyo");
        await page.waitForSelector("[data-kind=empty], .table tbody th");
        await page.locator(".table-bar").getByRole("button", { name: "Export CSV" }).click();
        const file = await page.locator("a[download]").first().getAttribute("href");
        expect(file).toContain("format=csv");
        expect(file).toContain("zone=Asia%2FTokyo");
        expect(await faultsOf(watched)).toEqual([]);
      });
    },
  );

  test(
    "an auth profile is refused without https, saved, marked for a refresh and edited; its key is nowhere on the page",
    async () => {
      await opened(
        "/admin/upstreams/?view=profiles",
        async (watched) => {
          const { page } = watched;
          const dialog = page.locator("dialog[open]");
          await page.getByRole("button", { name: "Add profile" }).click();
          await dialog.getByLabel("Name").fill("main account");
          await dialog.getByLabel("Provider").fill("openai");
          await dialog.getByLabel("Address").fill("http://api.example.com/");
          await dialog.getByLabel("API key").fill(profileKey);
          await dialog.getByRole("button", { name: "Save profile" }).click();
          await dialog.locator("[aria-invalid=true], [data-kind=error]").first().waitFor();
          await dialog.getByLabel("Address").fill("https://api.example.com/");
          await dialog.getByRole("button", { name: "Save profile" }).click();
          await page.waitForSelector("text=main account saved");
          await page.getByRole("button", { name: "main account" }).click();
          const panel = page.locator(".side-panel");
          await panel.getByRole("button", { name: "Request refresh" }).click();
          await panel.getByText("No provider was called").waitFor();
          await panel.getByRole("button", { name: "Edit profile" }).click();
          await dialog.getByLabel("Models").fill("gpt-4o-mini");
          await dialog.getByRole("button", { name: "Save profile" }).click();
          await panel.locator("dt:text-is('Models') + dd", { hasText: "gpt-4o-mini" }).waitFor();
          await panel.locator("dt:text-is('Credential') + dd", { hasText: "api_key" }).waitFor();
          expect(await page.content()).not.toContain(profileKey);
          expect(await faultsOf(watched)).toEqual([]);
        },
        { expectedStatuses: [400] },
      );
    },
    testMsMax,
  );

  test("dead emails are sent again, one by its button and all by a typed word", async () => {
    await addDeadMails(["first@example.org", "second@example.org", "third@example.org"]);
    await opened("/admin/mail/?status=dead", async (watched) => {
      const { page } = watched;
      await page.getByRole("button", { name: "first@example.org" }).click();
      await page.getByText("Failed after 8 attempts: nobody is there").waitFor();
      await page.getByRole("button", { name: "Resend e-mail" }).click();
      await page.waitForSelector("text=The e-mail was queued again");
      // The panel shows the mail although it has left the list.
      await page.locator(".side-panel").getByRole("button", { name: "Close" }).click();
      await page.getByRole("button", { name: "Resend failed" }).click();
      const dialog = page.locator("dialog[open]");
      expect(await dialog.getByRole("button", { name: "Resend" }).isDisabled()).toBe(true);
      await dialog.getByLabel("Type resend").fill("resend");
      await dialog.getByRole("button", { name: "Resend" }).click();
      await page.waitForSelector("text=2 e-mails were queued again");
      await page.getByText("Nothing matches these filters").waitFor();
      expect(await faultsOf(watched)).toEqual([]);
    });
  });
});

async function addDeadMails(recipients: readonly string[]): Promise<void> {
  const mails = new MailService({ masterKey: new MasterKey(masterKeyBytes), clock: systemClock });
  await web.rig.db.withTransaction(async (tx) => {
    for (const to of recipients) {
      await mails.queueMail(tx, {
        dedupeKey: `test:${to}`,
        template: "password_changed",
        userId: null,
        to,
        locale: "en",
        variables: { reset_link: "http://127.0.0.1/reset-password/" },
        source: "test",
      });
    }
    await tx.sql`
      update mail_log set status = 'dead', attempts = 8, last_error = 'nobody is there' where source = 'test'`;
  });
}
