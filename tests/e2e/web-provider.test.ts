import { afterAll, beforeAll, expect, test } from "bun:test";
import { startSandboxProvider } from "@sluice/sandbox-provider/server";
import { TestBrowser, type WatchedPage } from "../support/web/browser.ts";
import { startWebRig, type WebRig } from "../support/web/web-rig.ts";

const testMsMax = 300_000;
const clicksMax = 12;
const modelsMin = 10;
const narrowest = { width: 320, height: 640 };
const shots = process.env["SHOTS_TO"];

let provider: ReturnType<typeof startSandboxProvider>;
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

async function opened(
  path: string,
  look: (watched: WatchedPage) => Promise<void>,
  options: { readonly expectedStatuses?: readonly number[]; readonly isDark?: boolean } = {},
): Promise<void> {
  const watched = await browser.open({ url: web.sluice.url, cookie: web.cookies.admin ?? "", ...options });
  try {
    await watched.page.addInitScript("window.clicks = 0; addEventListener('click', () => { clicks += 1; }, true)");
    await watched.page.goto(path);
    await look(watched);
    expect(watched.faults).toEqual([]);
  } finally {
    await watched.close();
  }
}

/** Axe finds nothing, and the page fits the narrowest phone. */
async function expectSound({ page, axe }: WatchedPage, name: string): Promise<void> {
  const size = page.viewportSize() ?? narrowest;
  if (shots !== undefined) {
    await page.screenshot({ path: `${shots}/${name}.png`, fullPage: true });
  }
  const found = await axe();
  await page.setViewportSize(narrowest);
  const overflow = await page.evaluate<number>(
    "document.documentElement.scrollWidth - document.documentElement.clientWidth",
  );
  if (shots !== undefined) {
    await page.screenshot({ path: `${shots}/${name}-phone.png`, fullPage: true });
  }
  await page.setViewportSize(size);
  expect({ name, found, overflow }).toEqual({ name, found: [], overflow: 0 });
}

test(
  "a key becomes ten served, priced and tested models within twelve clicks",
  async () => {
    await opened("/admin/upstreams/", async (watched) => {
      const { page } = watched;
      await page.getByRole("link", { name: "Add a provider" }).click();
      await page.getByRole("button", { name: "Custom" }).click();
      await page.getByLabel("OpenAI API address").fill(`${provider.url}/v1`);
      await page.getByRole("textbox", { name: /^Key/ }).fill("a-key-of-the-sandbox");
      await page.getByLabel("Name of the channel").fill("The sandbox");
      await page.getByRole("button", { name: "Get the models" }).click();
      // The next step is in view, below the bar and above the fold.
      const search = await page.getByLabel("Find a model").boundingBox();
      expect(search?.y).toBeWithin(48, 500);
      await page.getByRole("button", { name: /^Choose all with a price/ }).click();
      await expectSound(watched, "provider-chosen");
      await page.getByRole("button", { name: /^Test \d+ models/ }).click();
      await page
        .getByText(/works, /)
        .nth(modelsMin - 1)
        .waitFor();
      await page.getByRole("button", { name: /^Test \d+ models/, disabled: false }).waitFor();
      await expectSound(watched, "provider-tested");
      await page.getByRole("button", { name: /^Save \d+ models/ }).click();
      await page.getByRole("heading", { name: "The sandbox is saved" }).waitFor();
      const clicks = await page.evaluate<number>("window.clicks");
      process.stdout.write(`clicks: ${clicks}\n`);
      expect(clicks).toBeLessThanOrEqual(clicksMax);
      await expectSound(watched, "provider-saved");
    });
    const served = await web.rig.db.sql<{ model: string; input: string; output: string; status: string }>`
      select a.model, p.input_usd_per_m::text as input, p.output_usd_per_m::text as output, c.status
      from ability a join channel c on c.id = a.channel_id join model_price p on p.model = a.model
      where c.name = 'The sandbox' and a.is_enabled`;
    expect(served.length).toBeGreaterThanOrEqual(modelsMin);
    expect(new Set(served.map(({ status }) => status))).toEqual(new Set(["enabled"]));
    const [key] = await web.rig.db.sql<{
      id: bigint;
    }>`select id from channel where name = 'The sandbox' and credential_sealed is not null`;
    expect(key).toBeDefined();
  },
  testMsMax,
);

