import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { loginAdmin, loginUser } from "../support/accounts/logins.ts";
import { waitUntil } from "../support/calls/relay-scene.ts";
import { html, type ServedWeb, startServedWeb } from "../support/web/served-web.ts";
import { exchangeRaw } from "../support/wire/raw-exchange.ts";

let web: ServedWeb;

beforeAll(async () => {
  web = await startServedWeb();
});

afterAll(() => web?.close());

/** The files that a page names. */
async function filesOf(path: string): Promise<string[]> {
  const text = await (await web.get(path)).text();
  return [...text.matchAll(/(?:src|href)="(\/assets\/[^"]+)"/g)].map((match) => match[1] ?? "");
}

describe("an address without a page", () => {
  test("is a page in the language of the address for a person, and JSON for a program", async () => {
    const [person, arabic, program] = await Promise.all([
      web.get("/nothing", html),
      web.get("/ar/nothing/", html),
      web.get("/nothing", { accept: "*/*" }),
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
    expect((await web.get(path)).status).toBe(404);
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
    const { status, body } = await exchangeRaw(web.sluice.url, `GET ${path} HTTP/1.1\r\nhost: a.example\r\n\r\n`);
    expect([400, 404]).toContain(status ?? 0);
    expect(body).not.toMatch(/root:|workspaces|<div id="app">/);
  });

  test("answers no method but GET and HEAD", async () => {
    expect((await web.get("/pricing/", html, "POST")).status).toBe(404);
    expect((await web.get("/console/", html, "DELETE")).status).toBe(404);
  });
});

test("files whose names change with their content are cached forever, and have their types", async () => {
  const files = await filesOf("/pricing/");
  expect(files.length).toBeGreaterThan(3);
  const answers = await Promise.all(files.map((file) => web.get(file, { "accept-encoding": "br" })));
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
    const answer = await web.get("/console/keys/?status=active", html);
    expect([answer.status, answer.headers.get("location")]).toEqual([
      303,
      "/login/?next=%2Fconsole%2Fkeys%2F%3Fstatus%3Dactive",
    ]);
  });

  test("is shown with a login, and is not cached", async () => {
    const { cookie } = await loginUser(web.rig);
    const answer = await web.get("/console/keys/", { cookie });
    expect([answer.status, answer.headers.get("cache-control")]).toEqual([200, "no-store"]);
    expect(await answer.text()).toContain('<div id="app">');
  });

  test("does not accept an admin's login", async () => {
    const { cookie } = await loginAdmin(web.rig);
    expect((await web.get("/console/", { cookie })).status).toBe(303);
  });

  test("has in its document the head of the page, and names what the page loads and asks first, in the language of the user", async () => {
    const { cookie, userId } = await loginUser(web.rig);
    await web.rig.db.sql`update user_profile set locale = 'ar' where id = ${userId}::bigint`;
    const [keys, home, unknown] = await Promise.all(
      ["/console/keys/", "/console/", "/console/nothing/"].map(async (path) =>
        (await web.get(path, { cookie })).text(),
      ),
    );
    expect(keys).toContain('<html lang="ar" dir="rtl"');
    expect(keys).toContain("/backend/keys/list/?limit=25");
    expect(unknown).not.toContain('data-page="/');
    expect(keys).toContain("<h1>المفاتيح</h1><p>المفتاح هو ما ترسله الأداة");
    expect(home).toContain("<h1>الرئيسية</h1><p>");
    expect(unknown).not.toContain("<h1");
    const modulesOf = (text = ""): string[] =>
      [...text.matchAll(/rel="modulepreload" href="([^"]+)"/g)].map((match) => match[1] ?? "");
    expect(modulesOf(keys).length).toBeGreaterThan(modulesOf(unknown).length + 2);
    expect(modulesOf(home)).not.toEqual(modulesOf(keys));
    const texts = modulesOf(keys).filter((file) => /\/ar-[^/]+\.js$/.test(file));
    // Those of the frame and of the page.
    expect(texts.length).toBe(2);
    for (const text of [keys, home, unknown]) {
      expect((text ?? "").replaceAll("{zone}", "")).not.toMatch(/\{[a-z-]+\}/);
    }
  });
});

