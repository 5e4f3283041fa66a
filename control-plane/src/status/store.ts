import type { CreateIncidentInput, IncidentView, UpdateIncidentInput } from "@sluice/contracts/status";
import type { IncidentState } from "@sluice/contracts/status-states";
import { and, desc, eq, gt, inArray, isNull, or, sql } from "drizzle-orm";
import { clock, plusOne } from "../db/expressions.ts";
import {
  incident,
  incidentUpdate,
  usageKeyPerformance as ofKeys,
  usagePerformance as performance,
} from "../db/schema/performance.ts";
import type { Queryable, Transaction } from "../platform/db.ts";
import type { Ends } from "./model.ts";

const calls = (...kinds: readonly string[]) =>
  sql<number>`coalesce(sum(${performance.calls}) filter (where ${inArray(performance.kind, kinds as never)}), 0)::float8`;
const ends = { answered: calls("total", "left"), failed: calls("failed") };

export type DayEnds = Ends & { readonly model: string; readonly day: string };

/** How the calls of each model ended, on each of the last days in UTC. */
export async function readDays(db: Queryable, days: number): Promise<DayEnds[]> {
  return await db.drizzle
    .select({
      model: performance.model,
      day: sql<string>`(${performance.startsAt} at time zone 'utc')::date::text`,
      ...ends,
    })
    .from(performance)
    .where(
      and(
        eq(performance.grain, "day"),
        gt(performance.startsAt, sql`date_trunc('day', now(), 'UTC') - make_interval(days => ${days}::int)`),
      ),
    )
    .groupBy(performance.model, performance.startsAt);
}

/** How the latest calls of each model ended: those of this hour and the one before. */
export async function readNow(db: Queryable): Promise<(Ends & { readonly model: string })[]> {
  return await db.drizzle
    .select({ model: performance.model, ...ends })
    .from(performance)
    .where(and(eq(performance.grain, "hour"), gt(performance.startsAt, sql`now() - interval '2 hours'`)))
    .groupBy(performance.model);
}

export type BucketCalls = { readonly model: string; readonly bucket: number; readonly calls: number };

/** When the calls of each model began to be answered, in the last day. */
export async function readFirstBytes(db: Queryable): Promise<BucketCalls[]> {
  return await db.drizzle
    .select({
      model: performance.model,
      bucket: performance.bucket,
      calls: sql<number>`sum(${performance.calls})::float8`,
    })
    .from(performance)
    .where(
      and(
        eq(performance.grain, "hour"),
        eq(performance.kind, "first_byte"),
        gt(performance.startsAt, sql`now() - interval '24 hours'`),
      ),
    )
    .groupBy(performance.model, performance.bucket);
}

const incidentsMax = 100;
const updatesMax = 50;

/** Incidents with their updates, the newest first: all of the latest, or those that are open or resolved lately. */
export async function listIncidents(
  db: Queryable,
  which: { readonly resolvedDays: number | null },
): Promise<IncidentView[]> {
  const isShown =
    which.resolvedDays === null
      ? undefined
      : or(
          isNull(incident.resolvedAt),
          gt(incident.resolvedAt, sql`now() - make_interval(days => ${which.resolvedDays}::int)`),
        );
  const rows = await db.drizzle.select().from(incident).where(isShown).orderBy(desc(incident.id)).limit(incidentsMax);
  const updates =
    rows.length === 0
      ? []
      : await db.drizzle
          .select()
          .from(incidentUpdate)
          .where(
            inArray(
              incidentUpdate.incidentId,
              rows.map(({ id }) => id),
            ),
          )
          .orderBy(desc(incidentUpdate.id));
  return rows.map((row) => {
    const own = updates.filter(({ incidentId }) => incidentId === row.id);
    return {
      id: row.id,
      title: row.title,
      impact: row.impact,
      state: own[0]?.state ?? "investigating",
      models: row.models,
      started_at: row.startedAt,
      resolved_at: row.resolvedAt,
      version: row.version,
      updates: own.map(({ state, text, postedAt, postedByName }) => ({
        ...{ state, text },
        posted_at: postedAt,
        posted_by: postedByName,
      })),
    };
  });
}

export type Poster = { readonly adminId: bigint; readonly username: string };

export async function addIncident(
  tx: Transaction,
  { title, impact, models, state }: CreateIncidentInput,
): Promise<bigint> {
  const [row] = await tx.drizzle
    .insert(incident)
    .values({ title, impact, models: [...models], resolvedAt: state === "resolved" ? clock : null })
    .returning({ id: incident.id });
  if (row === undefined) {
    throw new Error("an incident was not added");
  }
  return row.id;
}

export type LockedIncident = Pick<IncidentView, "impact" | "version" | "resolved_at"> & { readonly updates: number };

export async function lockIncident(tx: Transaction, id: bigint): Promise<LockedIncident | null> {
  const [row] = await tx.drizzle
    .select({ impact: incident.impact, version: incident.version, resolved_at: incident.resolvedAt })
    .from(incident)
    .where(eq(incident.id, id))
    .for("update");
  const updates = await tx.drizzle.$count(incidentUpdate, eq(incidentUpdate.incidentId, id));
  return row === undefined ? null : { ...row, updates };
}

/** Whether an incident has as many updates as one may have. */
export const isFull = ({ updates }: LockedIncident): boolean => updates >= updatesMax;

/** @returns the new version */
export async function changeIncident(
  tx: Transaction,
  { incident_id, impact, state }: UpdateIncidentInput,
): Promise<number> {
  const [row] = await tx.drizzle
    .update(incident)
    .set({ impact, resolvedAt: state === "resolved" ? clock : null, version: plusOne(incident.version) })
    .where(eq(incident.id, incident_id))
    .returning({ version: incident.version });
  return row?.version ?? 0;
}

export async function addUpdate(
  tx: Transaction,
  update: { readonly incidentId: bigint; readonly state: IncidentState; readonly text: string },
  { adminId, username }: Poster,
): Promise<void> {
  await tx.drizzle.insert(incidentUpdate).values({ ...update, postedBy: adminId, postedByName: username });
}

/** Removes hours and days of keys that nobody is shown any more, and days from before more than a year. */
export async function removeOldPerformance(db: Queryable): Promise<void> {
  await db.drizzle
    .delete(performance)
    .where(
      or(
        and(eq(performance.grain, "hour"), sql`${performance.startsAt} < now() - interval '8 days'`),
        and(eq(performance.grain, "day"), sql`${performance.startsAt} < now() - interval '400 days'`),
      ),
    );
  await db.drizzle.delete(ofKeys).where(sql`${ofKeys.startsAt} < now() - interval '100 days'`);
}
