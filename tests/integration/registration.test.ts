import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import type { UserId } from "@sluice/contracts/ids";
import { ClosedMarks } from "@sluice/control-plane/accounts/registration/closed-marks.ts";
import { maskOrigins } from "@sluice/control-plane/accounts/registration/registration-store.ts";
import { MasterKey } from "@sluice/control-plane/platform/crypto/master-key.ts";
import { AccountClient, type CallOptions } from "../support/accounts/account-client.ts";
import { codeOf, consoleClient } from "../support/accounts/console-client.ts";
import { loginAdmin } from "../support/accounts/logins.ts";
import { clientSecret, ScriptedIssuer } from "../support/accounts/scripted-issuer.ts";
import { SignInBrowser } from "../support/accounts/sign-in-browser.ts";
import { type AskedProof, solveProof } from "../support/accounts/solve-proof.ts";
import { masterKeyBytes, type SluiceProcess, SluiceRig } from "../support/service/sluice.ts";

const path = "/backend/admin/registration/";
const password = "correct horse battery";
let rig: SluiceRig;
let sluice: SluiceProcess;
let client: AccountClient;
let issuer: ScriptedIssuer;

beforeAll(async () => {
  [rig, issuer] = await Promise.all([SluiceRig.create("http://127.0.0.1:9"), ScriptedIssuer.start()]);
  sluice = await rig.start("one-process", { CLIENT_IP_HEADER: "x-forwarded-for", ROLES: "relay,gateway,backend" });
  client = new AccountClient(sluice);
  await (await asAdmin()).post("/backend/admin/sign-in-provider/save/", {
    ...{ slug: "acme", kind: "oidc", label: "Acme", issuer: issuer.url, client_id: issuer.clientId },
    ...{ client_secret: clientSecret, is_enabled: true, may_register: true, reason: "for a test" },
  });
});

afterAll(async () => {
  expect(await rig.checkMoney()).toEqual([]);
  await Promise.all([rig.close(), issuer.close()]);
});

async function asAdmin() {
  const { cookie } = await loginAdmin(rig);
  return consoleClient(sluice.url, cookie);
}

const unlimited = {
  ...{ mode: "open", domains: [], refused_domains: [], proof_bits: 0, credit_quota: 0, credits_per_day: 0 },
  ...{ credits_per_network_day: 0, credits_per_network: 0, credits_per_device_day: 0, credits_per_device: 0 },
};

async function setRules(rules: object) {
  const admin = await asAdmin();
  const { body } = await admin.get(path);
  const { updated_at } = body["rules"] as { updated_at: string };
  const saved = await admin.post(`${path}save/`, { ...unlimited, ...rules, updated_at, reason: "for a test" });
  expect(saved.status).toBe(200);
}

type Invitation = { readonly invitation_id: number; readonly code: string; readonly link: string };

async function invite(more: object = {}): Promise<Invitation> {
  const wish = { name: "a team", uses_max: 1, reason: "for a test", ...more };
  const made = await (await asAdmin()).post(`${path}invitation/create/`, wish);
  expect(made.status).toBe(200);
  return made.body["invitation"] as Invitation;
}

let people = 0;
const freshEmail = (domain = "example.org"): string => {
  people += 1;
  return `newcomer${people}@${domain}`;
};
/** Every person has a network, unless a test says otherwise. */
const somewhere = (): string => `10.${people >> 8}.${people & 255}.1`;

const register = (email: string, more: object = {}, options: CallOptions = {}) =>
  client.post("/backend/auth/register/", { email, password, ...more }, { ip: somewhere(), ...options });

async function verify(url: string | undefined) {
  const { pathname, search } = new URL(url ?? "");
  return await client.get(`${pathname}${search}`);
}

async function join(email: string, more: object = {}, options: CallOptions = {}): Promise<void> {
  const registered = await register(email, more, options);
  expect(registered.status).toBe(202);
  expect((await verify(registered.body.verification_url)).status).toBe(200);
}

/** What the books say that somebody got, and how that was decided. */
async function creditOf(email: string) {
  const [row] = await rig.db.sql<{ balance: bigint; refusal: string | null; group: string }>`
    select coalesce(a.balance, 0) as balance, r.credit_refusal as refusal, g.group_name as group
    from user_profile p join user_registration r on r.user_id = p.id
    join gateway_user g on g.id = p.gateway_user_id
    left join ledger_account a on a.gateway_user_id = p.gateway_user_id where p.email = ${email}`;
  return row ?? null;
}

