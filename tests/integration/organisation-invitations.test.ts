import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { codeOf } from "../support/accounts/console-client.ts";
import { loginUser } from "../support/accounts/logins.ts";
import { addMember, askAs, inviteToken, makeOrganisation } from "../support/accounts/organisation-scene.ts";
import { type SluiceProcess, SluiceRig } from "../support/service/sluice.ts";

let rig: SluiceRig;
let sluice: SluiceProcess;
let url: string;

beforeAll(async () => {
  rig = await SluiceRig.create("http://127.0.0.1:9");
  sluice = await rig.startProcess();
  url = sluice.url;
});

afterAll(() => rig.close());

describe("an invitation", () => {
  const accept = async (user: { cookie: string }, token: string) =>
    codeOf(await askAs(url, user, "/backend/organisations/invitation/accept/", { body: { token } }));

  test("is accepted once, by a login with its address alone, and says nothing to others", async () => {
    const organisation = await makeOrganisation(rig, url);
    const [invited, thief] = [await loginUser(rig), await loginUser(rig)];
    const token = await inviteToken(url, organisation, { email: invited.email.toUpperCase(), role: "member" });
    const read = { body: { token } };
    expect(codeOf(await askAs(url, thief, "/backend/organisations/invitation/read/", read))).toEqual([
      400,
      "invalid_token",
    ]);
    expect(await accept(thief, token)).toEqual([400, "invalid_token"]);
    expect((await askAs(url, invited, "/backend/organisations/invitation/read/", read)).body).toMatchObject({
      invitation: { role: "member", invited_by: organisation.owner.email },
    });
    const both = await Promise.all([accept(invited, token), accept(invited, token)]);
    expect(both.map(([status]) => status).sort()).toEqual([200, 400]);
    expect(await accept(invited, token)).toEqual([400, "invalid_token"]);
    const [stored] = await rig.db.sql<{ text: string }>`
      select string_agg(to_jsonb(i)::text, '') || (select coalesce(string_agg(to_jsonb(a)::text, ''), '') from audit_log a)
        as text from organisation_invitation i`;
    expect(stored?.text).not.toContain(token);
    expect(sluice.log()).not.toContain(token);
  });

  test("ends when it is revoked, sent again, expired, accepted by someone who was removed, or when its sender is", async () => {
    const organisation = await makeOrganisation(rig, url);
    const admin = await addMember(rig, url, organisation, "admin");
    const invited = await loginUser(rig);
    const { email } = invited;
    const first = await inviteToken(url, organisation, { email, role: "member" });
    const second = await inviteToken(url, organisation, { email, role: "member" });
    expect(await accept(invited, first)).toEqual([400, "invalid_token"]);
    await rig.db
      .sql`update organisation_invitation set expires_at = now() where email = ${email} and revoked_at is null`;
    expect(await accept(invited, second)).toEqual([400, "invalid_token"]);
    const third = await inviteToken(url, organisation, { email, role: "member" });
    const detail = await askAs(url, admin, "/backend/organisations/detail/", { organisation: organisation.id });
    const [open] = detail.body["invitations"] as { invitation_id: number }[];
    const revoke = { body: { invitation_id: open?.invitation_id }, organisation: organisation.id };
    expect((await askAs(url, admin, "/backend/organisations/invitation/revoke/", revoke)).status).toBe(200);
    expect(await accept(invited, third)).toEqual([400, "invalid_token"]);
    const fourth = await inviteToken(url, { ...organisation, owner: admin }, { email, role: "member" });
    const remove = async (memberId: bigint) =>
      await askAs(url, organisation.owner, "/backend/organisations/member/remove/", {
        body: { member_id: Number(memberId), keys: "revoke" },
        organisation: organisation.id,
      });
    await remove(admin.memberId);
    expect(await accept(invited, fourth)).toEqual([400, "invalid_token"]);
    const last = await inviteToken(url, organisation, { email, role: "member" });
    expect((await accept(invited, last))[0]).toBe(200);
    const [joined] = (await askAs(url, invited, "/backend/organisations/list/")).body["organisations"] as {
      member_id: number;
    }[];
    await remove(BigInt(joined?.member_id ?? 0));
    expect(await accept(invited, last)).toEqual([400, "invalid_token"]);
  });

  test("is sent to at most so many addresses in a day, and to no member", async () => {
    const organisation = await makeOrganisation(rig, url);
    const invite = async (email: string) =>
      codeOf(
        await askAs(url, organisation.owner, "/backend/organisations/invite/", {
          body: { email, role: "member" },
          organisation: organisation.id,
        }),
      );
    expect(await invite(organisation.owner.email)).toEqual([409, "conflict"]);
    await rig.db.sql`
      insert into organisation_invitation (organisation_id, email, role, token_hash, invited_by_id, expires_at, revoked_at)
      select ${organisation.id}::bigint, n || '@example.org', 'member', sha256(${crypto.randomUUID()}::bytea || n::text::bytea),
        ${organisation.owner.userId}::bigint, now(), now() from generate_series(1, 48) n`;
    expect((await invite("one@example.org"))[0]).toBe(200);
    expect((await invite("two@example.org"))[0]).toBe(200);
    expect(await invite("three@example.org")).toEqual([409, "organisation_limit"]);
    expect(await invite("one@example.org")).toEqual([409, "organisation_limit"]);
  });
});
