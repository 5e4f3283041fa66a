import type { AttemptView, TargetView } from "@sluice/contracts/event-targets";
import type { EventType, TargetKind } from "@sluice/contracts/event-types";
import type { GatewayUserId } from "@sluice/contracts/ids";
import { mayInOrganisation, organisationRoles } from "@sluice/contracts/organisation-rights";
import { and, asc, count, desc, eq, gt, inArray, isNull, lt, sql } from "drizzle-orm";
import { ago, fromNow, isAnyOf, isSet, now, plusOne } from "../db/expressions.ts";
import { userProfile as profile } from "../db/schema/accounts.ts";
import { eventDelivery as delivery, event, eventAttempt, eventTarget as target } from "../db/schema/events.ts";
import { organisationMember as member, organisation } from "../db/schema/organisations.ts";
import type { Queryable, Transaction } from "../platform/db.ts";
import type { SentEvent } from "./delivery/describe-event.ts";

/** Whose targets: an account's, or the operator's (null). */
export type TargetOwner = { readonly gatewayUserId: GatewayUserId | null };

const belongsTo = ({ gatewayUserId }: TargetOwner) =>
  gatewayUserId === null ? isNull(target.gatewayUserId) : eq(target.gatewayUserId, gatewayUserId);

const view = {
  target_id: target.id,
  kind: target.kind,
  name: target.name,
  place: target.place,
  events: target.events,
  status: target.status,
  failing_since: target.failingSince,
  last_attempt_at: target.lastAttemptAt,
  old_secret_until: target.oldSecretUntil,
  dropped: target.dropped,
  version: target.version,
  created_at: target.createdAt,
};

export type StoredTarget = {
  readonly view: TargetView;
  readonly sealName: string;
  readonly accessSealed: Uint8Array;
};

export async function selectTargets(db: Queryable, owner: TargetOwner): Promise<TargetView[]> {
  return await db.drizzle.select(view).from(target).where(belongsTo(owner)).orderBy(asc(target.id));
}

export async function countTargets(tx: Queryable, owner: TargetOwner): Promise<number> {
  const [row] = await tx.drizzle.select({ targets: count() }).from(target).where(belongsTo(owner));
  return row?.targets ?? 0;
}

export async function hasTarget(db: Queryable, owner: TargetOwner, id: bigint): Promise<boolean> {
  const rows = await db.drizzle
    .select({ id: target.id })
    .from(target)
    .where(and(eq(target.id, id), belongsTo(owner)));
  return rows.length > 0;
}

/** A target of its owner, locked until the transaction ends. */
export async function lockTarget(tx: Transaction, owner: TargetOwner, id: bigint): Promise<StoredTarget | null> {
  const [row] = await tx.drizzle
    .select({ ...view, sealName: target.sealName, accessSealed: target.accessSealed })
    .from(target)
    .where(and(eq(target.id, id), belongsTo(owner)))
    .for("no key update");
  if (row === undefined) {
    return null;
  }
  const { sealName, accessSealed, ...shown } = row;
  return { view: shown, sealName, accessSealed };
}

export async function insertTarget(
  tx: Transaction,
  { gatewayUserId }: TargetOwner,
  made: {
    readonly kind: TargetKind;
    readonly name: string;
    readonly place: string;
    readonly events: readonly EventType[];
    readonly sealName: string;
    readonly accessSealed: Uint8Array;
  },
): Promise<TargetView> {
  const [row] = await tx.drizzle
    .insert(target)
    .values({ ...made, events: [...made.events], gatewayUserId })
    .returning(view);
  if (row === undefined) {
    throw new Error("the target of events was not inserted");
  }
  return row;
}

export type TargetChange = {
  readonly kind?: TargetKind;
  readonly name?: string;
  readonly place?: string;
  readonly events?: readonly EventType[];
  readonly status?: "active" | "off";
  readonly accessSealed?: Uint8Array;
  /** How many hours the secret from before still signs. */
  readonly oldSecretHours?: number;
};