const signIn = async (email: string) => {
  const answer = { sub: email, email, email_verified: true };
  return await new SignInBrowser(sluice.url).signIn("acme", issuer, answer);
};

describe("who may register", () => {
  test("closed: nobody, with a password, a form or a service; those who have an account still log in", async () => {
    await setRules({});
    const member = freshEmail();
    await join(member);
    await signIn("known@example.org");
    await setRules({ mode: "closed" });
    expect(codeOf(await register(freshEmail()))).toEqual([403, "registration_closed"]);
    const form = await client.postForm("/register/", { email: freshEmail(), password });
    expect([form.status, form.text.includes("New accounts can’t be created here")]).toEqual([403, true]);
    const page = await client.get("/register/");
    expect([page.text.includes("New accounts can’t be created here"), page.text.includes("<form")]).toEqual([
      true,
      false,
    ]);
    const stranger = await signIn("stranger@example.org");
    expect([stranger.status, await stranger.text()]).toEqual([
      403,
      expect.stringContaining("New accounts can’t be created here"),
    ]);
    expect((await signIn("known@example.org")).status).toBe(303);
    expect((await client.logIn(member, password)).status).toBe(200);
  });

  test("domains: their addresses, those below a star, and nobody else without an invitation", async () => {
    await setRules({
      mode: "domains",
      domains: ["corp.example", "*.school.example"],
      refused_domains: ["bad.corp.example"],
    });
    await join(freshEmail("corp.example"));
    await join(freshEmail("maths.school.example"));
    for (const domain of ["school.example", "not-corp.example", "sub.corp.example", "corp.example.org"]) {
      expect(codeOf(await register(freshEmail(domain)))).toEqual([403, "domain_refused"]);
    }
    expect((await signIn("someone@elsewhere.example")).status).toBe(403);
    const { code } = await invite();
    await join(freshEmail("elsewhere.example"), { invitation: code });
    expect((await client.get("/register/")).text).toContain("corp.example, *.school.example");
  });

  test("refused domains register in no mode, not even with an invitation", async () => {
    await setRules({ refused_domains: ["*.throwaway.example", "throwaway.example"] });
    const { code } = await invite();
    for (const more of [{}, { invitation: code }]) {
      expect(codeOf(await register(freshEmail("throwaway.example"), more))).toEqual([403, "domain_refused"]);
      expect(codeOf(await register(freshEmail("a.throwaway.example"), more))).toEqual([403, "domain_refused"]);
    }
  });

  test("by invitation: the answer is the same whether the address is known", async () => {
    await setRules({});
    const known = freshEmail();
    await join(known);
    await setRules({ mode: "invitation" });
    const { code } = await invite();
    for (const email of [known, freshEmail()]) {
      expect(codeOf(await register(email))).toEqual([403, "invitation_required"]);
      expect(codeOf(await register(email, { invitation: "AAAA-BBBB-CCCC-DDDD" }))).toEqual([
        400,
        "invitation_unusable",
      ]);
      expect((await register(email, { invitation: code.toLowerCase().replaceAll("-", " ") })).status).toBe(202);
    }
  });

  test("a service brings the invitation along, and uses it up", async () => {
    await setRules({ mode: "invitation" });
    const { code, link } = await invite();
    const page = await client.get(new URL(link).pathname + new URL(link).search);
    expect(page.text).toContain(`href="/login/with/acme/?invitation=${code}"`);
    const email = freshEmail();
    const bring = async (sub: string, to: string) => {
      const browser = new SignInBrowser(sluice.url);
      const begun = await browser.begin("acme", { invitation: code });
      return await browser.back("acme", issuer.signIn(begun, { sub, email: to, email_verified: true }));
    };
    expect((await bring("invited", email)).status).toBe(303);
    expect((await bring("late", freshEmail())).status).toBe(400);
  });

  test("an invitation is used when the address is verified: of three links for two uses, two work", async () => {
    await setRules({ mode: "invitation" });
    const { code } = await invite({ uses_max: 2 });
    const emails = [freshEmail(), freshEmail(), freshEmail()];
    const urls = [];
    for (const email of emails) {
      urls.push((await register(email, { invitation: code })).body.verification_url);
    }
    const answers = await Promise.all(urls.map(verify));
    expect(answers.map(({ status }) => status).toSorted()).toEqual([200, 200, 400]);
    const late = answers.findIndex(({ status }) => status === 400);
    expect(codeOf(answers[late] as never)).toEqual([400, "invitation_unusable"]);
    // The link was not used up: an admin can still help.
    await rig.db.sql`update registration_invitation set uses_max = 3 where uses_max = 2`;
    expect((await verify(urls[late])).status).toBe(200);
  });

  test("an invitation reserves few addresses, and the owner of one gets in with another invitation", async () => {
    await setRules({ mode: "invitation" });
    const { code, invitation_id } = await invite({ uses_max: 1 });
    const victim = freshEmail();
    for (const email of [victim, freshEmail(), freshEmail()]) {
      expect((await register(email, { invitation: code })).status).toBe(202);
    }
    expect(codeOf(await register(freshEmail(), { invitation: code }))).toEqual([400, "invitation_unusable"]);
    await (await asAdmin()).post(`${path}invitation/revoke/`, { invitation_id, reason: "it was passed around" });
    const own = await invite({ uses_max: 2 });
    await register(victim, { invitation: own.code });
    const token = `reset-${victim}`;
    await rig.db.sql`
      insert into account_token (user_id, purpose, token_hash, expires_at)
      select id, 'password_reset', sha256(${token}::bytea), now() + interval '1 hour' from user_profile where email = ${victim}`;
    const reset = { token, password: "another battery horse" };
    expect((await client.post("/backend/auth/password-reset/confirm/", reset)).status).toBe(200);
    expect((await client.logIn(victim, reset.password)).status).toBe(200);
    const [row] = await rig.db.sql<{ uses: number }>`
      select uses from registration_invitation where id = ${own.invitation_id}::bigint`;
    expect(row?.uses).toBe(1);
  });

  test("a repeated request makes one invitation, and another one with its key is refused", async () => {
    const admin = await asAdmin();
    const wish = { name: "once", uses_max: 3, reason: "for a test", idempotency_key: `once-${crypto.randomUUID()}` };
    const make = (more = {}) => admin.post(`${path}invitation/create/`, { ...wish, ...more });
    const [first, again] = [await make(), await make()];
    const idOf = ({ body }: typeof first) => (body["invitation"] as Invitation).invitation_id;
    expect(idOf(again)).toBe(idOf(first));
    const both = await Promise.all([
      make({ name: "race", idempotency_key: "race-key-1" }),
      make({ name: "race", idempotency_key: "race-key-1" }),
    ]);
    expect(new Set(both.map(idOf)).size).toBe(1);
    const other = await make({ uses_max: 4 });
    expect([other.status, (other.body["error"] as { code: string }).code]).toEqual([422, "idempotency_mismatch"]);
    const acts = await rig.db
      .sql`select 1 from audit_log where action = 'invitation.create' and after ->> 'name' = 'once'`;
    expect(acts.length).toBe(1);
  });

  test("a revoked or expired invitation opens nothing, and who has one gets its group", async () => {
    await setRules({ mode: "invitation" });
    await rig.db.sql`insert into user_group (name, multiplier, visibility) values ('friends', 1, 'assigned')`;
    const { code, invitation_id } = await invite({ uses_max: 5, group_name: "friends" });
    const email = freshEmail();
    await join(email, { invitation: code });
    expect(await creditOf(email)).toMatchObject({ group: "friends" });
    const revoked = await (await asAdmin()).post(`${path}invitation/revoke/`, { invitation_id, reason: "enough" });
    expect(revoked.body["invitation"]).toMatchObject({ state: "revoked", uses: 1 });
    expect(codeOf(await register(freshEmail(), { invitation: code }))).toEqual([400, "invitation_unusable"]);
    const expired = await invite({ expires_at: new Date(Date.now() - 1_000).toISOString() });
    expect(codeOf(await register(freshEmail(), { invitation: expired.code }))).toEqual([400, "invitation_unusable"]);
    const unknown = await (await asAdmin()).post(`${path}invitation/create/`, {
      ...{ name: "x", uses_max: 1, group_name: "nowhere", reason: "for a test" },
    });
    expect(codeOf(unknown)).toEqual([400, "invalid_value"]);
  });
});

