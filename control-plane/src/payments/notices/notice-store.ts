import { type Queryable, rowsWritten } from "../../platform/db.ts";
import type { GatewayNotice, NoticeResult } from "../gateways/model.ts";
import { factsOf, meaningOf } from "./notice-facts.ts";

export type StoredNotice = { readonly id: bigint; readonly contentHash: Uint8Array; readonly result: NoticeResult };

/** Records the message as received, with its first try; an existing one stays as it is. Returns whether it is new. */
export async function insertNotice(db: Queryable, notice: GatewayNotice): Promise<boolean> {
  const facts = JSON.stringify(factsOf(notice.meaning));
  const written = await db.sql`
    insert into gateway_event (gateway, account, event_id, kind, body_hash, order_no, result, facts, tried_at)
    values (${notice.gateway}, ${notice.account}, ${notice.eventId}, ${notice.eventKind}, ${notice.contentHash},
      ${notice.orderNo}, 'received', ${facts}::text::jsonb, now())
    on conflict (gateway, account, event_id) do nothing`;
  return rowsWritten(written) > 0;
}

export async function findNotice(db: Queryable, notice: GatewayNotice): Promise<StoredNotice | null> {
  const [row] = await db.sql<StoredNotice>`
    select id, body_hash as "contentHash", result from gateway_event
    where gateway = ${notice.gateway} and account = ${notice.account} and event_id = ${notice.eventId}`;
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
  const [row] = await tx.sql<{
    gateway: GatewayNotice["gateway"];
    account: string;
    eventId: string;
    eventKind: string;
    orderNo: string | null;
    contentHash: Uint8Array;
    facts: unknown;
    result: NoticeResult;
    triedSecondsAgo: number;
  }>`
    select gateway, account, event_id as "eventId", kind as "eventKind", order_no as "orderNo", body_hash as "contentHash",
      facts, result, extract(epoch from clock_timestamp() - coalesce(tried_at, received_at))::float8 as "triedSecondsAgo"
    from gateway_event where id = ${id}::bigint for update`;
  if (row === undefined) {
    return null;
  }
  const { facts, result, triedSecondsAgo, ...said } = row;
  return { notice: facts === null ? null : { ...said, meaning: meaningOf(facts) }, result, triedSecondsAgo };
}

/** Counts another try of a message, unless it was processed for good. */
export async function countTry(db: Queryable, id: bigint): Promise<void> {
  await db.sql`
    update gateway_event set tries = tries + 1, tried_at = now()
    where id = ${id}::bigint and result in ('received', 'unconfirmed', 'unknown_order')`;
}

/** A message that was processed for good stays so. */
export async function updateNoticeResult(db: Queryable, id: bigint, result: NoticeResult): Promise<void> {
  await db.sql`
    update gateway_event set result = ${result}, last_error = null
    where id = ${id}::bigint and result in ('received', 'unconfirmed', 'unknown_order')`;
}

/** Records the error in which a try ended. */
export async function updateNoticeError(db: Queryable, id: bigint, code: string): Promise<void> {
  await db.sql`
    update gateway_event set last_error = ${code}
    where id = ${id}::bigint and result in ('received', 'unconfirmed', 'unknown_order')`;
}