test(
  "what the provider refuses is shown at its field, and nothing that was entered is lost",
  async () => {
    await opened(
      "/admin/upstreams/add/",
      async (watched) => {
        const { page } = watched;
        await page.getByLabel("Find a provider").fill("vllm");
        await expectSound(watched, "provider-choice");
        await page.getByRole("button", { name: "vLLM" }).click();
        await page.getByLabel("Server", { exact: true }).fill("localhost:8000");
        await page.getByRole("button", { name: "Get the models" }).click();
        await page.getByText("Enter an address like http://localhost:8000").waitFor();
        await page.getByLabel("Server", { exact: true }).fill(new URL(provider.url).origin.replace(/:\d+$/, ":9"));
        await page.getByRole("button", { name: "Get the models" }).click();
        // The address is under Advanced, which opens by itself.
        await page.getByText(/No list was received/).waitFor();
        await expectSound(watched, "provider-refused");
        await page.getByLabel("Server", { exact: true }).fill(provider.url);
        await page.getByRole("textbox", { name: /^Key/ }).fill("a-key-of-the-sandbox");
        await page.getByRole("button", { name: "Get the models" }).click();
        await page.getByRole("heading", { name: "Choose the models" }).waitFor();
        await page.getByLabel("tts-1").check();
        // Nobody knows its price, so its fields are open, and saving says what is missing.
        await page.getByRole("button", { name: /^Save 1 model/ }).click();
        await page.getByText("Some models need your attention.").waitFor();
        await expectSound(watched, "provider-missing");
        // A name that is taken is said at its field, and the choice and its changes are kept.
        await page.getByRole("checkbox", { name: "tts-1" }).first().uncheck();
        await page.getByRole("button", { name: "Change the connection" }).click();
        await page.getByLabel("Name of the channel").fill("first");
        await page.getByRole("button", { name: /^Choose all with a price/ }).click();
        await page.getByRole("button", { name: /^Save \d+ models/ }).click();
        await page.getByText("Correct the marked field above").waitFor();
        const name = page.getByLabel("Name of the channel");
        expect(await name.getAttribute("aria-invalid")).toBe("true");
        await page.getByText("Another channel already has this name.").waitFor();
        await expectSound(watched, "provider-name-taken");
        await name.fill("second");
        await page.getByRole("button", { name: /^Save \d+ models/ }).click();
        await page.getByRole("heading", { name: "second is saved" }).waitFor();
      },
      { expectedStatuses: [400, 409], isDark: true },
    );
  },
  testMsMax,
);

test(
  "a channel that exists gets more models of its provider with its own credential",
  async () => {
    await opened("/admin/upstreams/?open=1", async (watched) => {
      const { page } = watched;
      // A table in the panel has its whole height, however much else is in the panel.
      const table = page.locator(".side-panel").getByRole("table").first();
      await table.waitFor();
      const frame = await page.locator(".side-panel :has(> table)").first().boundingBox();
      expect(frame?.height).toBeGreaterThanOrEqual((await table.boundingBox())?.height ?? 0);
      await page.locator(".side-panel").getByRole("link", { name: "Add models" }).click();
      await page.getByRole("heading", { name: "Choose the models" }).waitFor();
      await page.getByLabel("Find a model").fill("4.1-mini");
      await page.getByRole("button", { name: "Choose all with a price (1)" }).click();
      await page.getByRole("button", { name: "Edit gpt-4.1-mini" }).click();
      await page.getByLabel("Name", { exact: true }).fill("house-mini");
      await page.getByLabel("Input, USD per M", { exact: true }).fill("0.55");
      await expectSound(watched, "provider-edited");
      await page.getByRole("button", { name: "Save 1 model" }).click();
      await page.getByRole("heading", { name: "first is saved" }).waitFor();
    });
    const rows = await web.rig.db.sql`
      select a.channel_id::int as id, a.upstream_model, p.input_usd_per_m::float8 as input, p.output_usd_per_m::float8 as output
      from ability a join model_price p on p.model = a.model where a.model = 'house-mini'`;
    expect([...rows] as unknown).toEqual([{ id: 1, upstream_model: "gpt-4.1-mini", input: 0.55, output: 1.6 }]);
  },
  testMsMax,
);

test(
  "a channel is copied, exported and imported without its credential, and says that it is disabled",
  async () => {
    await opened("/admin/upstreams/?open=1", async (watched) => {
      const { page } = watched;
      const dialog = page.locator("dialog[open]");
      await page.locator(".side-panel").getByRole("button", { name: "Copy" }).click();
      await dialog.getByLabel("Name").fill("A copy");
      await expectSound(watched, "channel-copy");
      await dialog.getByRole("button", { name: "Create channel" }).click();
      await page.locator(".toast", { hasText: "disabled and gets no calls" }).waitFor();
    });
    await opened("/admin/upstreams/", async (watched) => {
      const { page } = watched;
      const [download] = await Promise.all([
        page.waitForEvent("download"),
        page.getByRole("button", { name: "Export channels" }).click(),
      ]);
      const text = await Bun.file(await download.path()).text();
      expect(text).not.toContain("credential");
      const file = JSON.parse(text) as { channels: { name: string; models: object[] }[] };
      const [first] = file.channels.filter(({ models }) => models.length > 0);
      const imported = { ...file, channels: [{ ...first, name: "From a file" }] };
      await page.getByRole("button", { name: "Import channels" }).click();
      const dialog = page.locator("dialog[open]");
      await dialog
        .getByLabel("File")
        .setInputFiles({ name: "c.json", mimeType: "application/json", buffer: Buffer.from(JSON.stringify(imported)) });
      await dialog.getByRole("button", { name: "Create the channels" }).click();
      await dialog.getByText(/created, disabled, with \d+ models/).waitFor();
      await expectSound(watched, "channel-import");
    });
    const rows = await web.rig.db.sql<{ name: string; status: string; has: boolean; models: bigint }>`
      select name, status, credential_sealed is not null as has,
        (select count(*) from ability a where a.channel_id = c.id) as models
      from channel c where name in ('A copy', 'From a file') order by name`;
    expect(rows.map(({ name, status, has }) => [name, status, has])).toEqual([
      ["A copy", "disabled", false],
      ["From a file", "disabled", false],
    ]);
    for (const { models } of rows) {
      expect(Number(models)).toBeGreaterThan(0);
    }
  },
  testMsMax,
);