describe("the proof of work", () => {
  const ask = async (): Promise<AskedProof> => {
    const { body } = await client.get("/backend/auth/register/rules/");
    return body["proof"] as AskedProof;
  };

  test("is needed once it is switched on, and good for one address and one registration", async () => {
    await setRules({});
    expect((await client.get("/backend/auth/register/rules/")).body).toMatchObject({ mode: "open", proof: null });
    await setRules({ proof_bits: 8 });
    expect(codeOf(await register(freshEmail()))).toEqual([400, "proof_required"]);
    const email = freshEmail();
    const proof = solveProof(await ask(), email);
    expect(codeOf(await register(`other-${email}`, { proof: { ...proof, solution: "0" } }))).toEqual([
      400,
      "proof_required",
    ]);
    const answers = await Promise.all([register(email, { proof }), register(email.toUpperCase(), { proof })]);
    expect(answers.map(({ status }) => status).toSorted()).toEqual([202, 400]);
  });

  test("is not accepted if it is forged, too old or for less work than is asked now", async () => {
    await setRules({ proof_bits: 4 });
    const email = freshEmail();
    const easy = solveProof(await ask(), email);
    await setRules({ proof_bits: 8 });
    expect(codeOf(await register(email, { proof: easy }))).toEqual([400, "proof_required"]);
    const { challenge, bits } = await ask();
    const forged = solveProof({ challenge: challenge.replace(/^1\.8\./, "1.1."), bits: 1 }, email);
    const later = challenge.replace(/\.(\d{13})\./, (_, at: string) => `.${Number(at) + 1}.`);
    for (const proof of [forged, solveProof({ challenge: later, bits }, email), { challenge: "x", solution: "1" }]) {
      expect(codeOf(await register(email, { proof }))).toEqual([400, "proof_required"]);
    }
    expect((await register(email, { proof: solveProof({ challenge, bits }, email) })).status).toBe(202);
  });

  test("is not asked from people whom a service vouches for", async () => {
    await setRules({ proof_bits: 20 });
    expect((await signIn(freshEmail())).status).toBe(303);
  });

  test("is spent by nothing that is refused for another reason", async () => {
    await setRules({ proof_bits: 8 });
    const email = freshEmail();
    const proof = solveProof(await ask(), email);
    expect(codeOf(await client.post("/backend/auth/register/", { email, password: "short", proof }))[0]).toBe(400);
    expect((await register(email, { proof })).status).toBe(202);
  });
});

