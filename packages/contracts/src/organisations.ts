import { z } from "zod";
import { displayText, recordId } from "./keys.ts";
import { organisationRoles, organisationStatuses, projectStatuses } from "./organisation-rights.ts";
import { strictObject } from "./strict-object.ts";
import { type Unsent, wireInteger, wireMoment } from "./wire.ts";

/** How many a person may own; how many members, open invitations and projects an organisation may have. */
export const organisationLimits = {
  owned: 10,
  members: 200,
  invitations: 50,
  projects: 100,
  invitationsPerDay: 50,
} as const;
export const invitationDays = 7;

const name = displayText(80);
const spendMax = 10n ** 15n;
/** Quota per calendar month in UTC; null for no limit. */
const monthly = z.int().min(1).max(Number(spendMax)).nullable();

export const organisationCreateInput = strictObject(() => ({ name }));
export const organisationSaveInput = strictObject(() => ({ name }));
export const organisationPersonInput = strictObject(() => ({ organisation_id: recordId }));

export const invitationInput = strictObject(() => ({
  email: z.string().trim().max(254),
  role: z.enum(organisationRoles),
}));
export const invitationIdInput = strictObject(() => ({ invitation_id: recordId }));
export const invitationTokenInput = strictObject(() => ({ token: z.string().min(20).max(100) }));

export const memberSaveInput = strictObject(() => ({
  member_id: recordId,
  role: z.enum(organisationRoles),
  spend_per_month: monthly,
}));

/** What becomes of the keys of somebody who leaves: they end, or the organisation keeps using them. */
export const leaverKeys = ["revoke", "keep"] as const;
export const memberRemoveInput = strictObject(() => ({ member_id: recordId, keys: z.enum(leaverKeys) }));

/** Without an id, a project is created. */
export const projectSaveInput = strictObject(() => ({
  project_id: recordId.optional(),
  name,
  status: z.enum(projectStatuses).default("active"),
  spend_per_month: monthly,
}));

const budget = {
  spend_per_month: wireInteger.nullable(),
  /** What its calls have cost in this month, as far as they are counted towards a limit; null without one. */
  spent_this_month: wireInteger.nullable(),
};

export const organisationEntry = strictObject(() => ({
  organisation_id: wireInteger,
  name: z.string(),
  status: z.enum(organisationStatuses),
  role: z.enum(organisationRoles),
  member_id: wireInteger,
}));
export type OrganisationEntry = Unsent<z.output<typeof organisationEntry>>;

export const memberView = strictObject(() => ({
  member_id: wireInteger,
  email: z.string(),
  display_name: z.string().nullable(),
  role: z.enum(organisationRoles),
  joined_at: wireMoment,
  live_keys: wireInteger,
  ...budget,
}));

export const projectView = strictObject(() => ({
  project_id: wireInteger,
  name: z.string(),
  status: z.enum(projectStatuses),
  live_keys: wireInteger,
  created_at: wireMoment,
  ...budget,
}));

export const invitationView = strictObject(() => ({
  invitation_id: wireInteger,
  email: z.string(),
  role: z.enum(organisationRoles),
  expires_at: wireMoment,
  is_expired: z.boolean(),
}));

export type MemberView = Unsent<z.output<typeof memberView>>;
export type ProjectView = Unsent<z.output<typeof projectView>>;
export type InvitationView = Unsent<z.output<typeof invitationView>>;

export const organisationListResponse = strictObject(() => ({ organisations: z.array(organisationEntry) }));
export const organisationResponse = strictObject(() => ({ organisation: organisationEntry }));
/** Members and invitations are only shown to those who may manage members: a member sees their own row only. */
export const organisationDetailResponse = strictObject(() => ({
  organisation: organisationEntry,
  members: z.array(memberView),
  projects: z.array(projectView),
  invitations: z.array(invitationView),
}));
/** The link is only returned where registration links are: elsewhere it is in the email alone. */
export const invitedResponse = strictObject(() => ({ invitation: invitationView, link: z.string().optional() }));
export const invitationResponse = strictObject(() => ({
  invitation: z.strictObject({
    organisation: z.string(),
    role: z.enum(organisationRoles),
    invited_by: z.string(),
    expires_at: wireMoment,
  }),
}));
export const projectResponse = strictObject(() => ({ project: projectView }));
export const memberResponse = strictObject(() => ({ member: memberView }));
export const removedResponse = strictObject(() => ({ revoked_keys: z.int() }));
