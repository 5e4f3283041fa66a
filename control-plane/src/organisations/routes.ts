import { mayInOrganisation } from "@sluice/contracts/organisation-rights";
import {
  invitationIdInput,
  invitationInput,
  invitationResponse,
  invitationTokenInput,
  invitedResponse,
  memberRemoveInput,
  memberResponse,
  memberSaveInput,
  organisationCreateInput,
  organisationDetailResponse,
  organisationLimits,
  organisationListResponse,
  organisationPersonInput,
  organisationResponse,
  organisationSaveInput,
  projectResponse,
  projectSaveInput,
  removedResponse,
} from "@sluice/contracts/organisations";
import { z } from "zod";
import { byCaller } from "../admin/audit/service.ts";
import { type AnyEndpoint, type EndpointCall, endpoint } from "../platform/endpoint/model.ts";
import { AppError, notFound } from "../platform/errors.ts";
import { selectInvitations } from "./invitation-store.ts";
import { acceptInvitation, invite, readInvitation, revokeInvitation } from "./invitations.ts";
import { removeMember, saveMember, saveProject } from "./members.ts";
import { type Acting, createOrganisation, renameOrganisation } from "./organisations.ts";
import type { OrganisationDeps } from "./port.ts";
import { findMembership, selectMembers, selectOrganisations, selectProjects } from "./store.ts";

const nothing = z.strictObject({});
const access = "user";

/**
 * What people do with organisations. Those for an organisation take it from the request, as every endpoint does
 * (`platform/endpoint/acting-for.ts`).
 */
export function organisationEndpoints(deps: OrganisationDeps): AnyEndpoint[] {
  return [...personEndpoints(deps), ...invitedEndpoints(deps), ...ownEndpoints(deps), ...memberEndpoints(deps)];
}

/** @throws AppError `organisation_refused` for a request that names no organisation */
function actingOf(call: EndpointCall<"user", unknown>): Acting {
  const { organisation: acting, userId } = call.user;
  if (acting === undefined) {
    throw new AppError("organisation_refused", { message: "Name the organisation in the header 'x-organisation'." });
  }
  return { acting, userId, origin: byCaller(call) };
}

function personEndpoints(deps: OrganisationDeps): AnyEndpoint[] {
  return [
    endpoint({
      method: "GET",
      path: "/backend/organisations/list/",
      access,
      input: nothing,
      summary:
        "List the organisations of the user, with the user's role in each; with an organisation's access token, that one",
      output: organisationListResponse,
      errors: [],
      handle: async ({ user }) => {
        const organisations = await selectOrganisations(deps.db, user.userId);
        const bound = user.tokenOrganisationId ?? null;
        // Programs of an organisation learn nothing about the others of the person who made the token.
        return { organisations: organisations.filter((each) => bound === null || each.organisation_id === bound) };
      },
    }),
    endpoint({
      method: "POST",
      path: "/backend/organisations/create/",
      access,
      input: organisationCreateInput,
      summary: "Create an organisation, with an account of its own; the user becomes its owner",
      output: organisationResponse,
      errors: ["organisation_limit"],
      limits: [`A user can own at most ${organisationLimits.owned} organisations.`],
      handle: async (call) => ({
        organisation: await createOrganisation(deps, call.user, { name: call.input.name, origin: byCaller(call) }),
      }),
    }),
    endpoint({
      method: "POST",
      path: "/backend/organisations/leave/",
      access,
      input: organisationPersonInput,
      summary: "Leave an organisation; the keys that the user created for it end",
      output: removedResponse,
      errors: ["not_found", "last_owner"],
      handle: async (call) => {
        const { organisation_id: organisationId } = call.input;
        const found = await findMembership(deps.db, call.user.userId, organisationId);
        if (found === null) {
          throw notFound("organisation");
        }
        const acting = { organisationId, memberId: found.memberId, role: found.role };
        const { userId } = call.user;
        const leaver = { acting, userId, origin: byCaller(call) };
        return { revoked_keys: await removeMember(deps, leaver, { memberId: found.memberId, keys: "revoke" }) };
      },
    }),
  ];
}

function invitedEndpoints(deps: OrganisationDeps): AnyEndpoint[] {
  return [
    endpoint({
      method: "POST",
      path: "/backend/organisations/invitation/read/",
      access,
      input: invitationTokenInput,
      summary: "Get the invitation of a link, as the user with the address it was sent to",
      output: invitationResponse,
      errors: ["invalid_token"],
      handle: async ({ user, input }) => {
        const { organisation, role, invitedBy, expiresAt } = await readInvitation(deps.db, input.token, user);
        return { invitation: { organisation, role, invited_by: invitedBy, expires_at: expiresAt } };
      },
    }),
    endpoint({
      method: "POST",
      path: "/backend/organisations/invitation/accept/",
      access,
      input: invitationTokenInput,
      summary: "Accept an invitation, as the user with the address it was sent to; it works once",
      output: organisationResponse,
      errors: ["invalid_token", "organisation_limit", "not_found"],
      handle: async (call) => ({
        organisation: await acceptInvitation(deps, call.input.token, { ...call.user, origin: byCaller(call) }),
      }),
    }),
  ];
}

