import { and, eq, inArray, sql } from "drizzle-orm";
import { now, plusOne, toJsonb } from "../../db/expressions.ts";
import { gatewayEvent as event } from "../../db/schema/billing.ts";
import { type Queryable, rowsWritten } from "../../platform/db.ts";
import type { GatewayNotice, NoticeResult } from "../gateways/model.ts";
import { factsOf, meaningOf } from "./notice-facts.ts";

export type StoredNotice = { readonly id: bigint; readonly contentHash: Uint8Array; readonly result: NoticeResult };

/** Records the message as received, with its first try; an existing one stays as it is. Returns whether it is new. */
export async function insertNotice(db: Queryable, notice: GatewayNotice): Promise<boolean> {
  const written = await db.drizzle
    .insert(event)
    .values({
      gateway: notice.gateway,
      account: notice.account,
      eventId: notice.eventId,
      kind: notice.eventKind,
      bodyHash: notice.contentHash,
      orderNo: notice.orderNo,
      result: "received",
      facts: toJsonb(factsOf(notice.meaning)),
      triedAt: now,
    })
    .onConflictDoNothing({ target: [event.gateway, event.account, event.eventId] });
  return rowsWritten(written) > 0;
}

export async function findNotice(db: Queryable, notice: GatewayNotice): Promise<StoredNotice | null> {
  const [row] = await db.drizzle
    .select({ id: event.id, contentHash: event.bodyHash, result: event.result })
    .from(event)
    .where(
      and(eq(event.gateway, notice.gateway), eq(event.account, notice.account), eq(event.eventId, notice.eventId)),
    );
  return row ?? null;
}

type KeptNotice = {
  /** Null for messages from before their meaning was stored. */
  readonly notice: GatewayNotice | null;
  readonly result: NoticeResult;
  /** How long ago it was last processed. */
  readonly triedSecondsAgo: number;
};

/** A message with its stored meaning, locked: nobody else can begin to process it again meanwhile. */
export async function lockNotice(tx: Queryable, id: bigint): Promise<KeptNotice | null> {
  const [row] = await tx.drizzle
    .select({
      gateway: event.gateway,
      account: event.account,
      eventId: event.eventId,
      eventKind: event.kind,
      orderNo: event.orderNo,
      contentHash: event.bodyHash,
      facts: event.facts,
      result: event.result,
      triedSecondsAgo: sql<number>`extract(epoch from clock_timestamp() - coalesce(${event.triedAt}, ${event.receivedAt}))::float8`,
    })
    .from(event)
    .where(eq(event.id, id))
    .for("update");
  if (row === undefined) {
    return null;
  }
  const { facts, result, triedSecondsAgo, ...kept } = row;
  return { notice: facts === null ? null : { ...kept, meaning: meaningOf(facts) }, result, triedSecondsAgo };
}

/** A message that was not dealt with for good. */
const isOpen = (id: bigint) =>
  and(eq(event.id, id), inArray(event.result, ["received", "unconfirmed", "unknown_order"]));

/** Counts another try of a message, unless the message was processed for good. */
export async function countTry(db: Queryable, id: bigint): Promise<void> {
  await db.drizzle
    .update(event)
    .set({ tries: plusOne(event.tries), triedAt: now })
    .where(isOpen(id));
}

/** A message that was processed for good stays so. */
export async function updateNoticeResult(db: Queryable, id: bigint, result: NoticeResult): Promise<void> {
  await db.drizzle.update(event).set({ result, lastError: null }).where(isOpen(id));
}

/** Records the error in which a try ended. */
export async function updateNoticeError(db: Queryable, id: bigint, code: string): Promise<void> {
  await db.drizzle.update(event).set({ lastError: code }).where(isOpen(id));
}
