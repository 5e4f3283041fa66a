import type { Queryable } from "../../platform/db.ts";

/** An older backup would lose too much to count as one. */
const backupDaysMax = 30;

export type SetupFacts = Readonly<
  Record<"has_provider" | "has_model" | "has_plan" | "has_backup" | "has_authenticator", boolean>
>;

/**
 * What the tables say. Channels of the sandbox and of exit nodes are not counted.
 * @param sandboxUrl where the addresses of the sandbox's channels begin; null if there is no sandbox
 */
export async function readFacts(db: Queryable, sandboxUrl: string | null): Promise<SetupFacts> {
  const [facts] = await db.query<SetupFacts>(
    `with provider as (
       select c.id from channel c
       where c.status = 'enabled' and c.archived_at is null and c.exit_node_code is null
         and not exists (
           select 1 from jsonb_each(c.upstream -> 'dialects') as dialect (name, settings)
           where $1::text is not null and starts_with(settings ->> 'base_url', $1::text)))
     select
       exists (select 1 from provider) as has_provider,
       exists (
         select 1 from ability a join provider p on p.id = a.channel_id join model m on m.name = a.model
         where a.is_enabled and m.status = 'enabled' and m.archived_at is null) as has_model,
       exists (select 1 from plan where status = 'active' and archived_at is null) as has_plan,
       exists (
         select 1 from audit_log where action = 'backup.make' and at > now() - make_interval(days => $2::int)) as has_backup,
       coalesce((select bool_and(totp_enabled_at is not null) from shared_admin_credentials where agent >= 2), false)
         as has_authenticator`,
    [sandboxUrl, backupDaysMax],
  );
  if (facts === undefined) {
    throw new Error("the facts of the set-up are one row");
  }
  return facts;
}
