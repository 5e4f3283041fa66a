import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { brotliDecompressSync, gunzipSync } from "node:zlib";
import { firstPlanTexts } from "@sluice/control-plane/payments/plans/first-plan-texts.ts";
import { loginUser } from "../support/accounts/logins.ts";
import { patienceMs } from "../support/values/patience.ts";
import { html, type ServedWeb, startServedWeb } from "../support/web/served-web.ts";

let web: ServedWeb;

beforeAll(async () => {
  web = await startServedWeb();
});

afterAll(() => web?.close());

describe("a public page", () => {
  test("is HTML under a policy that allows nothing inline and nothing from elsewhere, and is not cached", async () => {
    const answer = await web.get("/pricing/");
    expect(answer.status).toBe(200);
    expect(answer.headers.get("content-type")).toBe("text/html; charset=utf-8");
    const policy = answer.headers.get("content-security-policy") ?? "";
    expect(policy).toContain("default-src 'self'");
    expect(policy).not.toContain("unsafe");
    expect(answer.headers.get("cache-control")).toBe("private, no-cache");
    expect(answer.headers.get("x-content-type-options")).toBe("nosniff");
    const text = await answer.text();
    // Structured data for search engines is data, not a script.
    expect(text).not.toMatch(/<script(?![^>]*\bsrc=)(?! type="application\/ld\+json">)/);
    expect(text).not.toMatch(/<[^>]+\sstyle=/);
    expect(text).not.toMatch(/<[^>]+\son\w+=/);
  });

  test("is sent compressed as the client accepts it, and is the same text each time", async () => {
    const [plain, brotli, gzip, refused] = await Promise.all([
      web.get("/pricing/", { "accept-encoding": "identity" }),
      web.get("/pricing/", { "accept-encoding": "gzip, br" }),
      web.get("/pricing/", { "accept-encoding": "gzip" }),
      web.get("/pricing/", { "accept-encoding": "br;q=0, gzip;q=0.0" }),
    ]);
    expect([plain, brotli, gzip, refused].map((each) => each.headers.get("content-encoding"))).toEqual([
      null,
      "br",
      "gzip",
      null,
    ]);
    const text = await plain.text();
    expect(brotliDecompressSync(await brotli.bytes()).toString()).toBe(text);
    expect(gunzipSync(await gzip.bytes()).toString()).toBe(text);
    expect(await refused.text()).toBe(text);
    expect(brotli.headers.get("vary")).toBe("accept-encoding");
  });

  test("that the browser has is not sent again, and HEAD sends none", async () => {
    const tag = (await web.get("/pricing/")).headers.get("etag") ?? "";
    const again = await web.get("/pricing/", { "if-none-match": `"other", W/${tag}` });
    expect([again.status, await again.text()]).toEqual([304, ""]);
    const head = await web.get("/pricing/", {}, "HEAD");
    expect(head.status).toBe(200);
    expect(Number(head.headers.get("content-length"))).toBeGreaterThan(1_000);
    expect(await head.text()).toBe("");
  });

  test("without its trailing slash is a redirect that keeps the query", async () => {
    const answer = await web.get("/pricing?a=b");
    expect([answer.status, answer.headers.get("location")]).toEqual([308, "/pricing/?a=b"]);
  });

  test("exists in each language, and links to the others under the address of the service", async () => {
    const [english, arabic] = await Promise.all(
      ["/pricing/", "/ar/pricing/"].map(async (path) => (await web.get(path)).text()),
    );
    expect(english).toContain('<html lang="en" dir="ltr">');
    expect(arabic).toContain('<html lang="ar" dir="rtl">');
    const named = [
      [english, "Top-up 10"],
      [arabic, firstPlanTexts("credit-10").ar?.name ?? "an Arabic name"],
    ] as const;
    for (const [text, name] of named) {
      expect(text).toContain('hreflang="x-default" href="https://gateway.example/pricing/"');
      expect(text).toContain('hreflang="ar" href="https://gateway.example/ar/pricing/"');
      expect(text).toContain(name);
      expect(text).toContain("gpt-4o-mini");
    }
  });
});

