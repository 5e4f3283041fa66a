import { afterAll, beforeAll, expect, test } from "bun:test";
import type { ApiKeyId } from "@sluice/contracts/ids";
import { createMissingPartitions } from "@sluice/control-plane/db/partitions.ts";
import { createApiKey } from "@sluice/control-plane/gateway/keys/create-key.ts";
import { systemClock, utcDay } from "@sluice/control-plane/platform/clock.ts";
import { rollUsageUp } from "@sluice/control-plane/usage/rollup/roll-up.ts";
import { daysOfKeys } from "@sluice/control-plane/usage/views/key-days-store.ts";
import type { UsageFilter } from "@sluice/control-plane/usage/views/model.ts";
import { UsageViews } from "@sluice/control-plane/usage/views/usage-views.ts";
import { listUsage } from "@sluice/control-plane/usage/views/views-store.ts";
import { blocksRead } from "../support/postgres/blocks-read.ts";
import { SettlementScene } from "../support/usage/settlement-scene.ts";

const dayMs = 86_400_000;
const days = 8;
/** The middle of the UTC day before today, so that no call is near midnight. */
const noon = Math.floor(Date.now() / dayMs) * dayMs - dayMs / 2;
const dayAgo = (count: number): string => utcDay(noon - count * dayMs);

let scene: SettlementScene;
let views: UsageViews;
let seldom: ApiKeyId;
let unused: ApiKeyId;

beforeAll(async () => {
  scene = await SettlementScene.create(1);
  views = new UsageViews(scene.db, systemClock);
  await createMissingPartitions(
    scene.owner,
    "usage_log",
    Array.from({ length: days }, (_, ago) => dayAgo(ago)),
  );
  [seldom, unused] = [await makeKey("seldom"), await makeKey("unused")];
});

afterAll(async () => {
  await scene[Symbol.asyncDispose]();
});

const account = () => scene.customers[0]?.gatewayUserId ?? expect.unreachable();

async function makeKey(name: string): Promise<ApiKeyId> {
  await createApiKey(scene.owner, account(), name);
  const [row] = await scene.owner.sql<{ id: ApiKeyId }>`select id from api_key where name = ${name}`;
  return row?.id ?? expect.unreachable();
}

const call = (startedAtMs: number, apiKeyId?: ApiKeyId) =>
  scene.row(0, 10n, "1.0000", { startedAtMs, ...(apiKeyId === undefined ? {} : { apiKeyId }) });

async function sumUp(): Promise<void> {
  await scene.run();
  await rollUsageUp(scene.db, systemClock);
}

/** Calls of another key in the same two hours of each day. */
async function callOften(): Promise<void> {
  for (let ago = 0; ago < days; ago += 1) {
    await scene.commit(...Array.from({ length: 400 }, (_, index) => call(noon - ago * dayMs + index)));
  }
}

function filterOf(keyId: ApiKeyId): UsageFilter {
  const none = {
    model: null,
    askedModel: null,
    outcome: null,
    memberId: null,
    projectId: null,
    endUser: null,
    tag: null,
  };
  return {
    gatewayUserId: account(),
    fromDay: dayAgo(days - 1),
    toDay: utcDay(Date.now()),
    zone: "UTC",
    keyId,
    ...none,
  };
}

async function shown(keyId: ApiKeyId): Promise<string[]> {
  const { fromDay: from_day, toDay: to_day } = filterOf(keyId);
  const place = { gatewayUserId: account(), onlyMemberId: null };
  const { rows } = await views.list(place, { key_id: keyId, from_day, to_day, zone: "UTC", limit: 50 });
  return rows.map(({ request_id: id }) => id);
}

test("calls of a key are found on the days that its sums name, and among those that are in none yet", async () => {
  const row = call(noon - 3 * dayMs, seldom);
  await scene.commit(row);
  expect(await shown(seldom)).toEqual([row.requestId]);
  await callOften();
  await sumUp();
  expect(await daysOfKeys(scene.db, filterOf(unused))).toEqual([]);
  expect(await daysOfKeys(scene.db, filterOf(seldom))).toEqual([dayAgo(3)]);
  expect([await shown(seldom), await shown(unused)]).toEqual([[row.requestId], []]);

  const late = call(noon - 5 * dayMs, unused);
  await scene.commit(late);
  expect(await shown(unused)).toEqual([late.requestId]);
  await sumUp();
  expect(await shown(unused)).toEqual([late.requestId]);
});

test("calls of other keys are not read for those of one that made none", async () => {
  const filter = { ...filterOf(seldom), keyId: await makeKey("new") };
  const read = async () => {
    await scene.owner.query("vacuum analyze", []);
    return await blocksRead(scene.owner, async (tx) =>
      listUsage(tx, filter, { cursor: null, limit: 50, days: await daysOfKeys(tx, filter) }),
    );
  };
  await sumUp();
  const before = await read();
  for (let times = 0; times < 3; times += 1) {
    await callOften();
  }
  // Whether any call is in no sum yet is looked up from the last transaction of the log on: one call, as before.
  await scene.commit(call(noon));
  await sumUp();
  // The index entries of the 9,600 calls alone are more.
  expect(await read()).toBeLessThan(before + 15);
});
