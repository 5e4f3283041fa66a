import { z } from "zod";
import { userStatuses } from "./accounts.ts";
import { groupOfUser } from "./groups.ts";
import { displayText, recordId } from "./keys.ts";
import { choiceOf, exactText, idText, listContract } from "./lists.ts";
import { organisationStatuses } from "./organisation-rights.ts";
import { invitationView, memberView, projectView } from "./organisations.ts";
import { reasonText } from "./readable-text.ts";
import { strictObject } from "./strict-object.ts";
import { balanceView, spentView } from "./user-admin.ts";
import { wireDecimal, wireInteger, wireMoment } from "./wire.ts";

const name = displayText(80);
const reason = reasonText(500);

export const organisationAdminList = listContract({
  name: "organisations",
  rowId: "organisation_id",
  row: strictObject(() => ({
    organisation_id: wireInteger,
    /** The account: keys, quota and ledger belong to it. */
    gateway_user_id: wireInteger,
    name: z.string(),
    status: z.enum(organisationStatuses),
    /** The addresses of its first owners, at most ten. */
    owners: z.array(z.string()),
    members: wireInteger,
    projects: wireInteger,
    live_keys: wireInteger,
    group_name: z.string(),
    rate_multiplier: wireDecimal,
    /** Quota that can still be used, and quota used so far. */
    remaining: wireInteger,
    used: wireInteger,
    last_call_at: wireMoment.nullable(),
    created_at: wireMoment,
    updated_at: wireMoment,
  })),
  filters: {
    /** The beginning of a name, or of an API key (`sk-` and four characters); the id of an organisation or of its account. */
    q: exactText(254),
    organisation_id: idText,
    gateway_user_id: idText,
    status: choiceOf(organisationStatuses),
    /** Selects the organisations that a user is a member of. */
    user_id: idText,
  },
  sorts: ["created_at", "name"],
  defaultSort: "-created_at",
});

export const adminOrganisationInput = strictObject(() => ({ organisation_id: recordId }));

/** An owner is named by address or user id. */
export const adminOrganisationCreateInput = strictObject(() => ({
  name,
  owner: z.string().trim().min(1).max(254),
  reason,
}));

/** Absent fields stay. A suspended organisation makes no calls and places no orders, and its members only read. */
export const adminOrganisationSaveInput = strictObject(() => ({
  organisation_id: recordId,
  name: name.optional(),
  status: z.enum(organisationStatuses).optional(),
  /** The `updated_at` that was loaded: the change is refused if someone else has made one since. */
  updated_at: z.iso.datetime().optional(),
  reason,
}));

const saved = strictObject(() => ({
  organisation_id: wireInteger,
  gateway_user_id: wireInteger,
  name: z.string(),
  status: z.enum(organisationStatuses),
  updated_at: wireMoment,
}));
export const adminOrganisationResponse = strictObject(() => ({ organisation: saved }));

/** An organisation with its people and its account. Its keys, calls, orders and entries are lists with a filter for it. */
export const adminOrganisationDetail = strictObject(() => ({
  organisation: organisationAdminList.row,
  balance: balanceView,
  spent: spentView,
  groups: z.array(groupOfUser),
  members: z.array(memberView.extend({ user_id: wireInteger, status: z.enum(userStatuses) })),
  projects: z.array(projectView),
  invitations: z.array(invitationView),
}));
