import { afterAll, beforeAll, expect, test } from "bun:test";
import { join } from "node:path";
import { BillingScene, type Buyer } from "../support/payments/billing-scene.ts";
import type { StormArguments } from "../support/payments/billing-storm.ts";
import { testRandom, testSeed } from "../support/values/test-seed.ts";

const random = testRandom();
const isFull = process.env["TEST_FULL"] === "1";
const processes = 4;
const steps = isFull ? 1_500 : 80;
/** Processes beside the four that end by SIGKILL, at any point. */
const killed = isFull ? 60 : 8;
const program = join(import.meta.dir, "../support/payments/billing-storm.ts");

let scene: BillingScene;

beforeAll(async () => {
  scene = await BillingScene.create();
});

afterAll(async () => {
  await scene[Symbol.asyncDispose]();
});

async function placeOrders(buyers: readonly Buyer[]): Promise<StormArguments["orders"]> {
  const orders: { orderNo: string; claimCode: string | null }[] = [];
  for (let index = 0; index < 24; index += 1) {
    const planCode = ["credit", "monthly", "other-month"][index % 3] ?? "credit";
    const buyer = buyers[index % buyers.length];
    const userId = index % 4 === 0 ? null : (buyer?.userId ?? null);
    const email = index % 8 === 0 ? (buyer?.email ?? null) : null;
    const { order, claimCode } = await scene.place({ planCode, userId, email });
    orders.push({ orderNo: order.orderNo, claimCode });
  }
  return orders;
}

async function blow(
  storm: StormArguments,
): Promise<{ code: number; errors: string; refusals: Record<string, number> }> {
  const child = Bun.spawn([process.execPath, program, JSON.stringify(storm)], {
    stdin: "ignore",
    stdout: "pipe",
    stderr: "pipe",
  });
  const [text, errors, code] = await Promise.all([child.stdout.text(), child.stderr.text(), child.exited]);
  return { code, errors, refusals: code === 0 ? (JSON.parse(text) as Record<string, number>) : {} };
}

/** One after the other, each killed at a random moment while it is at work. */
async function killSome(storm: StormArguments): Promise<number> {
  let signals = 0;
  for (let index = 0; index < killed; index += 1) {
    const argument = JSON.stringify({ ...storm, steps: 100_000, seed: storm.seed + 1_000 + index });
    const child = Bun.spawn([process.execPath, program, argument], {
      stdin: "ignore",
      stdout: "ignore",
      stderr: "ignore",
    });
    await Bun.sleep(300 + random() * 500);
    child.kill("SIGKILL");
    await child.exited;
    signals += child.signalCode === "SIGKILL" ? 1 : 0;
  }
  return signals;
}

test(
  "whatever four processes do to the same orders and users at once, even if others are killed, every money invariant holds",
  async () => {
    const seed = testSeed;
    const buyers = [await scene.addBuyer(), await scene.addBuyer(), await scene.addBuyer()];
    const storm = {
      url: scene.url,
      steps,
      orders: await placeOrders(buyers),
      buyers: buyers.map(({ userId, gatewayUserId }) => ({
        userId: userId.toString(),
        gatewayUserId: gatewayUserId.toString(),
      })),
    };
    const [kills, ...ends] = await Promise.all([
      killSome({ ...storm, seed }),
      ...Array.from({ length: processes }, (_, index) => blow({ ...storm, seed: seed + index })),
    ]);
    expect(kills).toBe(killed);
    expect({ seed, errors: ends.filter(({ code }) => code !== 0).map(({ errors }) => errors) }).toEqual({
      seed,
      errors: [],
    });
    expect({ seed, violations: await scene.checkMoney() }).toEqual({ seed, violations: [] });
    // A storm without settlements and refusals would prove nothing.
    expect(await scene.count("payment")).toBeGreaterThan(5);
    expect(ends.some(({ refusals }) => Object.keys(refusals).length > 0)).toBe(true);
  },
  isFull ? 180_000 : 60_000,
);
