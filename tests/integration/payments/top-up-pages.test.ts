import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "bun:test";
import { askSetups, removeTopUp } from "@sluice/control-plane/payments/top-ups/change-top-up.ts";
import { chargeTopUps } from "@sluice/control-plane/payments/top-ups/charge-top-up.ts";
import type { PaymentScene } from "../../support/payments/payment-scene.ts";
import { nothing, outage, placeOf, TopUpScene } from "../../support/payments/top-up-scene.ts";

let scene: PaymentScene;
let topUps: TopUpScene;
const hour = 3_600_000;

beforeAll(async () => {
  topUps = await TopUpScene.create();
  scene = topUps.payments;
});

beforeEach(() => topUps.reset());

afterEach(async () => {
  expect(await topUps.finish()).toEqual([]);
});

afterAll(async () => {
  await scene[Symbol.asyncDispose]();
});

describe("a set-up page that is not finished in time leaves no method at the gateway", () => {
  /** The next answer of the gateway to a request on this path is lost, after it has done what was asked. */
  const loseAnswer = (part: string): void => {
    scene.card.override = (request) => {
      const answer = scene.card.saved.answer(request, scene.card.url);
      if (request.path.includes(part)) {
        scene.card.override = null;
        return outage();
      }
      return answer ?? new Response(null, { status: 404 });
    };
  };
  const forgotten = async (topUpNo: string): Promise<boolean> => {
    const [row] = await scene.billing.db.sql<{ is_forgotten: boolean }>`
      select detached_at is not null as is_forgotten from auto_top_up where top_up_no = ${topUpNo}`;
    return row?.is_forgotten ?? false;
  };

  test("when another page replaces it: it is closed, and what was saved on it before is detached", async () => {
    const buyer = await scene.billing.addBuyer();
    const unused = await topUps.start(buyer);
    const finished = await topUps.start(buyer);
    expect(scene.card.saved.statusOf(unused)).toBe("expired");
    const method = scene.card.saved.save(finished);
    const current = await topUps.start(buyer);
    expect(scene.card.saved.detached).toContain(method);
    expect([await forgotten(unused), await forgotten(finished), await forgotten(current)]).toEqual([true, true, false]);
    const kept = scene.card.saved.save(current);
    await askSetups(topUps.deps());
    expect([await topUps.stateOf(buyer), scene.card.saved.detached.includes(kept)]).toEqual(["on", false]);
  });

  test("when the gateway does not answer then: a job asks until it has, once for each method", async () => {
    const buyer = await scene.billing.addBuyer();
    const first = await topUps.start(buyer);
    const method = scene.card.saved.save(first);
    scene.card.override = (request) =>
      request.path.includes(first)
        ? outage()
        : (scene.card.saved.answer(request, scene.card.url) ?? new Response(null, { status: 404 }));
    await topUps.start(buyer);
    await askSetups(topUps.deps());
    expect([await forgotten(first), scene.card.saved.detached.includes(method)]).toEqual([false, false]);
    loseAnswer("/detach");
    await askSetups(topUps.deps());
    expect([await forgotten(first), scene.card.saved.detached.includes(method)]).toEqual([false, true]);
    await askSetups(topUps.deps());
    expect(await forgotten(first)).toBe(true);
    const asked = scene.card.requests.filter(({ path }) => path.includes(first)).length;
    await askSetups(topUps.deps());
    expect(scene.card.requests.filter(({ path }) => path.includes(first))).toHaveLength(asked);
    expect(scene.card.saved.detached.filter((id) => id === method)).toEqual([method]);
  });

  test("when it is replaced while its method is being read", async () => {
    const buyer = await scene.billing.addBuyer();
    const first = await topUps.start(buyer);
    const method = scene.card.saved.save(first);
    scene.card.override = async (request) => {
      scene.card.override = null;
      // Another tab starts again before the answer arrives.
      await scene.billing.db.sql`update auto_top_up set status = 'abandoned' where top_up_no = ${first}`;
      return scene.card.saved.answer(request, scene.card.url) ?? new Response(null, { status: 404 });
    };
    await askSetups(topUps.deps());
    expect([await topUps.stateOf(buyer), await forgotten(first)]).toEqual(["abandoned", true]);
    expect(scene.card.saved.detached).toContain(method);
  });

  test("when its day is over: it is closed, unless it was finished just before", async () => {
    const [unused, finished, lost] = await Promise.all([1, 2, 3].map(() => scene.billing.addBuyer()));
    if (unused === undefined || finished === undefined || lost === undefined) {
      throw new Error("three buyers");
    }
    const [unusedNo, finishedNo, lostNo] = [
      await topUps.start(unused),
      await topUps.start(finished),
      await topUps.start(lost),
    ];
    const method = scene.card.saved.save(finishedNo);
    scene.card.saved.lose(lostNo);
    await askSetups(topUps.deps(), new Date(Date.now() + 25 * hour));
    expect([await topUps.stateOf(unused), await topUps.stateOf(finished), await topUps.stateOf(lost)]).toEqual([
      ...["abandoned", "on", "abandoned"],
    ]);
    expect(scene.card.saved.statusOf(unusedNo)).toBe("expired");
    expect([await forgotten(unusedNo), await forgotten(lostNo)]).toEqual([true, true]);
    expect(scene.card.saved.detached).not.toContain(method);
  });

  test("when its customer removes it, or has closed the account, before the method was read", async () => {
    const [removing, closing] = [await scene.billing.addBuyer(), await scene.billing.addBuyer()];
    const methods = [await topUps.start(removing), await topUps.start(closing)].map((topUpNo) =>
      scene.card.saved.save(topUpNo),
    );
    await removeTopUp(topUps.deps(), placeOf(removing), nothing);
    await scene.billing.db.sql`update user_profile set status = 'closed' where id = ${closing.userId}::bigint`;
    await chargeTopUps(topUps.deps());
    await askSetups(topUps.deps());
    expect([await topUps.stateOf(removing), await topUps.stateOf(closing)]).toEqual(["abandoned", "abandoned"]);
    expect(scene.card.saved.detached).toEqual(expect.arrayContaining(methods));
    await scene.billing.db.sql`update user_profile set status = 'active' where id = ${closing.userId}::bigint`;
  });
});
