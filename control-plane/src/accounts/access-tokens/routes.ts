import { adminOperation } from "@sluice/contracts/admin-rights";
import {
  adminTokenCreateInput,
  liveTokensMax,
  tokenCreateResponse,
  tokenListResponse,
  tokenResponse,
  tokenRevokeInput,
  userTokenCreateInput,
} from "@sluice/contracts/management-tokens";
import { z } from "zod";
import { byCaller } from "../../admin/audit/service.ts";
import { type AnyEndpoint, endpoint } from "../../platform/endpoint/model.ts";
import { originOf } from "../route-deps.ts";
import { ofAdmin, ofUser } from "../sessions/store.ts";
import { proofErrors, proofLimits } from "../sign-in/account-routes.ts";
import type { LinkedSignIns } from "../sign-in/linked-sign-ins.ts";
import { type AccessTokens, checkSensitive } from "./access-tokens.ts";
import { lockAdminOwner, lockUserOwner } from "./store.ts";

export type TokenRouteDeps = { readonly tokens: AccessTokens; readonly links: Pick<LinkedSignIns, "prove"> };

const liveTokens = [`At most ${liveTokensMax} live access tokens.`];
const nothing = z.strictObject({});

/** The endpoints with which users and admins manage their own access tokens. No token can call them. */
export function accessTokenEndpoints(deps: TokenRouteDeps): AnyEndpoint[] {
  return [...userEndpoints(deps), ...adminEndpoints(deps)];
}

function userEndpoints({ tokens, links }: TokenRouteDeps): AnyEndpoint[] {
  return [
    endpoint({
      method: "GET",
      path: "/backend/tokens/list/",
      access: "user",
      input: nothing,
      summary: "List the user's access tokens, newest first; for an organisation, the user's tokens for it",
      output: tokenListResponse,
      errors: [],
      handle: async ({ user }) => ({
        tokens: await tokens.list(ofUser(user.userId), user.organisation?.organisationId),
      }),
    }),
    endpoint({
      method: "POST",
      path: "/backend/tokens/create/",
      access: "user",
      input: userTokenCreateInput,
      summary: "Create an access token; it is shown only once",
      output: tokenCreateResponse,
      limits: [...liveTokens, ...proofLimits],
      errors: ["too_many_tokens", ...proofErrors],
      handle: async (call) => {
        const { user, input } = call;
        const passwordHash = await links.prove(user, input, originOf(call));
        const { name, scopes, expires_in_days: days } = input;
        return await tokens.create(
          ofUser(user.userId),
          { name, scopes, days, organisationId: user.organisation?.organisationId },
          {
            origin: byCaller(call),
            lock: (tx) => lockUserOwner(tx, user.userId, passwordHash),
          },
        );
      },
    }),
    endpoint({
      method: "POST",
      path: "/backend/tokens/revoke/",
      access: "user",
      input: tokenRevokeInput,
      summary: "Revoke an access token; programs that use it are refused from then on",
      output: tokenResponse,
      errors: ["not_found"],
      handle: async (call) => ({
        token: await tokens.revoke(ofUser(call.user.userId), call.input.token_id, byCaller(call)),
      }),
    }),
  ];
}

function adminEndpoints({ tokens }: TokenRouteDeps): AnyEndpoint[] {
  return [
    endpoint({
      method: "GET",
      path: "/backend/admin/token/list/",
      access: "admin",
      input: nothing,
      summary: "List the admin's own access tokens, newest first",
      output: tokenListResponse,
      errors: [],
      handle: async ({ admin }) => ({ tokens: await tokens.list(ofAdmin(admin.adminId)) }),
    }),
    endpoint({
      method: "POST",
      ...adminOperation("/backend/admin/token/create/"),
      input: adminTokenCreateInput,
      summary: "Create an access token for the admin's programs; it is shown only once",
      output: tokenCreateResponse,
      limits: liveTokens,
      errors: ["too_many_tokens", "super_admin_required", "unauthenticated"],
      handle: async (call) => {
        const { admin, input } = call;
        const { name, scopes, expires_in_days: days } = input;
        checkSensitive(admin, { scopes, days });
        return await tokens.create(
          ofAdmin(admin.adminId),
          { name, scopes, days },
          { origin: byCaller(call), lock: (tx) => lockAdminOwner(tx, admin.adminId, admin.isSuper ? 2 : 1) },
        );
      },
    }),
    endpoint({
      method: "POST",
      ...adminOperation("/backend/admin/token/revoke/"),
      input: tokenRevokeInput,
      summary: "Revoke one of the admin's own access tokens",
      output: tokenResponse,
      errors: ["not_found"],
      handle: async (call) => ({
        token: await tokens.revoke(ofAdmin(call.admin.adminId), call.input.token_id, byCaller(call)),
      }),
    }),
  ];
}