describe("a language selected on the site", () => {
  test("is remembered, and the page is shown in it under its own address", async () => {
    const [german, english] = await Promise.all([
      web.get("/pricing/?lang=de&utm_source=letter"),
      web.get("/ar/docs/billing/?lang=en"),
    ]);
    expect([german.status, german.headers.get("location")]).toEqual([303, "/de/pricing/?utm_source=letter"]);
    expect([english.status, english.headers.get("location")]).toEqual([303, "/docs/billing/"]);
    expect([german, english].map(({ headers }) => headers.getSetCookie())).toEqual([
      ["SVC_LANG=de; Path=/; Max-Age=31536000; SameSite=Lax; Secure"],
      ["SVC_LANG=en; Path=/; Max-Age=31536000; SameSite=Lax; Secure"],
    ]);
  });

  test("that is not supported changes nothing, and leads nowhere else", async () => {
    const answers = await Promise.all([
      web.get("/pricing/?lang=xx"),
      web.get("//evil.example/?lang=en"),
      web.get("/none/?lang=de"),
    ]);
    expect(answers.map(({ status, headers }) => [status, headers.get("location"), headers.getSetCookie()])).toEqual([
      [200, null, []],
      [404, null, []],
      [404, null, []],
    ]);
  });

  test("does not override a user's setting, which the console brings to every browser", async () => {
    const { cookie, email } = await loginUser(web.rig);
    await web.rig.db.sql`update user_profile set locale = 'ja' where email = ${email}`;
    const [chosen, strange, known] = await Promise.all([
      web.get("/pricing/?lang=de", { cookie }),
      web.get("/console/keys/", { cookie: `${cookie}; SVC_LANG=de` }),
      web.get("/console/keys/", { cookie: `${cookie}; SVC_LANG=ja` }),
    ]);
    expect(chosen.headers.get("location")).toBe("/de/pricing/");
    expect([chosen, strange, known].map(({ headers }) => headers.getSetCookie())).toEqual([
      [],
      ["SVC_LANG=ja; Path=/; Max-Age=31536000; SameSite=Lax; Secure"],
      [],
    ]);
  });
});

