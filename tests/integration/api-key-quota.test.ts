import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import type { BudgetId } from "@sluice/contracts/ids";
import { codeOf } from "../support/accounts/console-client.ts";
import { waitForIdleReturn } from "../support/calls/budget-watch.ts";
import { callPauseMs } from "../support/calls/call-pause.ts";
import {
  findKey,
  type Key,
  type KeyScene,
  type Made,
  makeKey,
  price,
  saveKey,
  startKeyScene,
} from "../support/calls/key-scene.ts";
import { waitUntil } from "../support/calls/relay-scene.ts";
import { untilDayLasts } from "../support/values/day-that-lasts.ts";
import { promptMs } from "../support/values/patience.ts";

let scene: KeyScene;

beforeAll(async () => {
  scene = await startKeyScene();
});

afterAll(() => scene?.close());

describe("the quota limit of a key", () => {
  test("lets exactly the allowed number of calls through, and a higher one exactly the difference", async () => {
    const { as } = await scene.enter();
    const { secret, key } = await makeKey(as, { quota_limit: 5 * price });
    expect(await scene.countThrough([secret], 30)).toBe(5);
    await saveKey(as, key, { quota_limit: 8 * price });
    await waitUntil(async () => (await scene.call(secret)).status === 200);
    expect(await scene.countThrough([secret], 20)).toBe(2);
    await waitUntil(async () => (await findKey(as, key.key_id))["quota_used"] === 8 * price);
    expect(await findKey(as, key.key_id)).toMatchObject({ quota_limit: 8 * price, quota_remaining: 0 });
    await scene.expectMoneyRight();
  });

  test("covers base costs if a multiplier is above 1, and none of it stays pending", async () => {
    const { as } = await scene.enter();
    const { secret, key } = await makeKey(as, { quota_limit: 5 * price });
    await scene.rig.db.sql`
      update gateway_user set rate_multiplier = 1.5
      where id = (select gateway_user_id from api_key where id = ${BigInt(key.key_id)}::bigint)`;
    await scene.untilBoth(secret, 200);
    const budgets = await scene.rig.db.sql<{ id: BudgetId }>`
      select id from budget where api_key_id = ${BigInt(key.key_id)}::bigint`;
    await scene.countThrough([secret], 30);
    expect(await waitForIdleReturn(scene.rig.db, budgets[0]?.id as BudgetId)).toMatchObject({
      used: BigInt(5 * price),
      remaining: 0n,
      leased: 0n,
    });
    await scene.expectMoneyRight();
  });

  test("can be lowered below what was used: nothing is left then, and nothing is owed", async () => {
    const { as } = await scene.enter();
    const { secret, key } = await makeKey(as, { quota_limit: 100 * price });
    let through = await scene.countThrough([secret], 6);
    expect(through).toBe(6);
    await saveKey(as, key, { quota_limit: 2 * price });
    // The leases of the replicas are recalled; a call may slip in before they know.
    await waitUntil(async () => {
      const calls = await Promise.all([scene.call(secret, 0), scene.call(secret, 1)]);
      through += calls.filter(({ status }) => status === 200).length;
      return calls.every(({ code }) => code === "insufficient_quota");
    });
    expect(await scene.countThrough([secret], 20)).toBe(0);
    await waitUntil(async () => (await findKey(as, key.key_id))["quota_used"] === through * price);
    expect(await findKey(as, key.key_id)).toMatchObject({ quota_limit: 2 * price, quota_remaining: 0 });
    await saveKey(as, key, { quota_limit: (through + 3) * price });
    await waitUntil(async () => (await scene.call(secret)).status === 200);
    expect(await scene.countThrough([secret], 20)).toBe(2);
    await scene.expectMoneyRight();
  });

  test("no longer applies once removed, and one that is set again counts from then on", async () => {
    const { as } = await scene.enter();
    const { secret, key } = await makeKey(as, { quota_limit: 2 * price, reset_period: "monthly" });
    expect(await scene.countThrough([secret], 10)).toBe(2);
    const free = await saveKey(as, key, { quota_limit: null });
    expect(free).toMatchObject({ quota_limit: null, reset_period: "none", quota_used: null, period_ends_at: null });
    await waitUntil(async () => (await scene.call(secret)).status === 200);
    expect(await scene.countThrough([secret], 10)).toBe(10);
    const again = await saveKey(as, key, { quota_limit: 3 * price, reset_period: "daily" });
    expect(again).toMatchObject({ quota_limit: 3 * price, quota_used: 0, quota_remaining: 3 * price });
    // Calls that came before a replica knew of the limit are not counted.
    await waitUntil(async () => {
      const calls = await Promise.all([scene.call(secret, 0), scene.call(secret, 1)]);
      return calls.every(({ code }) => code === "insufficient_quota");
    });
    await waitUntil(async () => (await findKey(as, key.key_id))["quota_used"] === 3 * price);
    await scene.expectMoneyRight();
  });

  test("restarts with its period, and is shown so before the first call of the new one", async () => {
    await untilDayLasts();
    const { as } = await scene.enter();
    const { secret, key } = await makeKey(as, { quota_limit: 2 * price, reset_period: "daily" });
    expect(await scene.countThrough([secret], 10)).toBe(2);
    await waitUntil(async () => (await findKey(as, key.key_id))["quota_used"] === 2 * price);
    await scene.rig.db.sql`update budget set period_ends_at = now() where api_key_id = ${key.key_id}::bigint`;
    expect(await findKey(as, key.key_id)).toMatchObject({ quota_used: 0, quota_remaining: 2 * price });
    await waitUntil(async () => (await scene.call(secret)).status === 200);
    expect(await scene.countThrough([secret], 10)).toBe(1);
    await scene.expectMoneyRight();
  });
});

