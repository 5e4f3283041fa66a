import type { LandingInput } from "@sluice/contracts/analytics";
import { isbot } from "isbot";
import type { Database } from "../../platform/db.ts";
import { inRounds } from "../../platform/in-rounds.ts";
import { deleteOldEvents, insertLandingEvent, insertPaymentEvents, listUncounted, markCounted } from "./store.ts";

const deleteRounds = { atOnceMax: 5_000, roundsMax: 100 };
const countRounds = { atOnceMax: 500, roundsMax: 100 };

/**
 * Records what a public page reports. It stores neither the sender's address nor the name of its program, only whether
 * it identifies itself as a bot. Returns whether the report counts as a visitor's.
 */
export async function recordLanding(db: Database, event: LandingInput, userAgent: string): Promise<boolean> {
  const isBot = userAgent === "" || isbot(userAgent);
  await insertLandingEvent(db, { ...event, isBot });
  return !isBot;
}

/**
 * Records which campaigns the payments of newly settled orders come from, separately, after the money is committed.
 * Each order counts once: its event has its number, and only then is it marked as counted. Returns how many were
 * checked.
 */
export async function recordPayments(db: Database): Promise<number> {
  return await inRounds(countRounds, async (atOnceMax) => {
    const orders = await listUncounted(db, atOnceMax);
    await insertPaymentEvents(db, orders);
    await markCounted(db, orders);
    return orders.length;
  });
}

/** Removes events older than this many days. */
export async function forgetOldEvents(db: Database, days: number): Promise<number> {
  return await inRounds(deleteRounds, (atOnceMax) => deleteOldEvents(db, days, atOnceMax));
}
