import type { SecretEntry } from "@sluice/contracts/secrets";
import type { Queryable } from "../../platform/db.ts";

/** Stores the encrypted value under the name; returns its version, 1 for a new name. */
export async function upsertSecret(db: Queryable, name: string, sealed: Uint8Array): Promise<number> {
  const [row] = await db.sql<{ version: number }>`
    insert into secret (name, sealed) values (${name}, ${sealed})
    on conflict (name) do update set sealed = excluded.sealed, version = secret.version + 1, updated_at = now()
    returning version`;
  return row?.version ?? 0;
}

export async function findSecret(db: Queryable, name: string): Promise<Uint8Array | null> {
  const [row] = await db.sql<{ sealed: Uint8Array }>`select sealed from secret where name = ${name}`;
  return row?.sealed ?? null;
}

export async function selectSecrets(db: Queryable): Promise<SecretEntry[]> {
  return await db.sql<SecretEntry>`
    select s.name, s.version, s.created_at, s.updated_at, (
        select a.actor_name from audit_log a
        where a.subject_kind = 'secret' and a.subject_id = s.name and a.action = 'secret.save'
          and a.after->>'version' = s.version::text
        order by a.id desc limit 1
      ) as set_by
    from secret s order by s.name`;
}