describe("the page of a model", () => {
  test("exists in each language with its prices in every unit, is in the sitemap, and has structured data", async () => {
    const [page, arabic, sitemap, table] = await Promise.all(
      ["/models/gpt-4o-mini/", "/ar/models/gpt-4o-mini/", "/sitemap.xml", "/de/models/"].map(async (path) =>
        (await web.get(path, { "accept-encoding": "identity" })).text(),
      ),
    );
    // Per million and per thousand; a unit without a price has that of input or output.
    for (const price of ["$0.15", "$0.60", "$0.075", "$0.00015", "$0.0006"]) {
      expect(page).toContain(price);
    }
    expect(page).toContain("128,000 tokens");
    expect(page).toContain('href="/console/playground/?model=gpt-4o-mini"');
    const data = JSON.parse(/ld\+json">(.*?)<\/script>/.exec(page ?? "")?.[1] ?? "{}") as Record<string, unknown>;
    expect(data).toMatchObject({
      "@type": "Product",
      sku: "gpt-4o-mini",
      offers: { price: "0.15", priceCurrency: "USD" },
    });
    expect(arabic).toContain('<html lang="ar" dir="rtl">');
    expect(sitemap).toContain("<loc>https://gateway.example/ar/models/gpt-4o-mini/</loc>");
    expect(table).toContain('href="/de/models/gpt-4o-mini/"');
  });

  test("exists only for models in the catalogue", async () => {
    const answers = await Promise.all(
      ["/models/none/", "/de/models/gpt-4o-mini/more/", "/models/../models/none/"].map((path) => web.get(path, html)),
    );
    expect(answers.map(({ status }) => status)).toEqual([404, 404, 404]);
    expect((await web.get("/models/gpt-4o-mini")).headers.get("location")).toBe("/models/gpt-4o-mini/");
  });
});

describe("the preview image of a link", () => {
  const metaOf = (text: string): Map<string, string> =>
    new Map(
      [...text.matchAll(/<meta (?:property|name)="((?:og|twitter):[^"]+)" content="([^"]*)"/g)].map(([, a, b]) => [
        a ?? "",
        b ?? "",
      ]),
    );

  test("is named by every indexable page, in each language, with its full address, its size and what it says", async () => {
    const sitemap = await (await web.get("/sitemap.xml")).text();
    const paths = [...sitemap.matchAll(/<loc>https:\/\/gateway\.example([^<]+)<\/loc>/g)].map(
      (match) => match[1] ?? "",
    );
    expect(paths.length).toBeGreaterThan(80);
    const images = new Set<string>();
    for (const path of paths) {
      const meta = metaOf(await (await web.get(path, { "accept-encoding": "identity" })).text());
      const image = meta.get("og:image") ?? "";
      expect({ path, image }).toEqual({
        path,
        image: expect.stringMatching(/^https:\/\/gateway\.example\/assets\/social\/\w+\.png$/),
      });
      expect([meta.get("og:image:width"), meta.get("og:image:height")]).toEqual(["1200", "630"]);
      expect([meta.get("twitter:card"), meta.get("twitter:image")]).toEqual(["summary_large_image", image]);
      expect(meta.get("og:image:alt")).toBe(`Sluice: ${meta.get("og:title")}`);
      images.add(image);
    }
    expect(images.size).toBeGreaterThan(40);
    for (const image of images) {
      const answer = await web.get(new URL(image).pathname);
      expect([answer.status, answer.headers.get("content-type")]).toEqual([200, "image/png"]);
      expect(answer.headers.get("cache-control")).toBe("private, max-age=31536000, immutable");
      expect(answer.headers.get("cross-origin-resource-policy")).toBe("cross-origin");
      const bytes = Buffer.from(await answer.arrayBuffer());
      expect([bytes.toString("latin1", 1, 4), bytes.readUInt32BE(16), bytes.readUInt32BE(20)]).toEqual([
        "PNG",
        1200,
        630,
      ]);
      // A sheet of paper without anything on it is smaller.
      expect(bytes.length).toBeGreaterThan(8_000);
    }
  });

  test("shows the title if our font has its letters, and otherwise only the name, which is one image", async () => {
    const imageOf = async (path: string): Promise<string> =>
      metaOf(await (await web.get(path, { "accept-encoding": "identity" })).text()).get("og:image") ?? "";
    const [english, german, arabic, japanese, pricing] = await Promise.all(
      ["/models/", "/de/models/", "/ar/models/", "/ja/models/", "/ja/pricing/"].map(imageOf),
    );
    expect(german).not.toBe(english);
    expect(japanese).not.toBe(english);
    expect([arabic, pricing]).toEqual([japanese, japanese]);
  });
});

test("a changed plan is on the pages of every language soon, and no incomplete page is ever seen", async () => {
  const before = await (await web.get("/pricing/")).text();
  await web.rig.db
    .sql`update plan set name = 'Credit & <more>', texts = '{}', version = version + 1 where plan_code = 'credit-10'`;
  // A changed catalog is announced and read at once; plans are polled.
  await web.rig.db.sql`select pg_notify('catalog_changed', 'plan')`;
  const deadline = performance.now() + patienceMs;
  let text = before;
  while (!text.includes("Credit &amp; &lt;more>") && performance.now() < deadline) {
    await Bun.sleep(50);
    text = await (await web.get("/ar/pricing/")).text();
    expect(text).toEndWith("</html>");
  }
  expect(text).toContain("Credit &amp; &lt;more>");
  const names = await readdir(join(web.sluice.dataDirectory, "site"));
  expect(names.filter((name) => name.endsWith(".tmp"))).toEqual([]);
});