/** Changes a locked target. One that is switched on starts without earlier failures. */
export async function updateTarget(tx: Transaction, id: bigint, change: TargetChange): Promise<TargetView> {
  const { oldSecretHours, events, ...rest } = change;
  const [row] = await tx.drizzle
    .update(target)
    .set({
      ...rest,
      ...(events === undefined ? {} : { events: [...events] }),
      ...(oldSecretHours === undefined ? {} : { oldSecretUntil: fromNow(oldSecretHours, "hours") }),
      ...(change.status === "active" ? { failures: 0, failingSince: null, pausedUntil: null } : {}),
      version: plusOne(target.version),
      updatedAt: now,
    })
    .where(eq(target.id, id))
    .returning(view);
  if (row === undefined) {
    throw new Error(`target ${id} is gone`);
  }
  return row;
}

/** Removes a target with its deliveries. */
export async function deleteTarget(tx: Transaction, id: bigint): Promise<void> {
  await tx.drizzle.delete(target).where(eq(target.id, id));
}

/** The tests of a target in the last hour. */
export async function countTests(tx: Queryable, targetId: bigint): Promise<number> {
  const [row] = await tx.drizzle
    .select({ tests: count() })
    .from(delivery)
    .innerJoin(event, eq(event.id, delivery.eventId))
    .where(and(eq(delivery.targetId, targetId), eq(event.type, "test"), gt(delivery.createdAt, ago(1, "hours"))));
  return row?.tests ?? 0;
}

/** The tests of all targets of an owner in the last hour, those of removed ones too. */
export async function countTestsOf(tx: Queryable, { gatewayUserId }: TargetOwner): Promise<number> {
  const isOfOwner = gatewayUserId === null ? isNull(event.gatewayUserId) : eq(event.gatewayUserId, gatewayUserId);
  const [row] = await tx.drizzle
    .select({ tests: count() })
    .from(event)
    .where(and(isOfOwner, eq(event.type, "test"), gt(event.occurredAt, ago(1, "hours"))));
  return row?.tests ?? 0;
}

/** Queues a test for one target. */
export async function insertTest(tx: Transaction, owner: TargetOwner, targetId: bigint): Promise<bigint> {
  const [made] = await tx.drizzle
    .insert(event)
    .values({ type: "test", gatewayUserId: owner.gatewayUserId, cause: `test:${targetId}`, data: {} })
    .returning({ id: event.id });
  const [queued] =
    made === undefined
      ? []
      : await tx.drizzle.insert(delivery).values({ targetId, eventId: made.id }).returning({ id: delivery.id });
  if (queued === undefined) {
    throw new Error("the test was not queued");
  }
  return queued.id;
}

export type StoredDelivery = {
  readonly id: bigint;
  readonly status: "queued" | "sending" | "delivered" | "failed";
  readonly createdAt: Date;
  readonly nextAttemptAt: Date;
  readonly replays: number;
  readonly targetId: bigint;
  readonly event: SentEvent;
};

const deliveryColumns = {
  id: delivery.id,
  status: delivery.status,
  createdAt: delivery.createdAt,
  nextAttemptAt: delivery.nextAttemptAt,
  replays: delivery.replays,
  targetId: delivery.targetId,
  event: {
    id: event.id,
    publicId: event.publicId,
    type: event.type,
    occurredAt: event.occurredAt,
    data: sql<SentEvent["data"]>`${event.data}`,
    userId: sql<bigint | null>`case when ${target.gatewayUserId} is null then ${profile.id} end`,
    count: delivery.count,
  },
};

const fromDeliveries = (db: Queryable) =>
  db.drizzle
    .select(deliveryColumns)
    .from(delivery)
    .innerJoin(target, eq(target.id, delivery.targetId))
    .innerJoin(event, eq(event.id, delivery.eventId))
    .leftJoin(profile, eq(profile.gatewayUserId, event.gatewayUserId));

