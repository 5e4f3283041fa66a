import { mayInOrganisation } from "@sluice/contracts/organisation-rights";
import {
  adminOwnAccessListInput,
  ownAccessListInput,
  ownAccessListOutput,
  ownPayloadInput,
  ownPayloadResponse,
  ownReadingResponse,
  ownReadingSaveInput,
} from "@sluice/contracts/own-payloads";
import { z } from "zod";
import { byCaller } from "../../admin/audit/service.ts";
import type { Database } from "../../platform/db.ts";
import { type AnyEndpoint, endpoint, type UserCaller } from "../../platform/endpoint/model.ts";
import { readKeysetPage } from "../../platform/keyset-page.ts";
import type { OwnPayloads } from "./own-payloads.ts";
import { listOwnAccesses, type OwnPlace } from "./store.ts";

/** In an organisation, owners and admins read the bodies of all calls, everybody else at most those of their own. */
function placeOf({ gatewayUserId, organisation }: UserCaller): OwnPlace {
  const isOwnOnly = organisation !== undefined && !mayInOrganisation(organisation.role, "contents");
  return { gatewayUserId, onlyMemberId: isOwnOnly ? organisation.memberId : null };
}

export type OwnPayloadEndpointDeps = { readonly db: Database; readonly payloads: OwnPayloads };

/** The endpoints with which users read the bodies of their own calls, and see who did. */
export function ownPayloadEndpoints(deps: OwnPayloadEndpointDeps): AnyEndpoint[] {
  return [...readingEndpoints(deps), ...accessEndpoints(deps)];
}

function readingEndpoints({ payloads }: OwnPayloadEndpointDeps): AnyEndpoint[] {
  return [
    endpoint({
      method: "GET",
      path: "/backend/usage/payload/reading/",
      access: "user",
      input: z.strictObject({}),
      summary: "Get whether the bodies of the account's calls can be read, and since when",
      output: ownReadingResponse,
      errors: [],
      handle: async ({ user }) => ({ reading: await payloads.readingOf(user.gatewayUserId) }),
    }),
    endpoint({
      method: "POST",
      path: "/backend/usage/payload/reading/save/",
      access: "user",
      input: ownReadingSaveInput,
      summary: "Switch reading the bodies of the account's calls on, for calls from now on, or off immediately",
      output: ownReadingResponse,
      errors: ["payload_reading_off"],
      handle: async (call) => {
        const isOfMembers = call.user.organisation !== undefined && call.input.by_members;
        const input = { ...call.input, by_members: isOfMembers };
        await payloads.save(call.user.gatewayUserId, input, byCaller(call));
        return { reading: await payloads.readingOf(call.user.gatewayUserId) };
      },
    }),
    endpoint({
      method: "POST",
      path: "/backend/usage/payload/",
      access: "user",
      input: ownPayloadInput,
      summary: "Read the bodies of one of the user's calls, decrypted, with credentials masked; recorded first",
      output: ownPayloadResponse,
      errors: [
        "not_found",
        "payload_reading_off",
        "payload_too_early",
        "payload_not_stored",
        "payload_expired",
        "too_many_attempts",
        "audit_unavailable",
        "decrypt_failed",
      ],
      limits: ["A user can read as many payloads per hour as the setting trace.own_payload_reads_per_hour says."],
      handle: async ({ user, input, requestId, clientIp }) => {
        const reader = { userId: user.userId, tokenName: user.tokenName ?? null, requestId, ip: clientIp };
        return { ...(await payloads.read(placeOf(user), input, reader)) };
      },
    }),
  ];
}

function accessEndpoints({ db }: OwnPayloadEndpointDeps): AnyEndpoint[] {
  const page = (limit: number, filter: Parameters<typeof listOwnAccesses>[1]) =>
    readKeysetPage(
      limit,
      (most) => listOwnAccesses(db, filter, most),
      ({ number }) => number,
    );
  const limits = ["A page has at most 100 records."];
  return [
    endpoint({
      method: "GET",
      path: "/backend/usage/payload/access/list/",
      access: "user",
      input: ownAccessListInput,
      summary: "List who read the bodies of which of the account's calls, newest first",
      output: ownAccessListOutput,
      errors: [],
      limits,
      handle: async ({ user, input: { request_id, cursor, limit } }) => {
        const { gatewayUserId, onlyMemberId } = placeOf(user);
        const { rows, nextCursor } = await page(limit, {
          gatewayUserId,
          userId: onlyMemberId === null ? null : user.userId,
          requestId: request_id ?? null,
          before: cursor ?? null,
        });
        return { accesses: rows, next_cursor: nextCursor };
      },
    }),
    endpoint({
      method: "GET",
      path: "/backend/admin/trace/own-access/list/",
      access: "admin",
      input: adminOwnAccessListInput,
      summary: "List which users read the bodies of which of their own calls, newest first",
      output: ownAccessListOutput,
      errors: [],
      limits,
      handle: async ({ input: { request_id, user_id, cursor, limit } }) => {
        const { rows, nextCursor } = await page(limit, {
          gatewayUserId: null,
          userId: user_id ?? null,
          requestId: request_id ?? null,
          before: cursor ?? null,
        });
        return { accesses: rows, next_cursor: nextCursor };
      },
    }),
  ];
}
