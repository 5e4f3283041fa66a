import type { UserId } from "@sluice/contracts/ids";
import type { MailQueue } from "../mail/model.ts";
import type { Database } from "../platform/db.ts";
import type { Log } from "../platform/log.ts";
import type { RefundGateway } from "./gateways/port.ts";
import type { PaymentGateway } from "./model.ts";

export type BillingDeps = {
  readonly db: Database;
  readonly log: Log;
  readonly mail: MailQueue;
};

/** What refunds need: the gateways that can send money back. */
export type RefundDeps = Pick<BillingDeps, "db" | "log"> & {
  readonly gateways: Readonly<Record<Exclude<PaymentGateway, "mock" | "code">, RefundGateway>>;
};

/** Keeps anonymous orders apart, and limits them. */
export interface GuestOrders {
  /** @throws AppError `too_many_attempts` with the seconds to wait */
  count(ip: string): Promise<void>;
  /** The origin of an order: an address, or its network. */
  networkOf(ip: string): string;
}

/** Counts attempts to redeem a code before they are made. */
export interface CodeAttempts {
  /** @throws AppError `too_many_attempts` with the seconds to wait */
  begin(userId: UserId, ip: string): Promise<{ succeeded(): Promise<void> }>;
}

/** Counts the pages that a user asks for to save a payment method. @throws AppError `too_many_attempts` */
export type CountSetupPage = (userId: UserId) => Promise<void>;

/** The points of a settlement at which a process may crash. */
export type FaultPoint =
  | "after_lock"
  | "after_payment"
  | "after_ledger"
  | "after_balance"
  | "after_invoice"
  | "before_commit"
  | "after_commit"
  | "before_reply";

/** Called at each of these points. The product passes none; crash tests pass one that kills the process. */
export type FaultInjector = (point: FaultPoint) => void | Promise<void>;
