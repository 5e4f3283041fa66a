import type { Queryable } from "../platform/db.ts";
import type { GatewayNotice, NoticeResult } from "./model.ts";

export type StoredNotice = { readonly id: bigint; readonly contentHash: Uint8Array; readonly result: NoticeResult };

/** Writes the message down as received; one that came before stays as it is. */
export async function insertNotice(db: Queryable, notice: GatewayNotice): Promise<void> {
  await db.sql`
    insert into gateway_event (gateway, account, event_id, kind, body_hash, order_no, result)
    values (${notice.gateway}, ${notice.account}, ${notice.eventId}, ${notice.eventKind}, ${notice.contentHash},
      ${notice.orderNo}, 'received')
    on conflict (gateway, account, event_id) do nothing`;
}

export async function findNotice(db: Queryable, notice: GatewayNotice): Promise<StoredNotice | null> {
  const [row] = await db.sql<StoredNotice>`
    select id, body_hash as "contentHash", result from gateway_event
    where gateway = ${notice.gateway} and account = ${notice.account} and event_id = ${notice.eventId}`;
  return row ?? null;
}

/** What was dealt with for good stays so. */
export async function updateNoticeResult(db: Queryable, id: bigint, result: NoticeResult): Promise<void> {
  await db.sql`
    update gateway_event set result = ${result}
    where id = ${id}::bigint and result in ('received', 'unconfirmed', 'unknown_order')`;
}
