import type { adminOrganisationCreateInput, adminOrganisationSaveInput } from "@sluice/contracts/organisation-admin";
import { organisationLimits } from "@sluice/contracts/organisations";
import type { z } from "zod";
import type { AuditOrigin } from "../admin/audit/model.ts";
import { audit } from "../admin/audit/service.ts";
import { AppError } from "../platform/errors.ts";
import { addOrganisation, ownsTooMany, requireLocked, subjectOf } from "./organisations.ts";
import type { OrganisationDeps } from "./port.ts";
import { findPerson, type LockedOrganisation, lockPerson, updateOrganisation } from "./store.ts";

type ChangeDeps = Pick<OrganisationDeps, "db" | "gatewayUsers">;
type Changed = { readonly organisationId: bigint; readonly organisation: LockedOrganisation };

const idPattern = /^\d{1,18}$/;

/** Creates an organisation for a user. @throws AppError `invalid_value`, `organisation_limit` */
export async function createForUser(
  deps: ChangeDeps,
  { name, owner: named, reason }: z.output<typeof adminOrganisationCreateInput>,
  origin: AuditOrigin,
): Promise<Changed> {
  return await deps.db.withTransaction(async (tx) => {
    const owner = await findPerson(tx, idPattern.test(named) ? { id: BigInt(named) } : { email: named });
    if (owner === null) {
      throw new AppError("invalid_value", { fields: { owner: "This user does not exist or is not active." } });
    }
    await lockPerson(tx, owner.userId);
    if (await ownsTooMany(tx, owner.userId)) {
      throw new AppError("organisation_limit", {
        message: `This user already owns ${organisationLimits.owned} organisations.`,
      });
    }
    const { organisationId, after } = await addOrganisation(tx, deps, { owner, name });
    await audit(tx, origin, "organisation.create", { ...subjectOf(organisationId), after, reason });
    return { organisationId, organisation: await requireLocked(tx, organisationId) };
  });
}

/**
 * Renames, suspends or reopens an organisation. Its keys follow its status on every replica, as those of a user do.
 * @throws AppError `not_found`, `conflict`
 */
export async function saveByAdmin(
  { db, gatewayUsers }: ChangeDeps,
  input: z.output<typeof adminOrganisationSaveInput>,
  origin: AuditOrigin,
): Promise<Changed> {
  const { organisation_id: organisationId, updated_at: updatedAt, reason } = input;
  return await db.withTransaction(async (tx) => {
    const before = await requireLocked(tx, organisationId);
    if (updatedAt !== undefined && Date.parse(updatedAt) !== before.updatedAt.getTime()) {
      throw new AppError("conflict");
    }
    const { name = before.name, status = before.status } = input;
    await updateOrganisation(tx, organisationId, { name, status });
    if (status !== before.status) {
      await gatewayUsers.change(tx, before.gatewayUserId, { isEnabled: status === "active" });
    }
    const organisation = await requireLocked(tx, organisationId);
    const change = { before: shown(before), after: shown(organisation), reason };
    await audit(tx, origin, "organisation.save", { ...subjectOf(organisationId), ...change });
    return { organisationId, organisation };
  });
}

const shown = ({ name, status }: LockedOrganisation) => ({ name, status });
