import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { brotliDecompressSync, gunzipSync } from "node:zlib";
import { firstPlanTexts } from "@sluice/control-plane/payments/plans/first-plan-texts.ts";
import { addFirstPlans } from "@sluice/control-plane/payments/plans/plans.ts";
import { loginAdmin, loginUser } from "../support/accounts/logins.ts";
import { waitUntil } from "../support/calls/relay-scene.ts";
import { type SluiceProcess, SluiceRig } from "../support/service/sluice.ts";
import { patienceMs } from "../support/values/patience.ts";
import { builtWeb } from "../support/web/web-build.ts";
import { exchangeRaw } from "../support/wire/raw-exchange.ts";

let rig: SluiceRig;
let sluice: SluiceProcess;

const html = { accept: "text/html" };
const get = (path: string, headers: Record<string, string> = {}, method = "GET"): Promise<Response> =>
  fetch(`${sluice.url}${path}`, { method, headers, redirect: "manual", decompress: false });

beforeAll(async () => {
  rig = await SluiceRig.create("http://127.0.0.1:9");
  await rig.db.withTransaction(addFirstPlans);
  sluice = await rig.startProcess({ WEB_DIST: await builtWeb(), PUBLIC_BASE_URL: "https://gateway.example" });
});

afterAll(() => rig.close());

/** The files that a page names. */
async function filesOf(path: string): Promise<string[]> {
  const text = await (await get(path)).text();
  return [...text.matchAll(/(?:src|href)="(\/assets\/[^"]+)"/g)].map((match) => match[1] ?? "");
}

