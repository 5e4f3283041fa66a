import { afterAll, beforeAll, expect, test } from "bun:test";
import { allLocales } from "@sluice/contracts/locales";
import { loginAdmin, loginUser } from "../support/accounts/logins.ts";
import { type SluiceProcess, SluiceRig } from "../support/service/sluice.ts";
import { png } from "../support/web/png.ts";
import { builtWeb } from "../support/web/web-build.ts";

let rig: SluiceRig;
/** Two replicas: what one is told, which has no pages of its own, the other shows. */
let service: SluiceProcess;
let other: SluiceProcess;
let cookie: string;
let first: Awaited<ReturnType<typeof sendFirst>>;

beforeAll(async () => {
  rig = await SluiceRig.create("http://127.0.0.1:9");
  service = await rig.startProcess();
  other = await rig.startProcess({ WEB_DIST: await builtWeb() });
  cookie = (await loginAdmin(rig)).cookie;
  first = await sendFirst();
});
afterAll(() => rig.close());

type Sent = { readonly status: number; readonly body: Record<string, never> & { readonly error?: { code: string } } };

async function send(path: string, body: object): Promise<Sent> {
  const response = await fetch(`${service.url}/backend/admin/${path}/`, {
    method: "POST",
    headers: { cookie, origin: service.url, "content-type": "application/json" },
    body: JSON.stringify(body),
  });
  return { status: response.status, body: (await response.json()) as Sent["body"] };
}

const textOf = async (path: string, from = other, headers: Record<string, string> = {}): Promise<string> =>
  await (await fetch(`${from.url}${path}`, { headers })).text();

/** Resolves once a page of the other replica has the text. */
async function untilShown(path: string, wanted: string, headers: Record<string, string> = {}): Promise<string> {
  for (let attempt = 0; attempt < 1_000; attempt += 1) {
    const text = await textOf(path, other, headers);
    if (text.includes(wanted)) {
      return text;
    }
    await Bun.sleep(50);
  }
  throw new Error(`${path} never had ${wanted}`);
}

const drawing = (mark: string): string =>
  Buffer.from(`<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 90 30"><path d="${mark}"/></svg>`).toString(
    "base64",
  );
const save = (kind: string, file: string | null, replaces: string | null = null): Promise<Sent> =>
  send("branding/image/save", { kind, file, replaces });
const hashOf = async (kind: string): Promise<string> => {
  const response = await fetch(`${service.url}/backend/admin/branding/`, { headers: { cookie } });
  const { images } = (await response.json()) as { images: { kind: string; hash: string }[] };
  return images.find((image) => image.kind === kind)?.hash ?? "";
};
const setSetting = async (name: string, value: string | boolean, version = 0): Promise<number> =>
  (await send("settings/save", { name, value, version })).status;

const links = [{ label: "Our <b>blog</b>", url: "https://blog.example/?a=1&b=2" }];
const german = { locale: "de", headline: "Modelle für <i>Kanzleien</i>", sub_line: "", links: [], version: 0 };
const english = { locale: "en", headline: "", sub_line: "A line of our own", links, version: 0 };
const terms = {
  ...{ page: "terms", locale: "en", effective_on: "2026-12-01", version: 0 },
  markdown: "# Scope\n\nYou and **{brand}**. <script>alert(1)</script>",
};
const imprint = { page: "imprint", locale: "en", markdown: "We", effective_on: "2026-12-01", version: 0 };

/** What several tests look at, one after the other: a replica that sees a change renders all public pages again. */
async function sendFirst() {
  return {
    light: await save("logo_light", drawing("M0 0h90v30")),
    dark: await save("logo_dark", drawing("M1 1h80")),
    accent: await setSetting("brand.accent", "#FFEE00"),
    alone: await setSetting("brand.logo_alone", true),
    social: await save("social", png(1200, 630).toString("base64")),
    german: await send("branding/text/save", german),
    english: await send("branding/text/save", english),
    terms: await send("branding/legal/save", terms),
    imprint: await send("branding/legal/save", imprint),
  };
}

