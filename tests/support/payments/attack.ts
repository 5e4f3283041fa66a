import { expect } from "bun:test";
import type { Order, PayChannel } from "@sluice/control-plane/payments/model.ts";
import type { Buyer } from "./billing-scene.ts";
import type { PaymentScene } from "./payment-scene.ts";

export type Target = {
  readonly scene: PaymentScene;
  readonly buyer: Buyer;
  /** Waits for a payment of 10.00 USD. */
  readonly order: Order;
};

/** Something that a gateway never sent, or that is not about this order, or not true. */
export type Attack = {
  readonly what: string;
  readonly status: number;
  /** The code of the error, the result for the card gateway, or the word for the wallet gateway. */
  readonly answer: string;
  /** The outcome for the order; it stays pending by default. */
  readonly order?: "pending" | "review";
  readonly run: (target: Target) => Promise<Response>;
};

async function answerOf(response: Response): Promise<string> {
  const text = await response.text();
  if (!text.startsWith("{")) {
    return text;
  }
  const body = JSON.parse(text) as { error?: { code?: string }; result?: string };
  return body.error?.code ?? body.result ?? text;
}

/** Runs the attack on a fresh order and proves that it had no effect on anyone's money. */
export async function withstand(scene: PaymentScene, attack: Attack, channel: PayChannel): Promise<void> {
  const { billing } = scene;
  const buyer = await billing.addBuyer();
  const order = await billing.placeFor(buyer, "credit", channel);
  const before = [
    await billing.count("ledger_posting"),
    await billing.count("payment"),
    await billing.count("mail_log"),
  ];
  const response = await attack.run({ scene, buyer, order });
  expect([response.status, await answerOf(response)]).toEqual([attack.status, attack.answer]);
  const after = [
    await billing.count("ledger_posting"),
    await billing.count("payment"),
    await billing.count("mail_log"),
  ];
  expect(after).toEqual(before);
  expect(await billing.balance(buyer)).toBe(0n);
  expect((await billing.order(order.orderNo)).status).toBe(attack.order ?? "pending");
  expect(await billing.checkMoney()).toEqual([]);
}
