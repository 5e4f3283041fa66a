import { eq, like } from "drizzle-orm";
import { eventCondition } from "../db/schema/events.ts";
import { type Queryable, rowsWritten, type Transaction } from "../platform/db.ts";
import type { NewEvent } from "./model.ts";

/** More than this may not wait for one target. */
const waitingMax = 1_000;
/** People get at most one message per cause in this time. */
const quietMinutes = 10;

/**
 * Writes an event, and a delivery for each target that wants it; nothing if there is none. A message to people joins
 * the one about the same cause that still waits, and one that follows another too soon waits.
 * @returns how many targets get it
 */
export async function insertEvent(tx: Transaction, event: NewEvent): Promise<number> {
  const { type, gatewayUserId, cause, data } = event;
  const [row] = await tx.sql<{ queued: number }>`
    with target as (
      select t.id, t.kind <> 'webhook' as merges,
        (select count(*) from (select from event_delivery d where d.target_id = t.id and d.status in ('queued', 'sending')
          limit ${waitingMax}::int) w) < ${waitingMax}::int as has_room
      from event_target t
      where t.status = 'active' and ${type} = any (t.events)
        and (t.gateway_user_id is null or t.gateway_user_id = ${gatewayUserId}::bigint)
    ), made as (
      insert into event (type, gateway_user_id, cause, data)
      select ${type}, ${gatewayUserId}::bigint, ${cause}, ${JSON.stringify(data)}::text::jsonb
      where exists (select from target) returning id
    ), dropped as (
      update event_target set dropped = dropped + 1 where id in (select id from target where not has_room)
    ), due as (
      select t.id, t.merges, case when t.merges then (
        select max(d.due_at) + make_interval(mins => ${quietMinutes}::int) from event_delivery d join event e on e.id = d.event_id
        where e.cause = ${cause} and d.target_id = t.id
      ) end as earliest
      from target t where t.has_room
    ), queued as (
      insert into event_delivery (target_id, event_id, merge_key, due_at, next_attempt_at)
      select due.id, made.id, case when merges then ${cause} end, greatest(now(), earliest), greatest(now(), earliest)
      from due cross join made order by due.id
      on conflict (target_id, merge_key) do update set event_id = excluded.event_id, count = event_delivery.count + 1
      returning 1
    )
    select count(*)::integer as queued from queued`;
  return row?.queued ?? 0;
}

/** @returns false if it held already */
export async function beginCondition(tx: Queryable, name: string): Promise<boolean> {
  return rowsWritten(await tx.drizzle.insert(eventCondition).values({ name }).onConflictDoNothing()) > 0;
}

/** @returns false if it did not hold */
export async function endCondition(tx: Queryable, name: string): Promise<boolean> {
  return rowsWritten(await tx.drizzle.delete(eventCondition).where(eq(eventCondition.name, name))) > 0;
}

/** The conditions that hold and whose names begin with this. */
export async function findConditions(db: Queryable, prefix: string): Promise<string[]> {
  const rows = await db.drizzle
    .select({ name: eventCondition.name })
    .from(eventCondition)
    .where(like(eventCondition.name, `${prefix}%`));
  return rows.map(({ name }) => name);
}
