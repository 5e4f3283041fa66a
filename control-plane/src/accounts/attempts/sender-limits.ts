import { addressGroup } from "../../platform/client-address.ts";
import type { Database } from "../../platform/db.ts";
import { type Attempt, beginRedemption, countFromAddress, countFromNetwork, countSetupPage } from "./attempts.ts";

/** Counts anonymous orders by the address they come from. */
export function guestOrders(db: Database): {
  readonly count: (ip: string) => Promise<void>;
  readonly networkOf: (ip: string) => string;
} {
  return { count: (ip) => countFromAddress(db, "order", ip), networkOf: addressGroup };
}

/** Counts attempts to redeem codes. */
export function redemptionAttempts(db: Database): { readonly begin: (userId: bigint, ip: string) => Promise<Attempt> } {
  return { begin: (userId, ip) => beginRedemption(db, userId, ip) };
}

/** Counts the pages that users ask for to save a payment method. */
export function setupPages(db: Database): (userId: bigint) => Promise<void> {
  return async (userId) => countSetupPage(db, userId);
}

/**
 * Counts leads by sender, so that no sender uses up the shared limit.
 * @returns a function that throws AppError `too_many_attempts`
 */
export function leadSenders(db: Database): (ip: string) => Promise<void> {
  return async (ip) => {
    await countFromAddress(db, "lead", ip);
    await countFromNetwork(db, "lead", ip);
  };
}
