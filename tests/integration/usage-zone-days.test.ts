import { expect, test } from "bun:test";
import { createMissingPartitions } from "@sluice/control-plane/db/partitions.ts";
import { systemClock } from "@sluice/control-plane/platform/clock.ts";
import { rollUsageUp } from "@sluice/control-plane/usage/rollup/roll-up.ts";
import { UsageViews } from "@sluice/control-plane/usage/views/usage-views.ts";
import { SettlementScene } from "../support/usage/settlement-scene.ts";

/** The clocks of Havana went back on this day, from 1:00 to 0:00, so that it had two midnights: at 4:00 and 5:00 UTC. */
const day = "2026-11-01";
const dayBefore = "2026-10-31";
const zone = "America/Havana";

test("a page, a page of a key and a summary agree on a day that has two midnights", async () => {
  await using scene = await SettlementScene.create(1);
  await createMissingPartitions(scene.owner, "usage_log", [dayBefore, day]);
  const times = ["03:59:59.999", "04:00", "04:30", "05:00", "05:30"];
  const rows = times.map((time) =>
    scene.row(0, 10n, "1.0000", { startedAtMs: Date.parse(`${day}T${time}Z`), model: time }),
  );
  await scene.commit(...rows);
  const views = new UsageViews(scene.db, systemClock);
  const { gatewayUserId, apiKeyId } = scene.customer(0);
  const place = { gatewayUserId, onlyMemberId: null };
  const seen = async (of: string) => {
    const days = { from_day: of, to_day: of, zone };
    const page = await views.list(place, { ...days, limit: 50 });
    const ofKey = await views.list(place, { ...days, limit: 50, key_id: apiKeyId });
    const { total } = await views.summary(place, days);
    const timesOf = (found: typeof page) => found.rows.map(({ model }) => model ?? "").sort();
    return { page: timesOf(page), ofKey: timesOf(ofKey), calls: Number(total.calls) };
  };
  const expectAgreement = async () => {
    const [first, ...others] = times;
    expect(await seen(dayBefore)).toEqual({ page: [first ?? ""], ofKey: [first ?? ""], calls: 1 });
    expect(await seen(day)).toEqual({ page: others, ofKey: others, calls: others.length });
  };
  await expectAgreement();
  await scene.run();
  await rollUsageUp(scene.db, systemClock);
  await expectAgreement();
});
