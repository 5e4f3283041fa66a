import type { LandingInput } from "@sluice/contracts/analytics";
import { isbot } from "isbot";
import type { Database, Transaction } from "../platform/db.ts";
import { deleteOldEvents, insertLandingEvent, insertPaymentEvent } from "./store.ts";

const deletedAtOnceMax = 5_000;
const roundsMax = 100;

/**
 * Writes down what a public page reports. Of the sender only whether it calls itself a program is kept: neither its address
 * nor its name. Returns whether it counts as a visitor's.
 */
export async function recordLanding(db: Database, event: LandingInput, userAgent: string): Promise<boolean> {
  const isBot = userAgent === "" || isbot(userAgent);
  await insertLandingEvent(db, { ...event, isBot });
  return !isBot;
}

/** Writes down, in the transaction that settles an order, which campaign its payment comes from. Repeated, it does nothing. */
export async function recordPayment(tx: Transaction, orderId: bigint): Promise<void> {
  await insertPaymentEvent(tx, orderId);
}

/** Removes what is older than so many days, in pieces that hold nothing up; what is left over goes the next time. */
export async function forgetOldEvents(db: Database, days: number): Promise<number> {
  let forgotten = 0;
  for (let round = 0; round < roundsMax; round += 1) {
    const deleted = await deleteOldEvents(db, days, deletedAtOnceMax);
    forgotten += deleted;
    if (deleted < deletedAtOnceMax) {
      break;
    }
  }
  return forgotten;
}