describe("the admin", () => {
  test.each(["/admin", "/admin/", "/admin/users/", "/admin/nothing/", "/admin/login/"])(
    "%s without a login is a 401 with the form, and no script but the one that sets the theme",
    async (path) => {
      const answer = await web.get(path, html);
      expect([answer.status, answer.headers.get("cache-control")]).toEqual([401, "no-store"]);
      const text = await answer.text();
      expect(text).toContain('<form method="post" action="/admin/login/">');
      const scripts = [...text.matchAll(/<script[^>]*src="([^"]+)"/g)].map((match) => match[1] ?? "");
      const sizes = await Promise.all(scripts.map(async (script) => (await (await web.get(script)).bytes()).length));
      expect(sizes.reduce((sum, size) => sum + size, 0)).toBeLessThan(3 * 1024);
      expect(text).not.toMatch(/modulepreload|type="module"|language|hreflang/);
    },
  );

  test("asks for the login in Chinese where the browser prefers it, and says in it what was wrong", async () => {
    const headers = { "accept-language": "zh-CN,zh;q=0.9", origin: web.sluice.url };
    const form = await (await web.get("/admin/", { ...html, ...headers })).text();
    expect(form).toContain('<html lang="zh');
    expect(form).toContain("用户名、电子邮件或手机号码");
    const body = new URLSearchParams({ login: "nobody", password: "wrong" });
    const refused = await fetch(`${web.sluice.url}/admin/login/`, {
      method: "POST",
      headers,
      body,
      redirect: "manual",
    });
    expect(refused.status).toBe(401);
    expect(await refused.text()).toContain("登录名或密码不正确。");
    expect(await (await web.get("/admin/", { ...html, "accept-language": "de" })).text()).toContain('<html lang="en"');
  });

  test("is shown with a login, even of an admin without further rights", async () => {
    const { cookie } = await loginAdmin(web.rig, { isSuper: false });
    const answer = await web.get("/admin/users/", { cookie });
    expect([answer.status, answer.headers.get("cache-control")]).toEqual([200, "no-store"]);
    // Who is logged in decides what else may be asked.
    expect(await answer.text()).toContain('data-page="" data-frame="/backend/auth/admin/me/"');
  });

  test("says the language that the admin chose, or else that of the browser, if it has it", async () => {
    const { cookie } = await loginAdmin(web.rig, { isSuper: false });
    const langOf = async (language: string): Promise<string | undefined> => {
      const answer = await web.get("/admin/", { cookie, "accept-language": language });
      return /<html lang="(\w+)"/.exec(await answer.text())?.[1];
    };
    const choose = async (locale: string): Promise<number> => {
      const answer = await fetch(`${web.sluice.url}/backend/auth/admin/locale/save/`, {
        method: "POST",
        headers: { cookie, origin: web.sluice.url, "content-type": "application/json" },
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
    const { cookie } = await loginUser(web.rig);
    expect((await web.get("/admin/", { cookie })).status).toBe(401);
  });

  test("responds alike to a wrong password and an unknown name, and leads nowhere else", async () => {
    const answers = await Promise.all(
      ["admin", "nobody"].map((login) =>
        fetch(`${web.sluice.url}/admin/login/`, {
          method: "POST",
          redirect: "manual",
          headers: { origin: web.sluice.url },
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

test("without a build, programs are served and pages say that there are none", async () => {
  const bare = await web.rig.startProcess();
  const [home, console] = await Promise.all(
    ["/", "/console/"].map((path) => fetch(`${bare.url}${path}`, { headers: html, redirect: "manual" })),
  );
  expect([home?.status, console?.status]).toEqual([200, 303]);
  // Not at once: a busy machine delays the event loop, which readiness reports as well.
  await waitUntil(async () => (await fetch(`${bare.url}/readyz`)).ok);
  expect(await home?.text()).toContain("not built");
  await bare.kill();
});