describe("a public page", () => {
  test("is HTML under a policy that allows nothing inline and nothing from elsewhere, and is not cached", async () => {
    const answer = await get("/pricing/");
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
      get("/pricing/", { "accept-encoding": "identity" }),
      get("/pricing/", { "accept-encoding": "gzip, br" }),
      get("/pricing/", { "accept-encoding": "gzip" }),
      get("/pricing/", { "accept-encoding": "br;q=0, gzip;q=0.0" }),
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
    const tag = (await get("/pricing/")).headers.get("etag") ?? "";
    const again = await get("/pricing/", { "if-none-match": `"other", W/${tag}` });
    expect([again.status, await again.text()]).toEqual([304, ""]);
    const head = await get("/pricing/", {}, "HEAD");
    expect(head.status).toBe(200);
    expect(Number(head.headers.get("content-length"))).toBeGreaterThan(1_000);
    expect(await head.text()).toBe("");
  });

  test("without its trailing slash is a redirect that keeps the query", async () => {
    const answer = await get("/pricing?a=b");
    expect([answer.status, answer.headers.get("location")]).toEqual([308, "/pricing/?a=b"]);
  });

  test("exists in each language, and links to the others under the address of the service", async () => {
    const [english, arabic] = await Promise.all(
      ["/pricing/", "/ar/pricing/"].map(async (path) => (await get(path)).text()),
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
      get("/pricing/?lang=de&utm_source=letter"),
      get("/ar/docs/billing/?lang=en"),
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
      get("/pricing/?lang=xx"),
      get("//evil.example/?lang=en"),
      get("/none/?lang=de"),
    ]);
    expect(answers.map(({ status, headers }) => [status, headers.get("location"), headers.getSetCookie()])).toEqual([
      [200, null, []],
      [404, null, []],
      [404, null, []],
    ]);
  });

  test("does not override a user's setting, which the console brings to every browser", async () => {
    const { cookie, email } = await loginUser(rig);
    await rig.db.sql`update user_profile set locale = 'ja' where email = ${email}`;
    const [chosen, strange, known] = await Promise.all([
      get("/pricing/?lang=de", { cookie }),
      get("/console/keys/", { cookie: `${cookie}; SVC_LANG=de` }),
      get("/console/keys/", { cookie: `${cookie}; SVC_LANG=ja` }),
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
        (await get(path, { "accept-encoding": "identity" })).text(),
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
      ["/models/none/", "/de/models/gpt-4o-mini/more/", "/models/../models/none/"].map((path) => get(path, html)),
    );
    expect(answers.map(({ status }) => status)).toEqual([404, 404, 404]);
    expect((await get("/models/gpt-4o-mini")).headers.get("location")).toBe("/models/gpt-4o-mini/");
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
    const sitemap = await (await get("/sitemap.xml")).text();
    const paths = [...sitemap.matchAll(/<loc>https:\/\/gateway\.example([^<]+)<\/loc>/g)].map(
      (match) => match[1] ?? "",
    );
    expect(paths.length).toBeGreaterThan(80);
    const images = new Set<string>();
    for (const path of paths) {
      const meta = metaOf(await (await get(path, { "accept-encoding": "identity" })).text());
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
      const answer = await get(new URL(image).pathname);
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
      metaOf(await (await get(path, { "accept-encoding": "identity" })).text()).get("og:image") ?? "";
    const [english, german, arabic, japanese, pricing] = await Promise.all(
      ["/models/", "/de/models/", "/ar/models/", "/ja/models/", "/ja/pricing/"].map(imageOf),
    );
    expect(german).not.toBe(english);
    expect(japanese).not.toBe(english);
    expect([arabic, pricing]).toEqual([japanese, japanese]);
  });
});

describe("an address without a page", () => {
  test("is a page in the language of the address for a person, and JSON for a program", async () => {
    const [person, arabic, program] = await Promise.all([
      get("/nothing", html),
      get("/ar/nothing/", html),
      get("/nothing", { accept: "*/*" }),
    ]);
    expect([person.status, arabic.status, program.status]).toEqual([404, 404, 404]);
    expect(await person.text()).toContain('<html lang="en"');
    expect(await arabic.text()).toContain('<html lang="ar"');
    expect(await program.json()).toMatchObject({ ok: false, error: { code: "not_found" } });
  });

  test.each([
    "/404.html",
    "/index.html",
    "/pricing/index.html",
    "/pricing/index.html.br",
    "/assets/",
    "/assets/none.js",
  ])("%s does not exist", async (path) => {
    expect((await get(path)).status).toBe(404);
  });

  test.each([
    "/assets/../../../../etc/passwd",
    "/assets/..%2f..%2f..%2fpackage.json",
    "/assets/%2e%2e/console.html",
    "/..%2fcurrent",
    "/assets//etc/passwd",
    "/assets/\\..\\..\\current",
    "/%00",
  ])("%s reads no file", async (path) => {
    const { status, body } = await exchangeRaw(sluice.url, `GET ${path} HTTP/1.1\r\nhost: a.example\r\n\r\n`);
    expect([400, 404]).toContain(status ?? 0);
    expect(body).not.toMatch(/root:|workspaces|<div id="app">/);
  });

  test("answers no method but GET and HEAD", async () => {
    expect((await get("/pricing/", html, "POST")).status).toBe(404);
    expect((await get("/console/", html, "DELETE")).status).toBe(404);
  });
});

test("files whose names change with their content are cached forever, and have their types", async () => {
  const files = await filesOf("/pricing/");
  expect(files.length).toBeGreaterThan(3);
  const answers = await Promise.all(files.map((file) => get(file, { "accept-encoding": "br" })));
  for (const [index, answer] of answers.entries()) {
    expect(answer.status).toBe(200);
    expect(answer.headers.get("cache-control")).toBe("private, max-age=31536000, immutable");
    expect(answer.headers.get("content-encoding")).toBe(/\.(js|css|svg)$/.test(files[index] ?? "") ? "br" : null);
  }
  const types = new Set(answers.map((answer) => answer.headers.get("content-type")));
  expect(types).toContain("text/javascript; charset=utf-8");
  expect(types).toContain("font/woff2");
});

describe("the console", () => {
  test("is refused without a login, and leads back after it", async () => {
    const answer = await get("/console/keys/?status=active", html);
    expect([answer.status, answer.headers.get("location")]).toEqual([
      303,
      "/login/?next=%2Fconsole%2Fkeys%2F%3Fstatus%3Dactive",
    ]);
  });

  test("is shown with a login, and is not cached", async () => {
    const { cookie } = await loginUser(rig);
    const answer = await get("/console/keys/", { cookie });
    expect([answer.status, answer.headers.get("cache-control")]).toEqual([200, "no-store"]);
    expect(await answer.text()).toContain('<div id="app">');
  });

  test("does not accept an admin's login", async () => {
    const { cookie } = await loginAdmin(rig);
    expect((await get("/console/", { cookie })).status).toBe(303);
  });
});

describe("the admin", () => {
  test.each(["/admin", "/admin/", "/admin/users/", "/admin/nothing/", "/admin/login/"])(
    "%s without a login is a 401 with the form, and no script but the one that sets the theme",
    async (path) => {
      const answer = await get(path, html);
      expect([answer.status, answer.headers.get("cache-control")]).toEqual([401, "no-store"]);
      const text = await answer.text();
      expect(text).toContain('<form method="post" action="/admin/login/">');
      const scripts = [...text.matchAll(/<script[^>]*src="([^"]+)"/g)].map((match) => match[1] ?? "");
      const sizes = await Promise.all(scripts.map(async (script) => (await (await get(script)).bytes()).length));
      expect(sizes.reduce((sum, size) => sum + size, 0)).toBeLessThan(3 * 1024);
      expect(text).not.toMatch(/modulepreload|type="module"|language|hreflang/);
    },
  );

  test("asks for the login in Chinese where the browser prefers it, and says in it what was wrong", async () => {
    const headers = { "accept-language": "zh-CN,zh;q=0.9", origin: sluice.url };
    const form = await (await get("/admin/", { ...html, ...headers })).text();
    expect(form).toContain('<html lang="zh');
    expect(form).toContain("用户名、电子邮件或手机号码");
    const body = new URLSearchParams({ login: "nobody", password: "wrong" });
    const refused = await fetch(`${sluice.url}/admin/login/`, { method: "POST", headers, body, redirect: "manual" });
    expect(refused.status).toBe(401);
    expect(await refused.text()).toContain("登录名或密码不正确。");
    expect(await (await get("/admin/", { ...html, "accept-language": "de" })).text()).toContain('<html lang="en"');
  });

  test("is shown with a login, even of an admin without further rights", async () => {
    const { cookie } = await loginAdmin(rig, { isSuper: false });
    const answer = await get("/admin/users/", { cookie });
    expect([answer.status, answer.headers.get("cache-control")]).toEqual([200, "no-store"]);
  });

  test("says the language that the admin chose, or else that of the browser, if it has it", async () => {
    const { cookie } = await loginAdmin(rig, { isSuper: false });
    const langOf = async (language: string): Promise<string | undefined> => {
      const answer = await get("/admin/", { cookie, "accept-language": language });
      return /<html lang="(\w+)"/.exec(await answer.text())?.[1];
    };
    const choose = async (locale: string): Promise<number> => {
      const answer = await fetch(`${sluice.url}/backend/auth/admin/locale/save/`, {
        method: "POST",
        headers: { cookie, origin: sluice.url, "content-type": "application/json" },
        body: JSON.stringify({ locale }),
      });
      return answer.status;
    };
    expect([await langOf("zh-CN,en;q=0.5"), await langOf("de"), await langOf("")]).toEqual(["zh", "en", "en"]);
    expect(await choose("de")).toBe(400);
    expect(await choose("en")).toBe(200);
    expect(await langOf("zh-CN")).toBe("en");
    expect(await choose("zh")).toBe(200);
    expect([await langOf("en-US"), await langOf("de")]).toEqual(["zh", "zh"]);
  });

  test("does not accept a user's login", async () => {
    const { cookie } = await loginUser(rig);
    expect((await get("/admin/", { cookie })).status).toBe(401);
  });

  test("responds alike to a wrong password and an unknown name, and leads nowhere else", async () => {
    const answers = await Promise.all(
      ["admin", "nobody"].map((login) =>
        fetch(`${sluice.url}/admin/login/`, {
          method: "POST",
          redirect: "manual",
          headers: { origin: sluice.url },
          body: new URLSearchParams({ login, password: "wrong", next: "https://elsewhere.example/" }),
        }),
      ),
    );
    const texts = await Promise.all(answers.map(async (answer) => (await answer.text()).replace(/value="[^"]*"/g, "")));
    expect(answers.map((answer) => answer.status)).toEqual([401, 401]);
    expect(texts[0]).toBe(texts[1] ?? "");
    expect(texts[0]).not.toContain("elsewhere.example");
  });
});

test("a changed plan is on the pages of every language soon, and no incomplete page is ever seen", async () => {
  const before = await (await get("/pricing/")).text();
  await rig.db
    .sql`update plan set name = 'Credit & <more>', texts = '{}', version = version + 1 where plan_code = 'credit-10'`;
  // A changed catalog is announced and read at once; plans are polled.
  await rig.db.sql`select pg_notify('catalog_changed', 'plan')`;
  const deadline = performance.now() + patienceMs;
  let text = before;
  while (!text.includes("Credit &amp; &lt;more>") && performance.now() < deadline) {
    await Bun.sleep(50);
    text = await (await get("/ar/pricing/")).text();
    expect(text).toEndWith("</html>");
  }
  expect(text).toContain("Credit &amp; &lt;more>");
  const names = await readdir(join(sluice.dataDirectory, "site"));
  expect(names.filter((name) => name.endsWith(".tmp"))).toEqual([]);
});

test("without a build, programs are served and pages say that there are none", async () => {
  const bare = await rig.startProcess();
  const [home, console] = await Promise.all(
    ["/", "/console/"].map((path) => fetch(`${bare.url}${path}`, { headers: html, redirect: "manual" })),
  );
  expect([home?.status, console?.status]).toEqual([200, 303]);
  // Not at once: a busy machine delays the event loop, which readiness reports as well.
  await waitUntil(async () => (await fetch(`${bare.url}/readyz`)).ok);
  expect(await home?.text()).toContain("not built");
  await bare.kill();
});
