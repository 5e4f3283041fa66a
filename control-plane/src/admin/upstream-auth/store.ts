import type { ProfileEntry, SaveProfileInput } from "@sluice/contracts/upstream-auth";
import { aliasedTable, and, asc, eq, ne, notExists } from "drizzle-orm";
import { countOfRows, now, plusOne } from "../../db/expressions.ts";
import { upstreamAuthProfile as profile } from "../../db/schema/upstream-auth.ts";
import type { Queryable } from "../../platform/db.ts";

const entry = {
  id: profile.id,
  name: profile.name,
  provider: profile.provider,
  auth_type: profile.authType,
  status: profile.status,
  base_url: profile.baseUrl,
  model_scope: profile.modelScope,
  settings: profile.settings,
  credential_fields: profile.credentialFields,
  refresh_check: profile.refreshCheck,
  refresh_requested_at: profile.refreshRequestedAt,
  version: profile.version,
  created_at: profile.createdAt,
  updated_at: profile.updatedAt,
};

const toColumns = (input: SaveProfileInput) => ({
  name: input.name,
  provider: input.provider,
  authType: input.auth_type,
  status: input.status,
  baseUrl: input.base_url,
  modelScope: input.model_scope,
  settings: input.settings,
});

export async function listProfiles(db: Queryable): Promise<ProfileEntry[]> {
  return await db.drizzle.select(entry).from(profile).orderBy(asc(profile.name));
}

/** The profile, locked until the end of the transaction. */
export async function lockProfile(tx: Queryable, id: bigint): Promise<ProfileEntry | null> {
  const [row] = await tx.drizzle.select(entry).from(profile).where(eq(profile.id, id)).for("update");
  return row ?? null;
}

/** Serializes saves, since creating a profile counts the existing ones. */
export async function countProfiles(tx: Queryable): Promise<number> {
  await tx.sql`lock table upstream_auth_profile in share row exclusive mode`;
  const [row] = await tx.drizzle.select({ profiles: countOfRows }).from(profile);
  return row?.profiles ?? 0;
}

/** Creates a profile without a credential; null when the name is taken. */
export async function insertProfile(tx: Queryable, input: SaveProfileInput): Promise<bigint | null> {
  const [row] = await tx.drizzle
    .insert(profile)
    .values({ ...toColumns(input), credentialFields: [] })
    .onConflictDoNothing({ target: profile.name })
    .returning({ id: profile.id });
  return row?.id ?? null;
}

/** Changes a profile that the caller has locked; false when the name is taken by another. */
export async function updateProfile(tx: Queryable, id: bigint, input: SaveProfileInput): Promise<boolean> {
  const other = aliasedTable(profile, "other");
  const namesake = tx.drizzle
    .select({ id: other.id })
    .from(other)
    .where(and(eq(other.name, input.name), ne(other.id, id)));
  const rows = await tx.drizzle
    .update(profile)
    .set({ ...toColumns(input), version: plusOne(profile.version), updatedAt: now })
    .where(and(eq(profile.id, id), notExists(namesake)))
    .returning({ id: profile.id });
  return rows.length > 0;
}

/** Records where a credential is stored and which fields it has. */
export async function setCredential(
  tx: Queryable,
  id: bigint,
  { secret, fields }: { readonly secret: string; readonly fields: readonly string[] },
): Promise<void> {
  await tx.drizzle
    .update(profile)
    .set({ credentialSecret: secret, credentialFields: [...fields] })
    .where(eq(profile.id, id));
}

/** Marks a profile for manual attention; null if unknown. */
export async function markForRefresh(tx: Queryable, id: bigint): Promise<ProfileEntry | null> {
  const [row] = await tx.drizzle
    .update(profile)
    .set({
      refreshCheck: "pending_manual_connector",
      refreshRequestedAt: now,
      version: plusOne(profile.version),
      updatedAt: now,
    })
    .where(eq(profile.id, id))
    .returning(entry);
  return row ?? null;
}
