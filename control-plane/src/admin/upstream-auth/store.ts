import type { ProfileEntry, SaveProfileInput } from "@sluice/contracts/upstream-auth";
import type { Queryable } from "../../platform/db.ts";
import { arrayLiteral } from "../../platform/db-array-literal.ts";

const columns = `id, name, provider, auth_type, status, base_url, model_scope, settings, credential_fields, refresh_check,
  refresh_requested_at, version, created_at, updated_at`;

export async function listProfiles(db: Queryable): Promise<ProfileEntry[]> {
  return await db.query<ProfileEntry>(`select ${columns} from upstream_auth_profile order by name`, []);
}

/** The profile, locked until the end of the transaction. */
export async function lockProfile(tx: Queryable, id: bigint): Promise<ProfileEntry | null> {
  const [row] = await tx.query<ProfileEntry>(
    `select ${columns} from upstream_auth_profile where id = $1::bigint for update`,
    [id],
  );
  return row ?? null;
}

/** Serializes saves, since creating a profile counts the existing ones. */
export async function countProfiles(tx: Queryable): Promise<number> {
  await tx.sql`lock table upstream_auth_profile in share row exclusive mode`;
  const [row] = await tx.sql<{ profiles: number }>`select count(*)::integer as profiles from upstream_auth_profile`;
  return row?.profiles ?? 0;
}

/** Creates a profile without a credential; null when the name is taken. */
export async function insertProfile(tx: Queryable, profile: SaveProfileInput): Promise<bigint | null> {
  const [row] = await tx.sql<{ id: bigint }>`
    insert into upstream_auth_profile (name, provider, auth_type, status, base_url, model_scope, settings,
      credential_fields)
    values (${profile.name}, ${profile.provider}, ${profile.auth_type}, ${profile.status}, ${profile.base_url},
      ${arrayLiteral(profile.model_scope)}::text[], ${JSON.stringify(profile.settings)}::text::jsonb, '{}')
    on conflict (name) do nothing returning id`;
  return row?.id ?? null;
}

/** Changes a profile that the caller has locked; false when the name is taken by another. */
export async function updateProfile(tx: Queryable, id: bigint, profile: SaveProfileInput): Promise<boolean> {
  const rows = await tx.sql`
    update upstream_auth_profile set name = ${profile.name}, provider = ${profile.provider},
      auth_type = ${profile.auth_type}, status = ${profile.status}, base_url = ${profile.base_url},
      model_scope = ${arrayLiteral(profile.model_scope)}::text[],
      settings = ${JSON.stringify(profile.settings)}::text::jsonb, version = version + 1, updated_at = now()
    where id = ${id}::bigint
      and not exists (select 1 from upstream_auth_profile o where o.name = ${profile.name} and o.id <> ${id}::bigint)
    returning 1`;
  return rows.length > 0;
}

/** Records where a credential is stored and which fields it has. */
export async function setCredential(
  tx: Queryable,
  id: bigint,
  { secret, fields }: { readonly secret: string; readonly fields: readonly string[] },
): Promise<void> {
  await tx.sql`
    update upstream_auth_profile set credential_secret = ${secret}, credential_fields = ${arrayLiteral(fields)}::text[]
    where id = ${id}::bigint`;
}

/** Marks a profile as needing a person; null when there is no such profile. */
export async function markForRefresh(tx: Queryable, id: bigint): Promise<ProfileEntry | null> {
  const [row] = await tx.query<ProfileEntry>(
    `update upstream_auth_profile set refresh_check = 'pending_manual_connector', refresh_requested_at = now(),
       version = version + 1, updated_at = now()
     where id = $1::bigint returning ${columns}`,
    [id],
  );
  return row ?? null;
}
