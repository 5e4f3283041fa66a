import { defaultCampaign } from "@sluice/contracts/analytics";
import type { CreateLeadInput, LeadEntry, SaveLeadInput } from "@sluice/contracts/leads";
import { and, eq, gt } from "drizzle-orm";
import { ago, countOfRows, equalsInAnyCase, now, plusOne } from "../../db/expressions.ts";
import { enterpriseLead as lead } from "../../db/schema/analytics.ts";
import type { Queryable } from "../../platform/db.ts";

const entry = {
  id: lead.id,
  company: lead.company,
  contact: lead.contact,
  email: lead.email,
  volume: lead.volume,
  message: lead.message,
  campaign: lead.campaign,
  status: lead.status,
  note: lead.note,
  version: lead.version,
  created_at: lead.createdAt,
  updated_at: lead.updatedAt,
};

export async function insertLead(db: Queryable, made: CreateLeadInput): Promise<void> {
  const { company, contact, email, volume, message, campaign = defaultCampaign } = made;
  await db.drizzle.insert(lead).values({ company, contact, email, volume, message, campaign });
}

/** How many recent leads there are: from this address within a day, and from everyone within an hour. */
export async function countRecentLeads(
  db: Queryable,
  email: string,
): Promise<{ readonly ofAddress: number; readonly inAll: number }> {
  const [ofAddress] = await db.drizzle
    .select({ leads: countOfRows })
    .from(lead)
    .where(and(equalsInAnyCase(lead.email, email), gt(lead.createdAt, ago(1, "days"))));
  const [inAll] = await db.drizzle
    .select({ leads: countOfRows })
    .from(lead)
    .where(gt(lead.createdAt, ago(1, "hours")));
  return { ofAddress: ofAddress?.leads ?? 0, inAll: inAll?.leads ?? 0 };
}

/** The lead, locked until the end of the transaction. */
export async function lockLead(tx: Queryable, id: bigint): Promise<LeadEntry | null> {
  const [row] = await tx.drizzle.select(entry).from(lead).where(eq(lead.id, id)).for("update");
  return row ?? null;
}

/** Changes a lead that the caller has locked. */
export async function updateLead(tx: Queryable, { id, status, note }: SaveLeadInput): Promise<LeadEntry | null> {
  const [row] = await tx.drizzle
    .update(lead)
    .set({ status, note, version: plusOne(lead.version), updatedAt: now })
    .where(eq(lead.id, id))
    .returning(entry);
  return row ?? null;
}
