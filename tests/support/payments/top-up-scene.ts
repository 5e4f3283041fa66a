import type { Decimal } from "@sluice/contracts/money";
import { askSetups, startTopUp } from "@sluice/control-plane/payments/top-ups/change-top-up.ts";
import type { TopUpDeps } from "@sluice/control-plane/payments/top-ups/model.ts";
import type { Buyer } from "./billing-scene.ts";
import { PaymentScene } from "./payment-scene.ts";

export const usd = (text: string): Decimal => text as Decimal;
export const placeOf = ({ userId }: Buyer) => ({ userId, organisationId: null });
/** Records nothing of a change. */
export const nothing = (): Promise<void> => Promise.resolve();
/** The gateway fails each request, whatever it is about. */
export const outage = (): Response => Response.json({ error: { type: "api_error" } }, { status: 500 });

type Wish = Partial<Parameters<typeof startTopUp>[2]>;

/** Automatic top-ups of buyers, at a scripted card gateway. */
export class TopUpScene {
  readonly payments: PaymentScene;

  constructor(payments: PaymentScene) {
    this.payments = payments;
  }

  static async create(): Promise<TopUpScene> {
    return new TopUpScene(await PaymentScene.create());
  }

  deps(): TopUpDeps {
    const { billing, payments, switchedOff } = this.payments;
    return {
      ...billing.deps,
      card: payments.card,
      rules: { isOffered: () => !switchedOff.has("cardpay"), billingUrl: "https://sluice.example/console/billing/" },
    };
  }

  /** Opens a set-up page. Returns the number of the top-up. */
  async start(buyer: Buyer, wish: Wish = {}): Promise<string> {
    const usual = { planCode: "credit", amountUsd: undefined, thresholdUsd: usd("2.00"), monthMaxUsd: usd("30.00") };
    const { topUp } = await startTopUp(this.deps(), placeOf(buyer), { ...usual, ...wish }, nothing);
    return topUp.topUpNo;
  }

  /** Somebody whose method is saved and whose balance is 0. */
  async saved(wish: Wish = {}): Promise<Buyer & { readonly topUpNo: string }> {
    const buyer = await this.payments.billing.addBuyer();
    const topUpNo = await this.start(buyer, wish);
    this.payments.card.saved.save(topUpNo);
    await askSetups(this.deps());
    return { ...buyer, topUpNo };
  }

  async stateOf({ userId }: Buyer): Promise<string> {
    const [row] = await this.payments.billing.db.sql<{ status: string; stop_reason: string | null }>`
      select status, stop_reason from auto_top_up where user_id = ${userId}::bigint order by id desc limit 1`;
    return [row?.status, row?.stop_reason].filter((text) => text != null).join(" ");
  }

  /** What each test begins with. */
  reset(): void {
    this.payments.card.override = null;
    this.payments.card.saved.bank = "succeeded";
  }

  /** Ends the top-ups of a test. Returns what `check_money()` finds. */
  async finish(): Promise<unknown[]> {
    const { billing } = this.payments;
    const faults = await billing.checkMoney();
    await billing.db.sql`update auto_top_up set status = 'removed', stop_reason = null, detached_at = now()`;
    return faults;
  }
}