test("a logo and a colour are shown by every replica on public pages, forms, console and admin", async () => {
  expect([first.light.status, first.accent, first.alone]).toEqual([200, 200, 200]);
  const { url } = first.light.body["image"] as unknown as { url: string };
  const login = await untilShown("/login/", "/brand/look-");
  const look = /\/brand\/look-[0-9a-f]{16}\.css/.exec(login)?.[0] ?? "";
  await untilShown("/login/", look);
  const styles = await (async () => {
    for (let attempt = 0; attempt < 1_000; attempt += 1) {
      const page = await textOf("/login/");
      const text = await textOf(/\/brand\/look-[0-9a-f]{16}\.css/.exec(page)?.[0] ?? "/");
      if (text.includes("#ffee00") && text.includes("bdi")) {
        return text;
      }
      await Bun.sleep(50);
    }
    throw new Error("the styles never had the colour");
  })();
  expect(styles).toContain(url);
  // Yellow text is not readable on white: light pages get a darker one.
  expect(styles).toMatch(/--accent:light-dark\(#7[0-9a-f]{5},#ffee00\)/);
  const shown = /\/brand\/look-[0-9a-f]{16}\.css/.exec(await textOf("/login/"))?.[0] ?? "none";
  await untilShown("/de/pricing/", shown);
  const user = await loginUser(rig);
  await untilShown("/console/", shown, { cookie: user.cookie });
  await untilShown("/admin/", shown, { cookie });
});

test("an uploaded file is cached for good, and runs nothing if it is opened as a page", async () => {
  const { url } = first.dark.body["image"] as unknown as { url: string };
  const response = await fetch(`${other.url}${url}`);
  expect(response.status).toBe(200);
  expect(Object.fromEntries(response.headers)).toMatchObject({
    "content-type": "image/svg+xml",
    "x-content-type-options": "nosniff",
    "cache-control": "private, max-age=31536000, immutable",
    "content-security-policy": "default-src 'none'; style-src 'unsafe-inline'; sandbox; frame-ancestors 'none'",
  });
  await response.arrayBuffer();
  const again = await fetch(`${other.url}${url}`, {
    headers: { "if-none-match": response.headers.get("etag") ?? "" },
  });
  expect(again.status).toBe(304);
  const missing = await fetch(`${other.url}/brand/logo-dark-0000000000000000.svg`);
  expect(missing.status).toBe(404);
  await missing.arrayBuffer();
});

test("an upload that would undo another is refused, and one that is not an image says what is taken", async () => {
  expect((await save("logo_dark", drawing("M2 2h80"))).body.error?.code).toBe("conflict");
  const refused = await save("icon", Buffer.from("<script>").toString("base64"));
  expect(refused.status).toBe(400);
  expect(JSON.stringify(refused.body)).toContain("square PNG or SVG");
  expect((await save("icon", "A".repeat(400_000))).status).toBe(413);
  const anonymous = await fetch(`${service.url}/backend/admin/branding/`);
  expect(anonymous.status).toBe(401);
  await anonymous.arrayBuffer();
});

test("the home page and the footer say what the operator wrote in a language, escaped", async () => {
  expect([first.german.status, first.english.status]).toEqual([200, 200]);
  expect((await send("branding/text/save", english)).body.error?.code).toBe("conflict");
  const home = await untilShown("/de/", "Modelle für &lt;i>Kanzleien");
  expect(home).not.toContain("<i>Kanzleien");
  expect(await untilShown("/", "A line of our own")).not.toContain("Kanzleien");
  // A language without links has those of English.
  const footer = await untilShown("/de/pricing/", "https://blog.example/?a=1&amp;b=2");
  expect(footer).toContain("Our &lt;b>blog&lt;/b>");
  for (const url of ["javascript:alert(1)", "//other.example", "http://a.example/", ""]) {
    const wrong = { ...english, links: [{ label: "x", url }], version: 1 };
    expect((await send("branding/text/save", wrong)).status).toBe(400);
  }
});

test("a legal page is published by version, shown in its language or another, and withdrawn", async () => {
  expect(first.terms.status).toBe(200);
  const page = await untilShown("/legal/terms/", "<h2>Scope</h2>");
  expect(page).toContain("You and <strong>Sluice</strong>. &lt;script&gt;");
  expect(page).toContain("Version 1, in force since Dec 1, 2026");
  expect(page).not.toContain("<script>alert");
  const response = await fetch(`${other.url}/legal/terms/`);
  expect(response.headers.get("content-security-policy")).toContain("default-src 'self'");
  expect(response.headers.get("etag")).not.toBeNull();
  await response.arrayBuffer();
  // A German visitor is told that this is not in German, and is linked to it in German.
  const untranslated = await untilShown("/de/legal/terms/", "Diesen Text gibt es nicht auf Deutsch");
  expect(untranslated).toContain('lang="en" dir="ltr"');
  await untilShown("/de/pricing/", 'href="/de/legal/terms/"');
  await untilShown("/register/?lang=ar", 'href="/ar/legal/terms/"');
  expect((await send("branding/legal/save", terms)).body.error?.code).toBe("conflict");
  expect((await send("branding/legal/save", { ...terms, markdown: "Second", version: 1 })).status).toBe(200);
  await untilShown("/legal/terms/", "<p>Second</p>");
  expect((await send("branding/legal/save", { ...terms, markdown: "", version: 2 })).status).toBe(200);
  for (let attempt = 0; ; attempt += 1) {
    const { status } = await fetch(`${other.url}/legal/terms/`, { headers: { accept: "text/html" } });
    if (status === 404) {
      break;
    }
    expect(attempt).toBeLessThan(1_000);
    await Bun.sleep(50);
  }
  const read = await fetch(`${service.url}/backend/admin/branding/legal/?page=terms&locale=en`, {
    headers: { cookie },
  });
  const { versions } = (await read.json()) as { versions: { version: number; is_withdrawn: boolean }[] };
  expect(versions.map(({ version, is_withdrawn }) => [version, is_withdrawn])).toEqual([
    [3, true],
    [2, false],
    [1, false],
  ]);
});

const refusalOf = (work: PromiseLike<unknown>): Promise<string> =>
  Promise.resolve(work).then(
    () => "",
    (error: unknown) => String(error),
  );

test("versions of legal pages can't be changed or removed", async () => {
  expect(first.imprint.status).toBe(200);
  expect(await refusalOf(rig.db.sql`update legal_text set markdown = 'x'`)).toContain("append");
  expect(await refusalOf(rig.db.sql`delete from legal_text`)).toContain("append");
});

test("every change is in the audit log with who made it", async () => {
  const rows = await rig.db.sql<{ action: string }>`
    select distinct action from audit_log where action like 'brand%' or action like 'legal%' order by action`;
  expect(rows.map(({ action }) => action)).toEqual(["brand_image.save", "brand_text.save", "legal_text.save"]);
});

test("e-mails have the operator's colour, and the logo that their programs can draw", async () => {
  const preview = async (): Promise<string> => {
    const { status, body } = await send("mail/template/preview", { name: "password_reset", locale: "de" });
    expect([status, body.error]).toEqual([200, undefined]);
    return (body["preview"] as unknown as { html: string }).html;
  };
  const drawn = await preview();
  expect(drawn).not.toContain("<img");
  expect(drawn).not.toContain("#0b6b5f");
  const logo = await save("logo_light", png(180, 60).toString("base64"), await hashOf("logo_light"));
  expect(logo.status).toBe(200);
  for (let attempt = 0; !(await preview()).includes("<img"); attempt += 1) {
    expect(attempt).toBeLessThan(1_000);
    await Bun.sleep(50);
  }
  const [, address = "", alt] = /<img src="([^"]+)" width="96" height="32" alt="([^"]*)"/.exec(await preview()) ?? [];
  expect(alt).toBe("Sluice");
  expect(new URL(address).pathname).toBe("/brand/logo");
  const response = await fetch(`${other.url}/brand/logo`);
  expect(response.headers.get("content-type")).toBe("image/png");
  expect(response.headers.get("cache-control")).toBe("no-cache");
  expect(response.headers.get("cross-origin-resource-policy")).toBe("cross-origin");
  await response.arrayBuffer();
});

test("the image of links is the operator's, on every page that may be listed", async () => {
  expect(first.social.status).toBe(200);
  const page = await untilShown("/ja/pricing/", "/brand/social-");
  expect(page).toMatch(/<meta property="og:image" content="https?:\/\/[^"]+\/brand\/social-[0-9a-f]{16}\.png"/);
  expect(page).toContain('<meta property="og:image:width" content="1200"');
});

test("with a name of its own, no public page says what the program is called", async () => {
  expect(await setSetting("brand.name", "Lumen Gate")).toBe(200);
  expect(await setSetting("brand.powered_by", false)).toBe(200);
  const isRenamed = (page: string): boolean => page.includes("Lumen Gate") && !page.includes("Powered by");
  for (let attempt = 0; !isRenamed(await textOf("/")); attempt += 1) {
    expect(attempt).toBeLessThan(1_000);
    await Bun.sleep(50);
  }
  const sitemap = await textOf("/sitemap.xml");
  const pages = [...sitemap.matchAll(/<loc>https?:\/\/[^/]+([^<]*)<\/loc>/g)].map(([, path = ""]) => path);
  expect(pages.length).toBeGreaterThan(8 * allLocales.length);
  for (const path of pages) {
    const text = await untilShown(path, "Lumen Gate");
    // Headers and the command line are called so in small letters.
    expect([path, /.{0,60}Sluice.{0,60}/.exec(text)?.[0] ?? null]).toEqual([path, null]);
  }
});
