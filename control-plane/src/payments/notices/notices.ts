import type { CardSender } from "@sluice/contracts/payments";
import { isDatabaseOutage } from "../../platform/db-errors.ts";
import { AppError } from "../../platform/errors.ts";
import { type GatewayNotice, isFinished, type NoticeResult, type PaidFacts, type Reversal } from "../gateways/model.ts";
import type { Payments } from "../gateways/payment-gateways.ts";
import { reversalMark } from "../model.ts";
import type { BillingDeps } from "../port.ts";
import type { Renewals } from "../renewals/apply-renewal.ts";
import { flagReversal } from "../settle/reversal-store.ts";
import { settlePaid } from "../settle/settle-paid.ts";
import { closeNotice, failNotice, type KnownNotice, recordNotice } from "./record-notice.ts";

/**
 * The gateways' messages. A message with a valid signature is recorded, processed, and only then acknowledged; each
 * step is a separate transaction, and a repeated message continues where its last delivery stopped.
 */
export class GatewayNotices {
  readonly #billing: BillingDeps;
  readonly #payments: Payments;
  readonly #renewals: Pick<Renewals, "take">;

  constructor(billing: BillingDeps, payments: Payments, renewals: Pick<Renewals, "take">) {
    this.#billing = billing;
    this.#payments = payments;
    this.#renewals = renewals;
  }

  /**
   * @throws AppError for a message that is refused; `order_not_found` and `payment_unconfirmed` for one that may be
   * valid later; `temporarily_unavailable` when it has to be sent again
   */
  async takeWalletNotice(bytes: Uint8Array, contentType: string | null): Promise<NoticeResult> {
    const result = await this.#take(() => this.#payments.wallet.readNotice(bytes, contentType));
    if (result === "unknown_order") {
      throw new AppError("order_not_found");
    }
    if (result === "unconfirmed") {
      throw new AppError("payment_unconfirmed");
    }
    return result;
  }

  /** @throws AppError for a message that is refused; `temporarily_unavailable` when it has to be sent again */
  async takeCardNotice(sender: CardSender, bytes: Uint8Array, signature: string | null): Promise<NoticeResult> {
    return await this.#take(() => this.#payments.card.readNotice(sender, bytes, signature));
  }

  /**
   * Processes a recorded message again, like its first delivery. Its signature was checked then; whether its account
   * takes test or real money is checked again.
   * @param id of the message, whose try `reopenNotice` has counted
   * @throws AppError as those above, when it can't be processed now either
   */
  async takeAgain(id: bigint, notice: GatewayNotice): Promise<NoticeResult> {
    return await this.#orRefuse(async () => await this.#deal({ id, result: "received" }, await this.#asOfNow(notice)));
  }

  /** An account that was used for tests may take real money by now. */
  async #asOfNow(notice: GatewayNotice): Promise<GatewayNotice> {
    const { gateway, account, meaning } = notice;
    if (gateway !== "cardpay" || (meaning.kind !== "paid" && meaning.kind !== "renewal")) {
      return notice;
    }
    const isSameMode = meaning.isLive === (await this.#payments.card.isLive(account));
    return isSameMode ? notice : { ...notice, meaning: { kind: "wrong_mode" } };
  }

  async #take(read: () => Promise<GatewayNotice>): Promise<NoticeResult> {
    return await this.#orRefuse(async () => {
      const notice = await read();
      return await this.#deal(await this.#record(notice), notice);
    });
  }

  async #orRefuse(work: () => Promise<NoticeResult>): Promise<NoticeResult> {
    try {
      return await work();
    } catch (error) {
      if (error instanceof AppError && error.code === "gateway_not_configured") {
        throw new AppError("webhook_not_configured", { internal: error.internal });
      }
      throw isDatabaseOutage(error) ? new AppError("temporarily_unavailable", { cause: error }) : error;
    }
  }

  async #record(notice: GatewayNotice): Promise<KnownNotice> {
    return await recordNotice(this.#billing.db, notice).catch((error: unknown) => {
      if (error instanceof AppError && error.code === "event_conflict") {
        this.#alarm("event_conflict", notice);
      }
      throw error;
    });
  }

  async #deal({ id, result: known }: KnownNotice, notice: GatewayNotice): Promise<NoticeResult> {
    const { db, log } = this.#billing;
    if (isFinished(known)) {
      return known;
    }
    try {
      const result = await this.#effectOf(notice);
      await closeNotice(db, id, result);
      return result;
    } catch (error) {
      const isOutage = isDatabaseOutage(error);
      const code = error instanceof AppError ? error.code : isOutage ? "temporarily_unavailable" : "internal_error";
      // The first error is reported to the gateway, not a failure to record it.
      await failNotice(db, id, code).catch((second: unknown) => {
        log.warn("payments.error_not_recorded", { eventId: notice.eventId, code, error: second });
      });
      throw error;
    }
  }

  async #effectOf(notice: GatewayNotice): Promise<NoticeResult> {
    const { meaning } = notice;
    switch (meaning.kind) {
      case "other":
        return "ignored";
      case "wrong_mode":
        this.#alarm("wrong_mode", notice);
        return "wrong_mode";
      case "reversal":
        return await this.#flag(notice, meaning);
      case "paid":
        return await this.#settle(notice, meaning.paid);
      case "renewal":
        return await orAgain(() => this.#renewals.take(notice.account, meaning.hint));
    }
  }

  async #flag(
    notice: GatewayNotice,
    meaning: { readonly transactionId: string | null; readonly what: Reversal },
  ): Promise<NoticeResult> {
    const { gateway, orderNo, eventKind } = notice;
    const reason = `${reversalMark}: ${eventKind}`;
    const { transactionId, what } = meaning;
    const flagged = await this.#billing.db.withTransaction((tx) =>
      flagReversal(tx, { gateway, orderNo, transactionId, what, reason }),
    );
    // The gateway's messages about our own refunds bring nothing new.
    if (flagged === null && what.kind !== "dispute") {
      return "ignored";
    }
    this.#alarm("reversal", notice);
    // A dispute may come before its payment, which it then marks; processed again, it is known as done.
    return flagged === null ? "unknown_order" : "flagged";
  }

  async #settle(notice: GatewayNotice, paid: PaidFacts): Promise<NoticeResult> {
    if (notice.gateway === "walletpay" && !(await this.#isConfirmed(paid))) {
      this.#alarm("unconfirmed", notice);
      return "unconfirmed";
    }
    const { gateway, account } = notice;
    return await settlePaid(this.#billing, { gateway, account, ...paid });
  }

  /** This call stays outside of any transaction, because it waits for an external server. */
  async #isConfirmed(paid: PaidFacts): Promise<boolean> {
    return await orAgain(async () => (await this.#payments.wallet.confirm(paid)) !== "differs");
  }

  #alarm(reason: string, { gateway, account, eventId, eventKind, orderNo }: GatewayNotice): void {
    this.#billing.log.error("payments.alarm", { reason, gateway, account, eventId, eventKind, orderNo });
  }
}

/** Runs work that asks the gateway: if it does not answer, the message has to be sent again. */
async function orAgain<Result>(work: () => Promise<Result>): Promise<Result> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof AppError && error.code === "payment_gateway_failed") {
      throw new AppError("temporarily_unavailable", { cause: error, internal: error.internal });
    }
    throw error;
  }
}
