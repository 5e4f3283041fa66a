import type { GatewayUserId } from "@sluice/contracts/ids";
import { createApiKey } from "@sluice/control-plane/gateway/keys/create-key.ts";
import { setQuotaLimit } from "@sluice/control-plane/gateway/keys/key-quota.ts";
import type { Database } from "@sluice/control-plane/platform/db.ts";

/** Members of the first organisation with every role, budgets and keys, and addresses that were invited. */
export async function fillOrganisation(db: Database): Promise<void> {
  await db.sql`
    insert into organisation_member (organisation_id, user_id, role)
    select 1, id, case when email like 'user-%' then 'admin' else 'member' end from user_profile
    where email = 'user-9@example.org' or email like '5.maximiliane%'`;
  const [organisation] = await db.sql<{ gateway_user_id: GatewayUserId }>`
    select gateway_user_id from organisation where id = 1`;
  const members = await db.sql<{
    id: bigint;
  }>`select id from organisation_member where organisation_id = 1 order by id`;
  const [project] = await db.sql<{ id: bigint }>`
    select id from organisation_project where organisation_id = 1 and status = 'active'`;
  if (organisation === undefined || project === undefined) {
    throw new Error("organisation 1 has no project");
  }
  await db.withTransaction(async (tx) => {
    await setQuotaLimit(tx, { projectId: project.id }, { quota: 100_000_000n, period: "monthly" });
    for (const [index, { id }] of members.entries()) {
      await createApiKey(tx, organisation.gateway_user_id, `key ${index + 1}`);
      if (index > 1) {
        await setQuotaLimit(tx, { memberId: id }, { quota: 25_000_000n * BigInt(index), period: "monthly" });
      }
      await tx.sql`
        update api_key set member_id = ${id}::bigint, project_id = ${index % 2 === 0 ? project.id : null}::bigint
        where gateway_user_id = ${organisation.gateway_user_id}::bigint and name = ${`key ${index + 1}`}`;
    }
    await tx.sql`
      update budget set used = granted / 3 * 2 where project_id = ${project.id}::bigint
        or member_id in (select id from organisation_member where organisation_id = 1)`;
    await tx.sql`
      insert into organisation_invitation (organisation_id, email, role, token_hash, invited_by_id, expires_at)
      select 1, email, role, sha256(email::bytea), (select user_id from organisation_member where organisation_id = 1 order by id limit 1),
        now() + interval '6 days'
      from (values ('new.colleague@hohenstein.example', 'member'), ('accounting@hohenstein.example', 'billing')) i (email, role)`;
  });
}
