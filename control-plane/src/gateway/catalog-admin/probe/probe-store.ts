import type { ChannelId } from "@sluice/contracts/ids";
import { and, asc, eq, isNotNull, isNull, or, sql } from "drizzle-orm";
import { clock } from "../../../db/expressions.ts";
import { channel, channelProbe } from "../../../db/schema/gateway-routing.ts";
import type { Queryable } from "../../../platform/db.ts";

export type DueProbe = { readonly id: ChannelId; readonly name: string; readonly model: string | null };

/** The job runs once a minute, a little later each time. */
const slackSeconds = 20;

/** Channels whose next test is due, the longest waiting first. */
export async function listDueProbes(db: Queryable, most: number): Promise<DueProbe[]> {
  const isDue = sql`${channelProbe.probedAt} <= now() + make_interval(secs => ${slackSeconds}::int)
    - make_interval(mins => ${channel.probeMinutes})`;
  const rows = await db.drizzle
    .select({ id: channel.id, name: channel.name, model: channel.probeModel })
    .from(channel)
    .leftJoin(channelProbe, eq(channelProbe.channelId, channel.id))
    .where(
      and(eq(channel.status, "enabled"), isNotNull(channel.probeMinutes), or(isNull(channelProbe.probedAt), isDue)),
    )
    .orderBy(sql`${channelProbe.probedAt} nulls first`, asc(channel.id))
    .limit(most);
  return rows as DueProbe[];
}

export type ProbeResult = Pick<
  typeof channelProbe.$inferSelect,
  "model" | "isOk" | "httpStatus" | "latencyMs" | "error"
>;

export type ProbeState = { readonly failedInRow: number; readonly isRested: boolean };

/** What earlier tests of a channel led to, locked until the transaction ends. */
export async function lockProbeState(tx: Queryable, id: ChannelId): Promise<ProbeState> {
  const [row] = await tx.drizzle
    .select({ failedInRow: channelProbe.failedInRow, restedAt: channelProbe.restedAt })
    .from(channelProbe)
    .where(eq(channelProbe.channelId, id))
    .for("update");
  return { failedInRow: row?.failedInRow ?? 0, isRested: (row?.restedAt ?? null) !== null };
}

/** @param state what this test leads to */
export async function saveProbe(tx: Queryable, id: ChannelId, result: ProbeResult, state: ProbeState): Promise<void> {
  const { failedInRow, isRested } = state;
  const restedAt = isRested ? sql`coalesce(${channelProbe.restedAt}, now())` : null;
  const seen = { ...result, probedAt: clock, failedInRow };
  await tx.drizzle
    .insert(channelProbe)
    .values({ channelId: id, ...seen, restedAt: isRested ? clock : null })
    .onConflictDoUpdate({ target: channelProbe.channelId, set: { ...seen, restedAt } });
}
