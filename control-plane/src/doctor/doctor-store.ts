import type { UpstreamSettings } from "@sluice/contracts/upstreams";
import { and, eq, sql } from "drizzle-orm";
import { channel, channelCredential } from "../db/schema/gateway-routing.ts";
import type { Queryable } from "../platform/db.ts";

export type ServerFacts = {
  readonly version: string;
  readonly versionNumber: number;
  readonly isDurable: boolean;
  readonly connectionsMax: number;
  readonly connectionsUsed: number;
  /** The server's clock. */
  readonly now: Date;
  /** The longest that a transaction has been open, in seconds. */
  readonly oldestTransactionSeconds: number;
};

export async function readServerFacts(db: Queryable): Promise<ServerFacts> {
  const [row] = await db.sql<ServerFacts>`
    select current_setting('server_version') as version, current_setting('server_version_num')::int as "versionNumber",
      current_setting('fsync')::boolean and current_setting('full_page_writes')::boolean as "isDurable",
      current_setting('max_connections')::int as "connectionsMax",
      (select count(*)::int from pg_stat_activity where backend_type = 'client backend') as "connectionsUsed",
      clock_timestamp() as now,
      coalesce((select extract(epoch from max(clock_timestamp() - xact_start))::float8 from pg_stat_activity
        where backend_type = 'client backend'), 0) as "oldestTransactionSeconds"`;
  if (row === undefined) {
    throw new Error("the server says nothing of itself");
  }
  return row;
}

/** Whether the functions that create the partitions of a day can do so, for this role; null without them. */
export async function mayCreatePartitions(db: Queryable, role: string): Promise<boolean | null> {
  const [row] = await db.sql<{ may: boolean }>`
    select has_function_privilege(${role}::text, p.oid, 'execute') and has_schema_privilege(p.proowner, 'public', 'create')
      and p.proowner = c.relowner as may
    from pg_proc p join pg_class c on c.oid = to_regclass('public.usage_log')
    where p.proname = 'ensure_day_partitions' and p.pronamespace = 'public'::regnamespace`;
  return row?.may ?? null;
}

export async function currentRole(db: Queryable): Promise<string> {
  const [row] = await db.sql<{ role: string }>`select current_user::text as role`;
  return row?.role ?? "";
}

/** Whether this login may create what the migrations create. */
export async function readCreation(
  db: Queryable,
): Promise<{ readonly role: string; readonly database: string; readonly mayCreate: boolean }> {
  const [row] = await db.sql<{ role: string; database: string; mayCreate: boolean }>`
    select current_user::text as role, current_database()::text as database,
      has_database_privilege(current_database(), 'create') and has_schema_privilege('public', 'create') as "mayCreate"`;
  if (row === undefined) {
    throw new Error("the server does not say who we are");
  }
  return row;
}

/** Takes a lock that only doctors take, and lets it go. */
export async function tryLock(db: Queryable): Promise<void> {
  await db.sql`select pg_try_advisory_xact_lock(hashtextextended('sluice doctor', 0))`;
}

/** How many migrations have been applied; null in a database that was never migrated. */
export async function countMigrations(db: Queryable): Promise<number | null> {
  const [table] = await db.sql<{ exists: boolean }>`
    select to_regclass('drizzle.__drizzle_migrations') is not null as exists`;
  if (table?.exists !== true) {
    return null;
  }
  const [row] = await db.sql<{ applied: number }>`
    select count(*)::int as applied from drizzle.__drizzle_migrations`;
  return row?.applied ?? 0;
}

export type CheckedChannel = {
  readonly id: bigint;
  readonly name: string;
  readonly upstream: UpstreamSettings;
  readonly credentialSealed: Uint8Array | null;
  /** The address that its name is not asked for; null if it is. */
  readonly pinnedAddress: string | null;
};

/** A credential that a channel's calls use. */
export type CheckedCredential = {
  readonly id: bigint;
  readonly channelId: bigint;
  readonly label: string;
  /** Null for the channel's own, which is stored with it. */
  readonly secretSealed: Uint8Array | null;
  readonly refusedReason: string | null;
};

/** The credentials of the channels that get calls, without those that are switched off. */
export async function listCheckedCredentials(db: Queryable): Promise<readonly CheckedCredential[]> {
  return await db.drizzle
    .select({
      id: channelCredential.id,
      channelId: channelCredential.channelId,
      label: channelCredential.label,
      secretSealed: channelCredential.secretSealed,
      refusedReason: channelCredential.refusedReason,
    })
    .from(channelCredential)
    .innerJoin(channel, eq(channel.id, channelCredential.channelId))
    .where(and(eq(channel.status, "enabled"), eq(channelCredential.status, "enabled")))
    .orderBy(channelCredential.id)
    .limit(2_000);
}

/** The channels that get calls, without those of exit nodes, which are watched by themselves. */
export async function listCheckedChannels(db: Queryable): Promise<readonly CheckedChannel[]> {
  return await db.drizzle
    .select({
      id: channel.id,
      name: channel.name,
      upstream: channel.upstream,
      credentialSealed: channel.credentialSealed,
      pinnedAddress: channel.pinnedAddress,
    })
    .from(channel)
    .where(and(eq(channel.status, "enabled"), sql`${channel.exitNodeCode} is null`))
    .orderBy(channel.id)
    .limit(200);
}

/** Whether the database can be reached, and was ever migrated. */
export async function readState(db: Queryable): Promise<"away" | "empty" | "migrated"> {
  const applied = await countMigrations(db).catch(() => "away" as const);
  return applied === "away" ? applied : (applied ?? 0) > 0 ? "migrated" : "empty";
}
