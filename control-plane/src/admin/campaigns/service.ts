import type { LandingInput } from "@sluice/contracts/analytics";
import { isbot } from "isbot";
import type { Database } from "../../platform/db.ts";
import { deleteOldEvents, insertLandingEvent, insertPaymentEvents, listUncounted, markCounted } from "./store.ts";

const deletedAtOnceMax = 5_000;
const countedAtOnceMax = 500;
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

/**
 * Writes down which campaigns the payments of newly settled orders come from, after the money is committed and apart from it.
 * Each order counts once: its event has its number, and only then is it marked as counted. Returns how many were looked at.
 */
export async function recordPayments(db: Database): Promise<number> {
  let counted = 0;
  for (let round = 0; round < roundsMax; round += 1) {
    const orders = await listUncounted(db, countedAtOnceMax);
    await insertPaymentEvents(db, orders);
    await markCounted(db, orders);
    counted += orders.length;
    if (orders.length < countedAtOnceMax) {
      break;
    }
  }
  return counted;
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