function ownEndpoints(deps: OrganisationDeps): AnyEndpoint[] {
  const { db } = deps;
  return [
    endpoint({
      method: "GET",
      path: "/backend/organisations/detail/",
      access,
      input: nothing,
      summary: "Get an organisation with its members, projects and open invitations, as far as the user's role allows",
      output: organisationDetailResponse,
      errors: ["not_found"],
      handle: async (call) => {
        const { acting, userId } = actingOf(call);
        const { organisationId, role, memberId } = acting;
        const entry = (await selectOrganisations(db, userId)).find(({ organisation_id: id }) => id === organisationId);
        if (entry === undefined) {
          throw notFound("organisation");
        }
        const seesMembers = mayInOrganisation(role, "members") || mayInOrganisation(role, "usage");
        return {
          organisation: entry,
          members: await selectMembers(db, organisationId, seesMembers ? null : memberId),
          projects: await selectProjects(db, organisationId, null),
          invitations: mayInOrganisation(role, "members") ? await selectInvitations(db, organisationId) : [],
        };
      },
    }),
    endpoint({
      method: "POST",
      path: "/backend/organisations/save/",
      access,
      input: organisationSaveInput,
      summary: "Rename an organisation",
      output: organisationResponse,
      errors: ["not_found"],
      handle: async (call) => ({ organisation: await renameOrganisation(deps, actingOf(call), call.input.name) }),
    }),
    endpoint({
      method: "POST",
      path: "/backend/organisations/project/save/",
      access,
      input: projectSaveInput,
      summary: "Create a project or change one: its name, its budget per month, and whether its keys work",
      output: projectResponse,
      errors: ["not_found", "conflict", "organisation_limit"],
      limits: [`At most ${organisationLimits.projects} projects per organisation.`],
      handle: async (call) => {
        const { project_id: projectId = null, name, status, spend_per_month: spendPerMonth } = call.input;
        return { project: await saveProject(deps, actingOf(call), { projectId, name, status, spendPerMonth }) };
      },
    }),
  ];
}

function memberEndpoints(deps: OrganisationDeps): AnyEndpoint[] {
  return [
    endpoint({
      method: "POST",
      path: "/backend/organisations/invite/",
      access,
      input: invitationInput,
      summary: "Invite somebody by e-mail; the link works once, for this address",
      output: invitedResponse,
      errors: ["invalid_email", "conflict", "organisation_limit", "not_found"],
      limits: [
        `At most ${organisationLimits.members} members and ${organisationLimits.invitations} open invitations per organisation.`,
        `At most ${organisationLimits.invitationsPerDay} invitations of a user within 24 hours.`,
      ],
      handle: async (call) => {
        const { invitation, link } = await invite(deps, actingOf(call), { ...call.input, locale: call.user.locale });
        return { invitation, ...(deps.returnsLink ? { link } : {}) };
      },
    }),
    endpoint({
      method: "POST",
      path: "/backend/organisations/invitation/revoke/",
      access,
      input: invitationIdInput,
      summary: "Revoke an open invitation",
      output: nothing,
      errors: ["not_found"],
      handle: async (call) => {
        await revokeInvitation(deps, actingOf(call), call.input.invitation_id);
        return {};
      },
    }),
    endpoint({
      method: "POST",
      path: "/backend/organisations/member/save/",
      access,
      input: memberSaveInput,
      summary: "Change the role of a member, and what the member's keys may spend per month",
      output: memberResponse,
      errors: ["not_found", "last_owner"],
      handle: async (call) => {
        const { member_id: memberId, role, spend_per_month: spendPerMonth } = call.input;
        return { member: await saveMember(deps, actingOf(call), { memberId, role, spendPerMonth }) };
      },
    }),
    endpoint({
      method: "POST",
      path: "/backend/organisations/member/remove/",
      access,
      input: memberRemoveInput,
      summary: "Remove a member; the keys that the member created end, or the organisation keeps them",
      output: removedResponse,
      errors: ["not_found", "last_owner"],
      handle: async (call) => {
        const { member_id: memberId, keys } = call.input;
        return { revoked_keys: await removeMember(deps, actingOf(call), { memberId, keys }) };
      },
    }),
  ];
}
