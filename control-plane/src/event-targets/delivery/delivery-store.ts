import type { TargetKind } from "@sluice/contracts/event-types";
import { and, eq, inArray, lt, sql } from "drizzle-orm";
import { ago, now, plusOne } from "../../db/expressions.ts";
import { event, eventAttempt, eventDelivery, eventTarget } from "../../db/schema/events.ts";
import { type Queryable, rowsWritten, type Transaction } from "../../platform/db.ts";
import type { SentEvent } from "./describe-event.ts";

/** A delivery that this process holds until its lease ends, and the target, which no other process calls meanwhile. */
export type ClaimedDelivery = {
  readonly id: bigint;
  /** Counts the claims since it was queued; only its current holder knows the current number. */
  readonly attempts: number;
  readonly event: SentEvent;
  readonly target: {
    readonly id: bigint;
    readonly gatewayUserId: bigint | null;
    readonly kind: TargetKind;
    readonly name: string;
    readonly sealName: string;
    readonly accessSealed: Uint8Array;
    readonly isOldSecretValid: boolean;
    readonly failures: number;
    readonly failingSince: Date | null;
  };
};

type Row = {
  id: bigint;
  attempts: number;
  count: number;
  event_id: bigint;
  public_id: string;
  type: string;
  occurred_at: Date;
  data: Record<string, unknown>;
  user_id: bigint | null;
  target_id: bigint;
  gateway_user_id: bigint | null;
  kind: TargetKind;
  name: string;
  seal_name: string;
  access_sealed: Uint8Array;
  is_old_secret_valid: boolean;
  failures: number;
  failing_since: Date | null;
};

/**
 * Claims the next delivery of the target that has waited longest for one, the operator's first. A target is held by one
 * process at a time, and each holds few, so that a slow one delays only its own deliveries.
 */
export async function claimDelivery(db: Queryable, leaseSeconds: number): Promise<ClaimedDelivery | null> {
  const [row] = await db.sql<Row>`
    with free as (
      select t.id from event_target t
      where t.status = 'active' and coalesce(t.busy_until <= now(), true) and coalesce(t.paused_until <= now(), true)
        and exists (select from event_delivery d where d.target_id = t.id and d.status in ('queued', 'sending')
          and d.next_attempt_at <= now())
      order by t.gateway_user_id is not null, t.last_attempt_at nulls first, t.id
      limit 1 for no key update skip locked
    ), held as (
      update event_target t set busy_until = now() + make_interval(secs => ${leaseSeconds}::int), last_attempt_at = now()
      from free where t.id = free.id returning t.*
    ), due as (
      select d.id from event_delivery d join free on d.target_id = free.id
      where d.status in ('queued', 'sending') and d.next_attempt_at <= now()
      order by d.next_attempt_at, d.id limit 1
    ), claimed as (
      update event_delivery d set status = 'sending', attempts = attempts + 1, merge_key = null,
        next_attempt_at = now() + make_interval(secs => ${leaseSeconds}::int)
      from due where d.id = due.id returning d.*
    )
    select c.id, c.attempts, c.count, e.id as event_id, e.public_id, e.type, e.occurred_at, e.data, p.id as user_id, t.id as target_id,
      t.gateway_user_id, t.kind, t.name, t.seal_name, t.access_sealed, coalesce(t.old_secret_until > now(), false) as is_old_secret_valid,
      t.failures, t.failing_since
    from claimed c join held t on t.id = c.target_id join event e on e.id = c.event_id
    left join user_profile p on p.gateway_user_id = e.gateway_user_id and t.gateway_user_id is null`;
  return row === undefined ? null : fromRow(row);
}

function fromRow(row: Row): ClaimedDelivery {
  return {
    id: row.id,
    attempts: row.attempts,
    event: {
      id: row.event_id,
      publicId: row.public_id,
      type: row.type,
      occurredAt: row.occurred_at,
      data: row.data,
      userId: row.user_id,
      count: row.count,
    },
    target: {
      id: row.target_id,
      gatewayUserId: row.gateway_user_id,
      kind: row.kind,
      name: row.name,
      sealName: row.seal_name,
      accessSealed: row.access_sealed,
      isOldSecretValid: row.is_old_secret_valid,
      failures: row.failures,
      failingSince: row.failing_since,
    },
  };
}

