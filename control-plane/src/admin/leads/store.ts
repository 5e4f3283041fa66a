import { defaultCampaign } from "@sluice/contracts/analytics";
import type { CreateLeadInput, LeadEntry, SaveLeadInput } from "@sluice/contracts/leads";
import type { Queryable } from "../../platform/db.ts";

const columns = "id, company, contact, email, volume, message, campaign, status, note, version, created_at, updated_at";

export async function insertLead(db: Queryable, lead: CreateLeadInput): Promise<void> {
  await db.sql`
    insert into enterprise_lead (company, contact, email, volume, message, campaign)
    values (${lead.company}, ${lead.contact}, ${lead.email}, ${lead.volume}, ${lead.message},
      ${lead.campaign ?? defaultCampaign})`;
}

/** How many recent leads there are: from this address within a day, and from everyone within an hour. */
export async function countRecentLeads(
  db: Queryable,
  email: string,
): Promise<{ readonly ofAddress: number; readonly inAll: number }> {
  const [row] = await db.sql<{ of_address: number; in_all: number }>`
    select
      (select count(*)::integer from enterprise_lead
        where lower(email) = lower(${email}) and created_at > now() - interval '1 day') as of_address,
      (select count(*)::integer from enterprise_lead where created_at > now() - interval '1 hour') as in_all`;
  return { ofAddress: row?.of_address ?? 0, inAll: row?.in_all ?? 0 };
}

/** The lead, locked until the end of the transaction. */
export async function lockLead(tx: Queryable, id: bigint): Promise<LeadEntry | null> {
  const [row] = await tx.query<LeadEntry>(`select ${columns} from enterprise_lead where id = $1::bigint for update`, [
    id,
  ]);
  return row ?? null;
}

/** Changes a lead that the caller has locked. */
export async function updateLead(tx: Queryable, { id, status, note }: SaveLeadInput): Promise<LeadEntry | null> {
  const [row] = await tx.query<LeadEntry>(
    `update enterprise_lead set status = $2, note = $3, version = version + 1, updated_at = now()
     where id = $1::bigint returning ${columns}`,
    [id, status, note],
  );
  return row ?? null;
}
