import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { systemClock } from "@sluice/control-plane/platform/clock.ts";
import { createLog } from "@sluice/control-plane/platform/log.ts";
import { rollUsageUp } from "@sluice/control-plane/usage/rollup/roll-up.ts";
import { UsageSettlement } from "@sluice/control-plane/usage/settlement/usage-settlement.ts";
import type { SandboxProvider } from "@sluice/sandbox-provider/sandbox";
import { startSandboxProvider } from "@sluice/sandbox-provider/server";
import { Registry } from "prom-client";
import { codeOf } from "../support/accounts/console-client.ts";
import { loginAdmin, type UserLogin } from "../support/accounts/logins.ts";
import { addMember, askAs, makeKey, makeOrganisation, makeProject } from "../support/accounts/organisation-scene.ts";
import { addPlans } from "../support/accounts/owned-things.ts";
import { chat } from "../support/calls/chat-call.ts";
import { type SluiceProcess, SluiceRig } from "../support/service/sluice.ts";
import { waitUntilSettleable } from "../support/usage/settlement-scene.ts";
import { untilDayLasts } from "../support/values/day-that-lasts.ts";
import { promptMs } from "../support/values/patience.ts";

const price = 1_000n;
let provider: SandboxProvider;
let rig: SluiceRig;
let sluice: SluiceProcess;
let url: string;

beforeAll(async () => {
  provider = startSandboxProvider();
  rig = await SluiceRig.create(provider.url);
  await rig.addFlatPriceModel("flat", price);
  await addPlans(rig);
  sluice = await rig.startProcess({ PAYMENT_MOCK: "true" });
  url = sluice.url;
});

afterAll(async () => {
  await rig.close();
  await provider.stop();
});

async function settleUsage(): Promise<void> {
  await waitUntilSettleable(rig.db);
  const log = createLog("error", () => undefined);
  await new UsageSettlement({ db: rig.db, clock: systemClock, log, registry: new Registry() }).run();
  await rollUsageUp(rig.db, systemClock);
}

const call = async (secret: string) => await chat({ url, apiKey: secret }, { model: "flat" });

