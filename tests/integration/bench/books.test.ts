import { afterAll, beforeAll, expect, test } from "bun:test";
import { systemClock } from "@sluice/control-plane/platform/clock.ts";
import { rollUsageUp } from "@sluice/control-plane/usage/rollup/roll-up.ts";
import { settleNextRows } from "@sluice/control-plane/usage/settlement/settlement-store.ts";
import { workOnShards } from "@sluice/control-plane/usage/shards.ts";
import { auditBooks, moneyFaults } from "../../bench/books/audit.ts";
import { Callers } from "../../bench/books/callers.ts";
import { FakeProvider } from "../../bench/relay/load/provider.ts";
import { SluiceRig } from "../../support/service/sluice.ts";
import { waitUntilSettleable } from "../../support/usage/settlement-scene.ts";

const provider = new FakeProvider();
let rig: SluiceRig;
let callers: Callers;

beforeAll(async () => {
  rig = await SluiceRig.create(`http://127.0.0.1:${provider.port}`);
  for (const multiplier of ["1", "2.75"]) {
    const { gatewayUserId } = await rig.addUser();
    await rig.db.sql`
      update gateway_user set rate_multiplier = ${multiplier}::numeric where id = ${gatewayUserId}::bigint`;
  }
  const service = await rig.startProcess();
  callers = new Callers({
    port: Number(new URL(service.url).port),
    apiKeys: rig.users.map(({ apiKey }) => apiKey),
    connections: 4,
    streamEvery: 5,
    callsMax: 40,
    untilServed: () => Promise.reject(new Error("the service does not end in this test")),
  });
  await callers.run();
  await service.stop();
});

afterAll(async () => {
  await rig.close();
  provider.stop();
});

const audit = async () => await auditBooks(rig.db, rig.users, callers.seen);

test("the books of calls are right once all are settled, and not before", async () => {
  expect((await audit()).faults.join("\n")).toContain("rows, and those that are settled");
  await waitUntilSettleable(rig.db);
  await workOnShards(
    async (shard) => (await settleNextRows(rig.db, { rowsMax: 1_000, isReconciled: false, shard })).outcome,
    () => false,
  );
  await rollUsageUp(rig.db, systemClock);
  const { faults, totals } = await audit();
  expect(faults).toEqual([]);
  expect(await moneyFaults(rig.db)).toEqual([]);
  // 32 whole responses of 60 quota and 8 streams of 46.
  expect([totals.rows, totals.quota]).toEqual([40n, 2_288n]);
});

test("a response without a row, a row that nobody called for and a lost trace are found", async () => {
  const [one, other] = callers.seen;
  if (one === undefined || other === undefined) {
    throw new Error("there are two users");
  }
  const [ofOne, ofOther] = [one, other].map(({ answered }) => answered.whole + answered.stream) as [number, number];
  one.answered.whole += 1;
  // A refused call may have a row; the second row is nobody's.
  other.answered.stream -= 2;
  other.refused += 1;
  await rig.db.sql`
    delete from trace_record where request_id = (select request_id from usage_log order by request_id limit 1)`;
  const faults = (await audit()).faults.join("\n");
  expect(faults).toContain(`${ofOne} rows of ${ofOne + 1} calls, 0 cut off and 0 refused`);
  expect(faults).toContain(`${ofOther} rows of ${ofOther - 2} calls, 0 cut off and 1 refused`);
  expect(faults).toMatch(new RegExp(`rows, and traces: (${ofOne}, ${ofOne - 1}|${ofOther}, ${ofOther - 1})\\b`));
  await rig.db.sql`update budget set used = used + 1 where id = (select min(id) from budget)`;
  expect((await moneyFaults(rig.db)).join("\n")).toContain("check_money: ");
});