test("limits that are changed, removed and restored while calls run lose no charge and invent none", async () => {
  const { as, user } = await scene.enter();
  const { secret, key } = await makeKey(as, { quota_limit: 20 * price });
  const limits = [5, 60, null, 10, 80, 1, null, 30].map((calls) => (calls === null ? null : calls * price));
  let through = 0;
  let isOver = false;
  const callers = Array.from({ length: 6 }, async (_, index) => {
    while (!isOver) {
      const { status, code } = await scene.call(secret, index % 2);
      through += status === 200 ? 1 : 0;
      expect(status === 200 || code === "insufficient_quota").toBe(true);
      await Bun.sleep(callPauseMs);
    }
  });
  for (const quota_limit of limits) {
    const before = through;
    const { quota_limit: shown } = await saveKey(as, key, { quota_limit });
    expect(shown).toBe(quota_limit);
    if (quota_limit === null) {
      await waitUntil(() => Promise.resolve(through > before + 5));
    }
  }
  isOver = true;
  await Promise.all(callers);
  await scene.rig.waitForUsedQuota(user.budgetId, BigInt(through * price));
  await scene.expectMoneyRight();
  const [budget] = await scene.rig.db.sql<{ granted: bigint; used: bigint; rows: bigint }>`
    select b.granted, b.used, (select coalesce(sum(quota), 0)::bigint from usage_log u where u.key_budget_id = b.id) as rows
    from budget b where b.api_key_id = ${key.key_id}::bigint`;
  expect([budget?.granted, budget?.used]).toEqual([BigInt(30 * price), budget?.rows ?? -1n]);
});

describe("rotation", () => {
  test("lets both keys work on one budget, and the old one ends with the overlap", async () => {
    const { as } = await scene.enter();
    const { secret: oldSecret, key } = await makeKey(as, { quota_limit: 10 * price, allowed_ips: ["127.0.0.1"] });
    expect(await scene.countThrough([oldSecret], 3)).toBe(3);
    const answer = await as.post("/backend/keys/rotate/", { key_id: key.key_id, overlap_seconds: 3 });
    const rotated = answer.body as unknown as Made & { old: Key };
    expect(rotated.key).toMatchObject({
      rotated_from_id: key.key_id,
      quota_limit: 10 * price,
      allowed_ips: ["127.0.0.1"],
    });
    expect(rotated.old).toMatchObject({ rotated_to_id: rotated.key.key_id });
    expect(rotated.secret).not.toBe(oldSecret);
    expect(await scene.countThrough([oldSecret, oldSecret, rotated.secret, rotated.secret], 40)).toBe(7);
    await scene.untilBoth(oldSecret, 401);
    await saveKey(as, rotated.key, { quota_limit: 12 * price });
    await waitUntil(async () => (await scene.call(rotated.secret)).status === 200);
    expect(await scene.countThrough([rotated.secret], 10)).toBe(1);
    await scene.expectMoneyRight();
  });

  test("without an overlap ends the old key at once, and only once", async () => {
    const { as } = await scene.enter();
    const { secret, key } = await makeKey(as);
    await scene.untilBoth(secret, 200);
    const answers = await Promise.all([1, 2].map(() => as.post("/backend/keys/rotate/", { key_id: key.key_id })));
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 409]);
    expect((await scene.untilBoth(secret, 401)).ms).toBeLessThan(promptMs);
  });

  test("makes both keys share their rate limits, and a change to the new one applies to the old one", async () => {
    const { as } = await scene.enter();
    const { secret, key } = await makeKey(as, { requests_per_minute: 1 });
    const rotated = (await as.post("/backend/keys/rotate/", { key_id: key.key_id, overlap_seconds: 600 }))
      .body as unknown as Made;
    const seen = await Promise.all(
      Array.from({ length: 8 }, (_, index) => scene.call([secret, rotated.secret][index % 2] ?? "")),
    );
    expect(seen.filter(({ status }) => status === 200)).toHaveLength(1);
    const changed = await as.post("/backend/keys/save/", { ...pick(await findKey(as, key.key_id)), name: "old" });
    expect(codeOf(changed)).toEqual([409, "conflict"]);
    await saveKey(as, rotated.key, { requests_per_minute: 20 });
    expect(await findKey(as, key.key_id)).toMatchObject({ requests_per_minute: 20 });
  });
});

const pick = ({ key_id, updated_at }: Key) => ({ key_id, updated_at });