export type Attempt = {
  readonly at: Date;
  readonly httpStatus: number | null;
  readonly durationMs: number;
  /** Null for a success. */
  readonly error: string | null;
  readonly responseStart: string;
};

/** Locks a target before its deliveries, as everything does that writes both. @returns false if it was removed */
export async function holdTarget(tx: Transaction, id: bigint): Promise<boolean> {
  const rows = await tx.drizzle
    .select({ id: eventTarget.id })
    .from(eventTarget)
    .where(eq(eventTarget.id, id))
    .for("no key update");
  return rows.length > 0;
}

/** @returns false, with nothing written, when another process holds the delivery by now */
export async function markDelivery(
  tx: Transaction,
  { id, attempts }: ClaimedDelivery,
  attempt: Attempt,
  next: { readonly status: "delivered" | "failed" } | { readonly status: "queued"; readonly waitMs: number },
): Promise<boolean> {
  const written = await tx.drizzle
    .update(eventDelivery)
    .set({ status: next.status, ...(next.status === "queued" ? { nextAttemptAt: inMs(next.waitMs) } : {}) })
    .where(and(eq(eventDelivery.id, id), eq(eventDelivery.status, "sending"), eq(eventDelivery.attempts, attempts)));
  if (rowsWritten(written) === 0) {
    return false;
  }
  await tx.drizzle.insert(eventAttempt).values({ deliveryId: id, ...attempt });
  return true;
}

/** The target may get the next delivery, or, after a failure, only when a pause is over. */
export async function freeTarget(
  tx: Transaction,
  id: bigint,
  outcome: { readonly isOk: true } | { readonly isOk: false; readonly pauseMs: number },
): Promise<void> {
  const seen = outcome.isOk
    ? { failures: 0, failingSince: null, pausedUntil: null }
    : {
        failures: plusOne(eventTarget.failures),
        failingSince: sql`coalesce(${eventTarget.failingSince}, now())`,
        pausedUntil: inMs(outcome.pauseMs),
      };
  await tx.drizzle
    .update(eventTarget)
    .set({ ...seen, busyUntil: null })
    .where(eq(eventTarget.id, id));
}

/** Switches a target off that is still active, and ends what waits for it. @returns whether it was active */
export async function failTarget(tx: Transaction, id: bigint): Promise<boolean> {
  const written = await tx.drizzle
    .update(eventTarget)
    .set({ status: "failed", version: plusOne(eventTarget.version), updatedAt: now })
    .where(and(eq(eventTarget.id, id), eq(eventTarget.status, "active")));
  if (rowsWritten(written) === 0) {
    return false;
  }
  await endWaiting(tx, id);
  return true;
}

/** Ends the deliveries that wait for a target. */
export async function endWaiting(tx: Transaction, targetId: bigint): Promise<void> {
  await tx.drizzle
    .update(eventDelivery)
    .set({ status: "failed", mergeKey: null })
    .where(and(eq(eventDelivery.targetId, targetId), inArray(eventDelivery.status, ["queued", "sending"])));
}

/** A chat has another number now. */
export async function moveTarget(
  tx: Transaction,
  id: bigint,
  to: { accessSealed: Uint8Array; place: string },
): Promise<void> {
  await tx.drizzle
    .update(eventTarget)
    .set({ ...to, updatedAt: now })
    .where(eq(eventTarget.id, id));
}

/** Removes old events with their deliveries and attempts, at most so many. @returns how many */
export async function deleteOldEvents(db: Queryable, days: number, atOnceMax: number): Promise<number> {
  const old = db.drizzle
    .select({ id: event.id })
    .from(event)
    .where(lt(event.occurredAt, ago(days, "days")))
    .orderBy(event.occurredAt)
    .limit(atOnceMax)
    .for("update", { skipLocked: true });
  return rowsWritten(await db.drizzle.delete(event).where(inArray(event.id, old)));
}

const inMs = (ms: number) => sql<Date>`now() + make_interval(secs => ${ms / 1_000}::float8)`;
