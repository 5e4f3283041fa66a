import type { GatewayUserId } from "@sluice/contracts/ids";
import { eq } from "drizzle-orm";
import { organisation } from "../../db/schema/organisations.ts";
import type { Queryable } from "../../platform/db.ts";

/** The name of the organisation whose account it is; null for the account of a person. */
export async function findOrganisationOfAccount(db: Queryable, gatewayUserId: GatewayUserId): Promise<string | null> {
  const [row] = await db.drizzle
    .select({ name: organisation.name })
    .from(organisation)
    .where(eq(organisation.gatewayUserId, gatewayUserId));
  return row?.name ?? null;
}
