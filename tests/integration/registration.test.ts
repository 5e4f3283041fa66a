import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { codeOf } from "../support/accounts/console-client.ts";
import {
  type Invitation,
  newcomersPassword,
  RegistrationScene,
  registrationPath,
  unlimited,
} from "../support/accounts/registration-scene.ts";
import { SignInBrowser } from "../support/accounts/sign-in-browser.ts";
import { type AskedProof, solveProof } from "../support/accounts/solve-proof.ts";

let scene: RegistrationScene;

beforeAll(async () => {
  scene = await RegistrationScene.start();
});

afterAll(() => scene.close());

describe("who may register", () => {
  test("closed: nobody, with a password, a form or a service; those who have an account still log in", async () => {
    await scene.setRules({});
    const member = scene.freshEmail();
    await scene.join(member);
    await scene.signIn("known@example.org");
    await scene.setRules({ mode: "closed" });
    expect(codeOf(await scene.register(scene.freshEmail()))).toEqual([403, "registration_closed"]);
    const form = await scene.client.postForm("/register/", { email: scene.freshEmail(), password: newcomersPassword });
    expect([form.status, form.text.includes("New accounts can’t be created here")]).toEqual([403, true]);
    const page = await scene.client.get("/register/");
    expect([page.text.includes("New accounts can’t be created here"), page.text.includes("<form")]).toEqual([
      true,
      false,
    ]);
    const stranger = await scene.signIn("stranger@example.org");
    expect([stranger.status, await stranger.text()]).toEqual([
      403,
      expect.stringContaining("New accounts can’t be created here"),
    ]);
    expect((await scene.signIn("known@example.org")).status).toBe(303);
    expect((await scene.client.logIn(member, newcomersPassword)).status).toBe(200);
  });

  test("domains: their addresses, those below a star, and nobody else without an invitation", async () => {
    await scene.setRules({
      mode: "domains",
      domains: ["corp.example", "*.school.example"],
      refused_domains: ["bad.corp.example"],
    });
    await scene.join(scene.freshEmail("corp.example"));
    await scene.join(scene.freshEmail("maths.school.example"));
    for (const domain of ["school.example", "not-corp.example", "sub.corp.example", "corp.example.org"]) {
      expect(codeOf(await scene.register(scene.freshEmail(domain)))).toEqual([403, "domain_refused"]);
    }
    expect((await scene.signIn("someone@elsewhere.example")).status).toBe(403);
    const { code } = await scene.invite();
    await scene.join(scene.freshEmail("elsewhere.example"), { invitation: code });
    expect((await scene.client.get("/register/")).text).toContain("corp.example, *.school.example");
  });

  test("refused domains register in no mode, not even with an invitation", async () => {
    await scene.setRules({ refused_domains: ["*.throwaway.example", "throwaway.example"] });
    const { code } = await scene.invite();
    for (const more of [{}, { invitation: code }]) {
      expect(codeOf(await scene.register(scene.freshEmail("throwaway.example"), more))).toEqual([
        403,
        "domain_refused",
      ]);
      expect(codeOf(await scene.register(scene.freshEmail("a.throwaway.example"), more))).toEqual([
        403,
        "domain_refused",
      ]);
    }
  });

  test("by invitation: the answer is the same whether the address is known", async () => {
    await scene.setRules({});
    const known = scene.freshEmail();
    await scene.join(known);
    await scene.setRules({ mode: "invitation" });
    const { code } = await scene.invite();
    for (const email of [known, scene.freshEmail()]) {
      expect(codeOf(await scene.register(email))).toEqual([403, "invitation_required"]);
      expect(codeOf(await scene.register(email, { invitation: "AAAA-BBBB-CCCC-DDDD" }))).toEqual([
        400,
        "invitation_unusable",
      ]);
      expect((await scene.register(email, { invitation: code.toLowerCase().replaceAll("-", " ") })).status).toBe(202);
    }
  });

  test("a service brings the invitation along, and uses it up", async () => {
    await scene.setRules({ mode: "invitation" });
    const { code, link } = await scene.invite();
    const page = await scene.client.get(new URL(link).pathname + new URL(link).search);
    expect(page.text).toContain(`href="/login/with/acme/?invitation=${code}"`);
    const email = scene.freshEmail();
    const bring = async (sub: string, to: string) => {
      const browser = new SignInBrowser(scene.sluice.url);
      const begun = await browser.begin("acme", { invitation: code });
      return await browser.back("acme", scene.issuer.signIn(begun, { sub, email: to, email_verified: true }));
    };
    expect((await bring("invited", email)).status).toBe(303);
    expect((await bring("late", scene.freshEmail())).status).toBe(400);
  });

  test("an invitation is used when the address is verified: of three links for two uses, two work", async () => {
    await scene.setRules({ mode: "invitation" });
    const { code } = await scene.invite({ uses_max: 2 });
    const emails = [scene.freshEmail(), scene.freshEmail(), scene.freshEmail()];
    const urls = [];
    for (const email of emails) {
      urls.push((await scene.register(email, { invitation: code })).body.verification_url);
    }
    const answers = await Promise.all(urls.map((url) => scene.verify(url)));
    expect(answers.map(({ status }) => status).toSorted()).toEqual([200, 200, 400]);
    const late = answers.findIndex(({ status }) => status === 400);
    expect(codeOf(answers[late] as never)).toEqual([400, "invitation_unusable"]);
    // The link was not used up: an admin can still help.
    await scene.rig.db.sql`update registration_invitation set uses_max = 3 where uses_max = 2`;
    expect((await scene.verify(urls[late])).status).toBe(200);
  });

  test("an invitation reserves few addresses, and the owner of one gets in with another invitation", async () => {
    await scene.setRules({ mode: "invitation" });
    const { code, invitation_id } = await scene.invite({ uses_max: 1 });
    const victim = scene.freshEmail();
    for (const email of [victim, scene.freshEmail(), scene.freshEmail()]) {
      expect((await scene.register(email, { invitation: code })).status).toBe(202);
    }
    expect(codeOf(await scene.register(scene.freshEmail(), { invitation: code }))).toEqual([
      400,
      "invitation_unusable",
    ]);
    await (await scene.asAdmin()).post(`${registrationPath}invitation/revoke/`, {
      invitation_id,
      reason: "it was passed around",
    });
    const own = await scene.invite({ uses_max: 2 });
    await scene.register(victim, { invitation: own.code });
    const token = `reset-${victim}`;
    await scene.rig.db.sql`
      insert into account_token (user_id, purpose, token_hash, expires_at)
      select id, 'password_reset', sha256(${token}::bytea), now() + interval '1 hour' from user_profile where email = ${victim}`;
    const reset = { token, password: "another battery horse" };
    expect((await scene.client.post("/backend/auth/password-reset/confirm/", reset)).status).toBe(200);
    expect((await scene.client.logIn(victim, reset.password)).status).toBe(200);
    const [row] = await scene.rig.db.sql<{ uses: number }>`
      select uses from registration_invitation where id = ${own.invitation_id}::bigint`;
    expect(row?.uses).toBe(1);
  });

  test("a repeated request makes one invitation, and another one with its key is refused", async () => {
    const admin = await scene.asAdmin();
    const wish = { name: "once", uses_max: 3, reason: "for a test", idempotency_key: `once-${crypto.randomUUID()}` };
    const make = (more = {}) => admin.post(`${registrationPath}invitation/create/`, { ...wish, ...more });
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
    const acts = await scene.rig.db
      .sql`select 1 from audit_log where action = 'invitation.create' and after ->> 'name' = 'once'`;
    expect(acts.length).toBe(1);
  });

  test("a revoked or expired invitation opens nothing, and who has one gets its group", async () => {
    await scene.setRules({ mode: "invitation" });
    await scene.rig.db.sql`insert into user_group (name, multiplier, visibility) values ('friends', 1, 'assigned')`;
    const { code, invitation_id } = await scene.invite({ uses_max: 5, group_name: "friends" });
    const email = scene.freshEmail();
    await scene.join(email, { invitation: code });
    expect(await scene.creditOf(email)).toMatchObject({ group: "friends" });
    const revoked = await (await scene.asAdmin()).post(`${registrationPath}invitation/revoke/`, {
      invitation_id,
      reason: "enough",
    });
    expect(revoked.body["invitation"]).toMatchObject({ state: "revoked", uses: 1 });
    expect(codeOf(await scene.register(scene.freshEmail(), { invitation: code }))).toEqual([
      400,
      "invitation_unusable",
    ]);
    const expired = await scene.invite({ expires_at: new Date(Date.now() - 1_000).toISOString() });
    expect(codeOf(await scene.register(scene.freshEmail(), { invitation: expired.code }))).toEqual([
      400,
      "invitation_unusable",
    ]);
    const unknown = await (await scene.asAdmin()).post(`${registrationPath}invitation/create/`, {
      ...{ name: "x", uses_max: 1, group_name: "nowhere", reason: "for a test" },
    });
    expect(codeOf(unknown)).toEqual([400, "invalid_value"]);
  });
});