describe("free credit", () => {
  test("is paid once, after the address is verified, by one posting", async () => {
    await setRules({ credit_quota: 500_000 });
    const email = freshEmail();
    const registered = await register(email);
    expect((await creditOf(email))?.balance).toBe(0n);
    const url = registered.body.verification_url;
    await Promise.all([verify(url), verify(url), verify(url)]);
    expect(await creditOf(email)).toMatchObject({ balance: 500_000n, refusal: null });
    const bySignIn = freshEmail();
    await signIn(bySignIn);
    expect((await creditOf(bySignIn))?.balance).toBe(500_000n);
  });

  test("is paid once for an address, whatever stands after a plus or between dots", async () => {
    await setRules({ credit_quota: 100 });
    await join("ann.other@mail.example", {}, { ip: "10.250.1.1" });
    for (const [index, again] of ["annother@mail.example", "Ann.Other+2@mail.example"].entries()) {
      await join(again, {}, { ip: `10.250.${index + 2}.1` });
      expect(await creditOf(again)).toMatchObject({ balance: 0n, refusal: "address" });
    }
  });

  test("of 50 people who register from a network at once, as many get it as the limit says", async () => {
    await setRules({ credit_quota: 100, credits_per_network_day: 3 });
    const emails = Array.from({ length: 50 }, () => freshEmail());
    const urls = await Promise.all(
      emails.map(async (email, index) => {
        for (;;) {
          const answer = await register(email, {}, { ip: `203.0.113.${index + 1}` });
          if (answer.status === 202) {
            return answer.body.verification_url;
          }
          // Only so many passwords are hashed at a time.
          expect([429, 503]).toContain(answer.status);
        }
      }),
    );
    await Promise.all(
      urls.map(async (url) => {
        // On a slow machine, some give up waiting for the others.
        for (let status = 503; status === 503; ) {
          ({ status } = await verify(url));
          expect([200, 503]).toContain(status);
        }
      }),
    );
    const credits = await Promise.all(emails.map(creditOf));
    expect(credits.filter((credit) => credit?.balance === 100n)).toHaveLength(3);
    expect(credits.filter((credit) => credit?.refusal === "network_day")).toHaveLength(47);
    const listed = await (await asAdmin()).get(`${path}credit/list/`, { network: "203.0.113", outcome: "refused" });
    expect((listed.body["rows"] as object[])[0]).toMatchObject({ refusal: "network_day", credit_quota: 0 });
  });

  test("is limited by device, by network in all, and for everybody a day", async () => {
    await setRules({ credit_quota: 100, credits_per_device: 1 });
    const device = (await client.get("/register/")).headers.getSetCookie().find((set) => set.includes("DEVICE")) ?? "";
    const cookie = device.split(";")[0] ?? "";
    const [first, second, third] = [freshEmail(), freshEmail(), freshEmail()];
    await join(first, {}, { cookie, ip: "10.251.1.1" });
    await join(second, {}, { cookie, ip: "10.251.2.1" });
    expect([(await creditOf(first))?.balance, (await creditOf(second))?.refusal]).toEqual([100n, "device"]);
    await setRules({ credit_quota: 100, credits_per_network: 1 });
    await join(third, {}, { ip: "10.251.1.200" });
    expect((await creditOf(third))?.refusal).toBe("network");
    await setRules({ credit_quota: 100, credits_per_day: 1 });
    const fourth = freshEmail();
    await join(fourth);
    expect((await creditOf(fourth))?.refusal).toBe("day");
  });

  test("is still counted for the network and the device of an account that was closed since, which are forgotten", async () => {
    await setRules({ credit_quota: 100, credits_per_device: 1 });
    const device = (await client.get("/register/")).headers.getSetCookie().find((set) => set.includes("DEVICE")) ?? "";
    const cookie = device.split(";")[0] ?? "";
    const [first, second, third] = [freshEmail(), freshEmail(), freshEmail()];
    await join(first, {}, { cookie, ip: "10.252.1.1" });
    const [user] = await rig.db.sql<{ id: UserId }>`select id from user_profile where email = ${first}`;
    const marks = new ClosedMarks(new MasterKey(masterKeyBytes));
    await maskOrigins(rig.db, user?.id ?? (0n as UserId), (origin) => marks.of(origin));
    const [row] = await rig.db.sql<{ network: string; device: string }>`
      select network, device from user_registration where user_id = ${user?.id ?? 0n}::bigint`;
    expect([row?.network, row?.device].map((origin) => /^closed:[\w-]{43}$/.test(origin ?? ""))).toEqual([true, true]);
    await join(second, {}, { cookie, ip: "10.252.2.1" });
    expect((await creditOf(second))?.refusal).toBe("device");
    await setRules({ credit_quota: 100, credits_per_network: 1 });
    await join(third, {}, { ip: "10.252.1.200" });
    expect((await creditOf(third))?.refusal).toBe("network");
  });

  test("of an invitation replaces the usual credit and its limits, but not that of the address", async () => {
    await setRules({ credit_quota: 100, credits_per_day: 1 });
    const { code } = await invite({ uses_max: 3, credit_quota: 700 });
    const email = freshEmail();
    await join(email, { invitation: code });
    expect((await creditOf(email))?.balance).toBe(700n);
    const again = email.replace("@", "+again@");
    await join(again, { invitation: code });
    expect(await creditOf(again)).toMatchObject({ balance: 0n, refusal: "address" });
  });

  test("is seen by the money check if the books and the registration differ", async () => {
    await setRules({ credit_quota: 100 });
    const email = freshEmail();
    await join(email);
    const userOf = "user_id = (select id from user_profile where email = $1)";
    await rig.db.query(`update user_registration set credit_quota = 99 where ${userOf}`, [email]);
    expect(await rig.checkMoney()).toHaveLength(1);
    await rig.db.query(`update user_registration set credit_quota = 100 where ${userOf}`, [email]);
  });
});

test("a change of the rules that somebody else has overtaken, or of nonsense, is refused", async () => {
  const admin = await asAdmin();
  const { updated_at } = (await admin.get(path)).body["rules"] as { updated_at: string };
  const wish = { ...unlimited, updated_at, reason: "for a test" };
  for (const wrong of [{ mode: "some" }, { domains: ["not a domain"] }, { proof_bits: 25 }, { credit_quota: -1 }]) {
    expect((await admin.post(`${path}save/`, { ...wish, ...wrong })).status).toBe(400);
  }
  expect(codeOf(await admin.post(`${path}save/`, { ...wish, mode: "domains" }))).toEqual([400, "invalid_value"]);
  expect((await admin.post(`${path}save/`, wish)).status).toBe(200);
  expect(codeOf(await admin.post(`${path}save/`, wish))).toEqual([409, "conflict"]);
});
