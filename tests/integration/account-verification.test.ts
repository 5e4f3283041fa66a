import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { AccountClient, mailedForm } from "../support/accounts/account-client.ts";
import { type SluiceProcess, SluiceRig } from "../support/service/sluice.ts";

let rig: SluiceRig;
let sluice: SluiceProcess;
let client: AccountClient;
const password = "correct horse battery";

beforeAll(async () => {
  rig = await SluiceRig.create("http://127.0.0.1:9");
  sluice = await rig.start("one-process", { ROLES: "relay,gateway,backend" });
  client = new AccountClient(sluice);
});

afterAll(() => rig.close());

const pathOf = (url: string | undefined): string => {
  const { pathname, search } = new URL(url ?? "");
  return `${pathname}${search}`;
};

async function statusOf(email: string): Promise<string | undefined> {
  const [row] = await rig.db.sql<{ status: string }>`select status from user_profile where email = ${email}`;
  return row?.status;
}

describe("the verification link", () => {
  test.each([
    ["none", ""],
    ["an empty one", "?token="],
    ["an unknown one", `?token=${"A".repeat(43)}`],
    ["a long one", `?token=${"A".repeat(900)}`],
  ])("%s is not valid", async (_, query) => {
    const answer = await client.get(`/backend/auth/verify-email/${query}`);
    expect(answer).toMatchObject({ status: 400, body: { error: { code: "invalid_token" } } });
  });

  test("expires after a day, and is not used up by programs that only open it", async () => {
    const { body } = await client.post("/backend/auth/register/", { email: "late@example.org", password });
    const head = await fetch(`${sluice.url}${pathOf(body.verification_url)}`, { method: "HEAD" });
    expect(head.status).toBe(200);
    expect(await statusOf("late@example.org")).toBe("email_pending");
    await rig.db.sql`
      update account_token set expires_at = now()
      where user_id = (select id from user_profile where email = 'late@example.org')`;
    expect((await client.get(pathOf(body.verification_url))).body.error?.code).toBe("invalid_token");
  });

  test("opens a page whose button uses it up; opening the page does not", async () => {
    const email = "person@example.org";
    const { body } = await client.post("/backend/auth/register/", { email, password });
    const accept = { headers: { accept: "text/html,application/xhtml+xml" } };
    const page = mailedForm(body.verification_url);
    const redirect = await client.get(pathOf(body.verification_url), accept);
    expect([redirect.status, redirect.headers.get("location")]).toEqual([303, pathOf(page)]);
    // Programs that check mails open the link as it is, with and without the headers of a browser.
    for (const options of [accept, {}]) {
      const looked = await client.get(pathOf(page), options);
      expect([looked.status, looked.headers.get("referrer-policy")]).toEqual([200, "same-origin"]);
      expect(looked.text).toContain('<form method="post" action="/verify-email/">');
    }
    expect(await statusOf(email)).toBe("email_pending");
    const token = new URL(page).searchParams.get("token") ?? "";
    const pressed = await client.postForm("/verify-email/", { token, lang: "de" });
    expect([pressed.status, pressed.headers.get("location")]).toEqual([303, "/login/?notice=verified&lang=de"]);
    expect(await statusOf(email)).toBe("active");
    const again = await client.postForm("/verify-email/", { token });
    expect([again.status, again.headers.get("content-type")]).toEqual([400, "text/html; charset=utf-8"]);
    expect(again.text).toContain("Request a new one");
  });

  /** As a browser: the response has the cookie of what it created. */
  async function register(email: string): Promise<{ readonly cookie: string; readonly token: string }> {
    const { status, headers, text } = await client.postForm("/register/", { email, password });
    expect(status).toBe(200);
    const cookie = headers.getSetCookie().find((each) => each.includes("SVC_CREATED=")) ?? "";
    expect(cookie).toMatch(/; HttpOnly; SameSite=Lax/);
    return { cookie: cookie.split(";")[0] ?? "", token: /verify-email\/\?token=([\w-]+)/.exec(text)?.[1] ?? "" };
  }

  test("logs in the browser that created the account, once, and no other", async () => {
    const own = await register("own@example.org");
    const elsewhere = await register("elsewhere@example.org");
    const other = await client.postForm("/verify-email/", { token: elsewhere.token }, { cookie: own.cookie });
    expect([other.headers.get("location"), other.cookie]).toEqual(["/login/?notice=verified", ""]);
    const pressed = await client.postForm("/verify-email/", { token: own.token }, { cookie: own.cookie });
    expect([pressed.status, pressed.headers.get("location")]).toEqual([303, "/console/"]);
    expect(await client.me(pressed.cookie)).toBe(200);
    expect((await client.get("/backend/auth/me/", { cookie: pressed.cookie })).text).toContain("own@example.org");
    expect(
      pressed.headers.getSetCookie().some((each) => each.includes("SVC_CREATED=;") && each.includes("Max-Age=0")),
    ).toBe(true);
  });

  test("logs in nobody who registered an address that a stranger was waiting with, and tells them nothing", async () => {
    const stranger = await register("wanted@example.org");
    const owner = await register("wanted@example.org");
    expect(owner.cookie.length).toBe(stranger.cookie.length);
    const pressed = await client.postForm("/verify-email/", { token: stranger.token }, { cookie: owner.cookie });
    expect([pressed.headers.get("location"), pressed.cookie]).toEqual(["/login/?notice=verified", ""]);
  });
});