describe("an organisation", () => {
  test("has a wallet of its own: calls with a member's key are charged to it, and told by member and project", async () => {
    const organisation = await makeOrganisation(rig, url, 10n * price);
    const [anna, ben] = [
      await addMember(rig, url, organisation, "member"),
      await addMember(rig, url, organisation, "admin"),
    ];
    const project = await makeProject(url, organisation, "Search", null);
    const own = await makeKey(url, anna, organisation.id, { project_id: Number(project) });
    const other = await makeKey(url, ben, organisation.id);
    for (const secret of [own.secret, own.secret, other.secret]) {
      expect(await call(secret)).toMatchObject({ isWhole: true });
    }
    await rig.waitForUsedQuota(organisation.budgetId, 3n * price);
    const summary = async (user: typeof anna, query = "") =>
      (await askAs(url, user, `/backend/usage/summary/${query}`, { organisation: organisation.id })).body;
    const all = await summary(ben);
    expect(all).toMatchObject({ total: { calls: 3, quota: 3_000 } });
    expect(all["by_member"]).toEqual([
      expect.objectContaining({ member_email: anna.email, calls: 2, settled_quota: 2_000 }),
      expect.objectContaining({ member_email: ben.email, calls: 1, settled_quota: 1_000 }),
    ]);
    expect(all["by_project"]).toEqual([
      expect.objectContaining({ project_name: "Search", calls: 2 }),
      expect.objectContaining({ project_id: null, calls: 1 }),
    ]);
    expect(await summary(ben, `?project_id=${project}`)).toMatchObject({ total: { calls: 2 } });
    // A member without the right to all usage sees only their own calls, whatever the request asks for.
    expect(await summary(anna, `?member_id=${ben.memberId}`)).toMatchObject({ total: { calls: 2 } });
    const file = async (user: typeof anna, by: string): Promise<string[][]> => {
      const asked = `by=${by}&as_organisation=${organisation.id}`;
      const headers = { cookie: user.cookie };
      const answer = await fetch(`${url}/backend/usage/sums/export/?${asked}`, { headers });
      expect(answer.headers.get("content-type")).toBe("text/csv; charset=utf-8");
      const lines = (await answer.text()).trimEnd().split("\r\n");
      return lines.map((line) => line.split(",")).map((cells) => [...cells.slice(3, 5), cells.at(-1) ?? ""]);
    };
    expect(await file(ben, "member")).toEqual([
      ["member_email", "calls", "settled_quota"],
      [anna.email, "2", "2000"],
      [ben.email, "1", "1000"],
    ]);
    expect((await file(ben, "project")).slice(1)).toEqual([
      ["Search", "2", "2000"],
      ["", "1", "1000"],
    ]);
    expect((await file(anna, "member")).slice(1)).toEqual([[anna.email, "2", "2000"]]);
    const calls = async (user: UserLogin, query: string): Promise<string[][]> => {
      const answer = await fetch(`${url}/backend/usage/export/${query}`, { headers: { cookie: user.cookie } });
      return (await answer.text())
        .trimEnd()
        .split("\r\n")
        .map((line) => line.split(",").slice(-4));
    };
    const ofAll = await calls(ben, `?as_organisation=${organisation.id}`);
    expect(ofAll[0]).toEqual(["member_id", "member_email", "project_id", "project_name"]);
    expect(ofAll.slice(1).sort()).toEqual(
      [
        [anna.memberId.toString(), anna.email, project.toString(), "Search"],
        [anna.memberId.toString(), anna.email, project.toString(), "Search"],
        [ben.memberId.toString(), ben.email, "", ""],
      ].sort(),
    );
    expect(await calls(anna, `?as_organisation=${organisation.id}`)).toHaveLength(3);
    // The file of a person names neither.
    expect((await calls(anna, ""))[0]).not.toContain("member_id");
    const list = await askAs(url, anna, "/backend/usage/list/", { organisation: organisation.id });
    expect(list.body["rows"]).toHaveLength(2);
    expect((await askAs(url, anna, "/backend/usage/summary/")).body).toMatchObject({ total: { calls: 0 } });
    // Nor does the member's key, which can spend what the wallet has.
    await settleUsage();
    const seenBy = async (secret: string, path: string): Promise<Record<string, unknown>> => {
      const answer = await fetch(`${url}${path}`, { headers: { authorization: `Bearer ${secret}` } });
      return (await answer.json()) as Record<string, unknown>;
    };
    expect(await seenBy(own.secret, "/v1/usage")).toMatchObject({
      ...{ scope: "member", used_usd: "0.004000", remaining_usd: "0.014000", limit_usd: "0.018000" },
      days: [{ calls: 2, cost_usd: "0.004000" }],
    });
    expect(await seenBy(own.secret, "/v1/key")).toMatchObject({ data: { usage: 0.004, usage_daily: 0.004 } });
    expect(await seenBy(other.secret, "/v1/usage")).toMatchObject({ scope: "account", days: [{ calls: 3 }] });
    const budget = { member_id: Number(anna.memberId), role: "member", spend_per_month: 5_000 };
    await askAs(url, ben, "/backend/organisations/member/save/", { body: budget, organisation: organisation.id });
    expect(await seenBy(own.secret, "/v1/credits")).toEqual({ data: { total_credits: 0.01, total_usage: 0 } });
    expect(await rig.checkMoney()).toEqual([]);
  });

  test("has budgets of projects and members: each admits exactly what it covers, and counts what the organisation pays", async () => {
    const organisation = await makeOrganisation(rig, url, 1_000n * price);
    await rig.db.sql`update gateway_user set rate_multiplier = 2 where id = ${organisation.gatewayUserId}::bigint`;
    const anna = await addMember(rig, url, organisation, "member");
    const project = await makeProject(url, organisation, "Small", 6n * price);
    const { secret } = await makeKey(url, anna, organisation.id, { project_id: Number(project) });
    const firstCalls = [await call(secret), await call(secret), await call(secret), await call(secret)];
    expect(firstCalls.map(({ isWhole }) => isWhole)).toEqual([true, true, true, false]);
    expect(firstCalls.at(-1)).toMatchObject({ status: 429, code: "insufficient_quota" });
    const free = await makeKey(url, anna, organisation.id);
    const limited = { member_id: Number(anna.memberId), role: "member", spend_per_month: Number(4n * price) };
    const saved = await askAs(url, organisation.owner, "/backend/organisations/member/save/", {
      body: limited,
      organisation: organisation.id,
    });
    expect(saved.body["member"]).toMatchObject({ spend_per_month: 4_000, spent_this_month: 0, live_keys: 2 });
    const next = [await call(free.secret), await call(free.secret), await call(free.secret)];
    expect(next.map(({ isWhole }) => isWhole)).toEqual([true, true, false]);
    await rig.waitForUsedQuota(organisation.budgetId, 5n * price);
    const detail = await askAs(url, anna, "/backend/organisations/detail/", { organisation: organisation.id });
    expect(detail.body["projects"]).toEqual([
      expect.objectContaining({ name: "Small", spend_per_month: 6_000, spent_this_month: 6_000 }),
    ]);
    expect(detail.body["members"]).toEqual([
      expect.objectContaining({ email: anna.email, spend_per_month: 4_000, spent_this_month: 4_000 }),
    ]);
    // The budget is spent, though the account is not: that is what the member's console shows.
    const balance = async (person: UserLogin) =>
      (await askAs(url, person, "/backend/billing/balance/", { organisation: organisation.id })).body["balance"];
    expect(await balance(anna)).toMatchObject({ remaining_quota: 0, used_quota: null });
    expect(await balance(organisation.owner)).toMatchObject({
      remaining_quota: 990_000,
      used_quota: expect.any(Number),
    });
    expect(await rig.checkMoney()).toEqual([]);
  });

  test("is credited with what a member buys for it, and nobody else is; refunds take it back from there", async () => {
    await untilDayLasts();
    const organisation = await makeOrganisation(rig, url);
    const billing = await addMember(rig, url, organisation, "billing");
    const as = { organisation: organisation.id };
    const order = async (plan_code: string) =>
      await askAs(url, billing, "/backend/billing/order/create/", { ...as, body: { plan_code } });
    const { order_no } = (await order("credit")).body["order"] as { order_no: string };
    const own = await askAs(url, billing, `/backend/billing/order/status/?order_no=${order_no}`);
    expect(codeOf(own)).toEqual([404, "not_found"]);
    const listed = await askAs(url, organisation.owner, "/backend/billing/order/list/", as);
    expect(listed.body["orders"]).toEqual([expect.objectContaining({ order_no })]);
    expect((await askAs(url, billing, "/backend/billing/order/list/")).body["orders"]).toEqual([]);
    const settle = { ...as, body: { order_no } };
    expect((await askAs(url, organisation.owner, "/backend/payment/mock-settle/", settle)).body).toMatchObject({
      result: "settled",
    });
    const balance = async (user: typeof billing, how = {}) =>
      ((await askAs(url, user, "/backend/billing/balance/", how)).body["balance"] as Record<string, number>)[
        "remaining_quota"
      ];
    expect([await balance(billing, as), await balance(billing)]).toEqual([5_000_000, 0]);
    // The printed statement is the organisation's, and not that of the member who prints it.
    const month = new Date().toISOString().slice(0, 7);
    const printed = await fetch(
      `${url}/backend/billing/statement/?month=${month}&format=html&as_organisation=${organisation.id}`,
      { headers: { cookie: billing.cookie } },
    );
    const [named] = await rig.db.sql<{
      name: string;
    }>`select name from organisation where id = ${organisation.id}::bigint`;
    const page = await printed.text();
    expect([page.includes(`<bdi>${named?.name}</bdi>`), page.includes(billing.email)]).toEqual([true, false]);
    const admin = await loginAdmin(rig);
    const refund = { order_no, reason: "test", idempotency_key: crypto.randomUUID() };
    const refunded = await askAs(url, admin, "/backend/admin/refund/create/", { body: refund });
    expect(refunded.status).toBe(200);
    expect([await balance(billing, as), await balance(billing)]).toEqual([0, 0]);
    expect(await rig.checkMoney()).toEqual([]);
  });

  test("is credited by the code that one of those who pay redeems for it, once, and its member is not", async () => {
    const organisation = await makeOrganisation(rig, url);
    const billing = await addMember(rig, url, organisation, "billing");
    const admin = await loginAdmin(rig);
    const as = { organisation: organisation.id };
    const batch = { name: "Gift card", count: 1, quota: 3_000_000, idempotency_key: crypto.randomUUID() };
    const made = await askAs(url, admin, "/backend/admin/code-batch/create/", { body: batch });
    const { batch_id } = made.body["batch"] as { batch_id: number };
    const exported = await askAs(url, admin, "/backend/admin/code-batch/codes/", { body: { batch_id } });
    const [code] = exported.body["codes"] as string[];
    const redeem = async (person: UserLogin, how: object = as) =>
      await askAs(url, person, "/backend/billing/code/redeem/", { ...how, body: { code } });
    expect((await redeem(billing)).body).toMatchObject({ is_new: true, order: { quota: 3_000_000 } });
    // Repeated, even for the user's own account, it grants nothing more; nor does it for anybody else.
    expect((await redeem(billing)).body).toMatchObject({ is_new: false });
    expect((await redeem(billing, {})).body).toMatchObject({ is_new: false });
    expect((await redeem(organisation.owner)).status).toBe(409);
    const granted = await rig.db.sql<{ id: bigint; granted: bigint }>`
      select gateway_user_id as id, granted from budget
      where gateway_user_id in (${organisation.gatewayUserId}::bigint, ${billing.gatewayUserId}::bigint) order by granted`;
    expect(granted.map((row) => row.granted)).toEqual([0n, 3_000_000n]);
    expect(granted.at(-1)?.id).toBe(organisation.gatewayUserId);
    const { body } = await askAs(url, organisation.owner, "/backend/billing/order/list/", as);
    expect(body["orders"]).toEqual([expect.objectContaining({ plan_name: "Gift card", status: "settled" })]);
    expect(await rig.checkMoney()).toEqual([]);
  });

  test("buys a month of a plan as a person does: members' calls use its quota and group, and it can be cancelled", async () => {
    const organisation = await makeOrganisation(rig, url);
    await rig.db.sql`insert into user_group (name, multiplier, rank) values ('team-plan', 0.5, 5)`;
    await rig.db.sql`update plan set group_name = 'team-plan' where plan_code = 'monthly'`;
    await rig.db.sql`
      insert into ability (group_name, model, channel_id)
      select 'team-plan', model, channel_id from ability where group_name = 'default' and model = 'flat'`;
    const [billing, anna] = [
      await addMember(rig, url, organisation, "billing"),
      await addMember(rig, url, organisation, "member"),
    ];
    const as = { organisation: organisation.id };
    const key = await makeKey(url, anna, organisation.id);
    expect(await call(key.secret)).toMatchObject({ code: "insufficient_quota" });
    const monthOf = async (user: UserLogin, how = {}) =>
      (await askAs(url, user, "/backend/billing/subscription/list/", how)).body["subscriptions"];
    const ordered = await askAs(url, billing, "/backend/billing/order/create/", {
      ...as,
      body: { plan_code: "monthly" },
    });
    const { order_no } = ordered.body["order"] as { order_no: string };
    const settled = await askAs(url, billing, "/backend/payment/mock-settle/", { ...as, body: { order_no } });
    expect(settled.body).toMatchObject({ result: "settled" });
    expect([await monthOf(organisation.owner, as), await monthOf(billing)]).toEqual([
      [expect.objectContaining({ plan_code: "monthly", status: "active" })],
      [],
    ]);
    const sinceMs = performance.now();
    while (!(await call(key.secret)).isWhole) {
      expect(performance.now() - sinceMs).toBeLessThan(30_000);
    }
    await rig.waitForUsedQuota(organisation.budgetId, price);
    const rows = await rig.db.sql<{ group_name: string }>`
      select distinct group_name from usage_log where gateway_user_id = ${organisation.gatewayUserId}::bigint and quota > 0`;
    expect([...rows]).toEqual([{ group_name: "team-plan" }]);
    const cancelled = await askAs(url, billing, "/backend/billing/subscription/cancel/", {
      ...as,
      body: { plan_code: "monthly" },
    });
    expect(cancelled.body["subscriptions"]).toEqual([expect.objectContaining({ is_cancelled_at_end: true })]);
    expect(await rig.checkMoney()).toEqual([]);
  });

  test("refuses the keys of a member who was removed at once, and keeps the books", async () => {
    const organisation = await makeOrganisation(rig, url, 10n * price);
    const anna = await addMember(rig, url, organisation, "member");
    const ended = await makeKey(url, anna, organisation.id);
    expect((await call(ended.secret)).isWhole).toBe(true);
    await rig.waitForUsedQuota(organisation.budgetId, price);
    const removed = await askAs(url, organisation.owner, "/backend/organisations/member/remove/", {
      body: { member_id: Number(anna.memberId), keys: "revoke" },
      organisation: organisation.id,
    });
    const sinceMs = performance.now();
    expect(removed.body).toMatchObject({ ok: true, revoked_keys: 1 });
    while ((await call(ended.secret)).status !== 401) {
      expect(performance.now() - sinceMs).toBeLessThan(promptMs);
    }
    for (const path of ["/backend/keys/list/", "/backend/usage/list/", "/backend/organisations/detail/"]) {
      expect(codeOf(await askAs(url, anna, path, { organisation: organisation.id }))).toEqual([
        403,
        "organisation_refused",
      ]);
    }
    const summary = await askAs(url, organisation.owner, "/backend/usage/summary/", { organisation: organisation.id });
    expect(summary.body["by_member"]).toEqual([expect.objectContaining({ member_email: anna.email })]);
    expect(await rig.checkMoney()).toEqual([]);
  });

  test("keeps using the keys of a member who was removed, if asked to; the member can't change them", async () => {
    const organisation = await makeOrganisation(rig, url, 10n * price);
    const anna = await addMember(rig, url, organisation, "admin");
    const kept = await makeKey(url, anna, organisation.id);
    const removed = await askAs(url, organisation.owner, "/backend/organisations/member/remove/", {
      body: { member_id: Number(anna.memberId), keys: "keep" },
      organisation: organisation.id,
    });
    expect(removed.body).toMatchObject({ revoked_keys: 0 });
    expect((await call(kept.secret)).isWhole).toBe(true);
    const change = { body: { key_id: Number(kept.keyId) }, organisation: organisation.id };
    expect(codeOf(await askAs(url, anna, "/backend/keys/revoke/", change))).toEqual([403, "organisation_refused"]);
    expect((await askAs(url, organisation.owner, "/backend/keys/revoke/", change)).status).toBe(200);
  });

  test("keeps the limit of a member for the keys that it keeps after the removal", async () => {
    const organisation = await makeOrganisation(rig, url, 10n * price);
    const anna = await addMember(rig, url, organisation, "member");
    const kept = await makeKey(url, anna, organisation.id);
    const as = { organisation: organisation.id };
    const limit = { member_id: Number(anna.memberId), role: "member", spend_per_month: Number(2n * price) };
    await askAs(url, organisation.owner, "/backend/organisations/member/save/", { ...as, body: limit });
    const removal = { member_id: Number(anna.memberId), keys: "keep" };
    await askAs(url, organisation.owner, "/backend/organisations/member/remove/", { ...as, body: removal });
    const calls = [await call(kept.secret), await call(kept.secret), await call(kept.secret)];
    expect(calls.map(({ isWhole }) => isWhole)).toEqual([true, true, false]);
  });

  test("refuses the keys of an archived project until it is active again", async () => {
    const organisation = await makeOrganisation(rig, url, 10n * price);
    const project = await makeProject(url, organisation, "Old", null);
    const { secret } = await makeKey(url, organisation.owner, organisation.id, { project_id: Number(project) });
    expect((await call(secret)).isWhole).toBe(true);
    const save = async (status: string) =>
      await askAs(url, organisation.owner, "/backend/organisations/project/save/", {
        body: { project_id: Number(project), name: "Old", status, spend_per_month: null },
        organisation: organisation.id,
      });
    expect((await save("archived")).status).toBe(200);
    while ((await call(secret)).isWhole) {
      await Bun.sleep(10);
    }
    expect((await call(secret)).status).toBe(401);
    const refused = await askAs(url, organisation.owner, "/backend/keys/create/", {
      body: { name: "late", project_id: Number(project) },
      organisation: organisation.id,
    });
    expect(codeOf(refused)).toEqual([400, "invalid_value"]);
    await save("active");
    while (!(await call(secret)).isWhole) {
      await Bun.sleep(10);
    }
  });
});