/** The deliveries of a target, newest first. */
export async function selectDeliveries(
  db: Queryable,
  owner: TargetOwner,
  { targetId, before, limit }: { readonly targetId: bigint; readonly before: bigint | null; readonly limit: number },
): Promise<StoredDelivery[]> {
  return await fromDeliveries(db)
    .where(
      and(belongsTo(owner), eq(delivery.targetId, targetId), before === null ? undefined : lt(delivery.id, before)),
    )
    .orderBy(desc(delivery.id))
    .limit(limit);
}

/** A delivery of the owner's, locked until the transaction ends. */
export async function lockDelivery(tx: Transaction, owner: TargetOwner, id: bigint): Promise<StoredDelivery | null> {
  const [row] = await fromDeliveries(tx)
    .where(and(belongsTo(owner), eq(delivery.id, id)))
    .for("update", { of: delivery });
  return row ?? null;
}

/** The target of a delivery of the owner's. */
export async function findTargetOf(tx: Queryable, owner: TargetOwner, deliveryId: bigint): Promise<bigint | null> {
  const [row] = await tx.drizzle
    .select({ id: target.id })
    .from(delivery)
    .innerJoin(target, eq(target.id, delivery.targetId))
    .where(and(belongsTo(owner), eq(delivery.id, deliveryId)));
  return row?.id ?? null;
}

/** Puts a delivery that has ended back into the queue, as if it were new. */
export async function requeueDelivery(tx: Transaction, id: bigint): Promise<void> {
  await tx.drizzle
    .update(delivery)
    .set({ status: "queued", attempts: 0, nextAttemptAt: now, replays: plusOne(delivery.replays) })
    .where(eq(delivery.id, id));
}

/** All attempts at these deliveries, oldest first, by delivery. */
export async function selectAttempts(db: Queryable, ids: readonly bigint[]): Promise<Map<bigint, AttemptView[]>> {
  const rows = await db.drizzle
    .select({
      deliveryId: eventAttempt.deliveryId,
      at: eventAttempt.at,
      http_status: eventAttempt.httpStatus,
      duration_ms: eventAttempt.durationMs,
      error: eventAttempt.error,
      response_start: eventAttempt.responseStart,
    })
    .from(eventAttempt)
    .where(isAnyOf(eventAttempt.deliveryId, ids))
    .orderBy(asc(eventAttempt.id));
  const found = new Map<bigint, AttemptView[]>();
  for (const { deliveryId, ...attempt } of rows) {
    const known = found.get(deliveryId);
    if (known === undefined) {
      found.set(deliveryId, [attempt]);
    } else {
      known.push(attempt);
    }
  }
  return found;
}

const managers = organisationRoles.filter((role) => mayInOrganisation(role, "webhooks"));

export type OwnerMail = { readonly userId: bigint; readonly email: string; readonly locale: string };

/**
 * Where those who manage the webhooks of an account read mail: its owner, or of an organisation the members whose role has
 * the right. Nobody for a closed account.
 */
export async function findOwnerMails(db: Queryable, gatewayUserId: bigint): Promise<OwnerMail[]> {
  const columns = { userId: profile.id, email: profile.email, locale: profile.locale };
  const reads = and(eq(profile.status, "active"), isSet(profile.emailVerifiedAt));
  const own = await db.drizzle
    .select(columns)
    .from(profile)
    .where(and(eq(profile.gatewayUserId, gatewayUserId), reads));
  const ofMembers = await db.drizzle
    .select(columns)
    .from(organisation)
    .innerJoin(member, and(eq(member.organisationId, organisation.id), isNull(member.leftAt)))
    .innerJoin(profile, eq(profile.id, member.userId))
    .where(and(eq(organisation.gatewayUserId, gatewayUserId), inArray(member.role, managers), reads));
  return [...own, ...ofMembers];
}