describe("the proof of work", () => {
  const ask = async (): Promise<AskedProof> => {
    const { body } = await scene.client.get("/backend/auth/register/rules/");
    return body["proof"] as AskedProof;
  };

  test("is needed once it is switched on, and good for one address and one registration", async () => {
    await scene.setRules({});
    expect((await scene.client.get("/backend/auth/register/rules/")).body).toMatchObject({ mode: "open", proof: null });
    await scene.setRules({ proof_bits: 8 });
    expect(codeOf(await scene.register(scene.freshEmail()))).toEqual([400, "proof_required"]);
    const email = scene.freshEmail();
    const proof = solveProof(await ask(), email);
    expect(codeOf(await scene.register(`other-${email}`, { proof: { ...proof, solution: "0" } }))).toEqual([
      400,
      "proof_required",
    ]);
    const answers = await Promise.all([
      scene.register(email, { proof }),
      scene.register(email.toUpperCase(), { proof }),
    ]);
    expect(answers.map(({ status }) => status).toSorted()).toEqual([202, 400]);
  });

  test("is not accepted if it is forged, too old or for less work than is asked now", async () => {
    await scene.setRules({ proof_bits: 4 });
    const email = scene.freshEmail();
    const easy = solveProof(await ask(), email);
    await scene.setRules({ proof_bits: 8 });
    expect(codeOf(await scene.register(email, { proof: easy }))).toEqual([400, "proof_required"]);
    const { challenge, bits } = await ask();
    const forged = solveProof({ challenge: challenge.replace(/^1\.8\./, "1.1."), bits: 1 }, email);
    const later = challenge.replace(/\.(\d{13})\./, (_, at: string) => `.${Number(at) + 1}.`);
    for (const proof of [forged, solveProof({ challenge: later, bits }, email), { challenge: "x", solution: "1" }]) {
      expect(codeOf(await scene.register(email, { proof }))).toEqual([400, "proof_required"]);
    }
    expect((await scene.register(email, { proof: solveProof({ challenge, bits }, email) })).status).toBe(202);
  });

  test("is not asked from people whom a service vouches for", async () => {
    await scene.setRules({ proof_bits: 20 });
    expect((await scene.signIn(scene.freshEmail())).status).toBe(303);
  });

  test("is spent by nothing that is refused for another reason", async () => {
    await scene.setRules({ proof_bits: 8 });
    const email = scene.freshEmail();
    const proof = solveProof(await ask(), email);
    expect(codeOf(await scene.client.post("/backend/auth/register/", { email, password: "short", proof }))[0]).toBe(
      400,
    );
    expect((await scene.register(email, { proof })).status).toBe(202);
  });
});

test("a change of the rules that somebody else has overtaken, or of nonsense, is refused", async () => {
  const admin = await scene.asAdmin();
  const { updated_at } = (await admin.get(registrationPath)).body["rules"] as { updated_at: string };
  const wish = { ...unlimited, updated_at, reason: "for a test" };
  for (const wrong of [{ mode: "some" }, { domains: ["not a domain"] }, { proof_bits: 25 }, { credit_quota: -1 }]) {
    expect((await admin.post(`${registrationPath}save/`, { ...wish, ...wrong })).status).toBe(400);
  }
  expect(codeOf(await admin.post(`${registrationPath}save/`, { ...wish, mode: "domains" }))).toEqual([
    400,
    "invalid_value",
  ]);
  expect((await admin.post(`${registrationPath}save/`, wish)).status).toBe(200);
  expect(codeOf(await admin.post(`${registrationPath}save/`, wish))).toEqual([409, "conflict"]);
});
