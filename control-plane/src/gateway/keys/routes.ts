import type { ApiKeyId } from "@sluice/contracts/ids";
import {
  firstRequestResponse,
  keyCreateInput,
  keyInput,
  keyListInput,
  keyListResponse,
  keyResponse,
  keyRotateInput,
  keySaveInput,
  liveKeysMax,
  madeKeyResponse,
  rotatedKeyResponse,
} from "@sluice/contracts/keys";
import { mayInOrganisation } from "@sluice/contracts/organisation-rights";
import { byCaller } from "../../admin/audit/service.ts";
import { idempotencyKeyOf } from "../../platform/endpoint/idempotency-key.ts";
import { type AnyEndpoint, type EndpointCall, endpoint, type UserCaller } from "../../platform/endpoint/model.ts";
import type { KeyOwner, KeyPlace } from "./key-owner.ts";
import type { KeyService } from "./service.ts";

const liveKeys = [`At most ${liveKeysMax} live keys per account.`];

function placeOf({ gatewayUserId, organisation }: UserCaller): KeyPlace {
  return organisation === undefined
    ? { gatewayUserId }
    : { gatewayUserId, memberId: organisation.memberId, isOwnOnly: !mayInOrganisation(organisation.role, "keys") };
}

function ownerOf(call: EndpointCall<"user", unknown>): KeyOwner {
  return { ...placeOf(call.user), ...byCaller(call) };
}

/** The endpoints of the API keys page in the console. Each sees only the keys of the logged-in user. */
export function keyEndpoints(keys: KeyService): AnyEndpoint[] {
  const access = "user";
  return [
    endpoint({
      method: "POST",
      path: "/backend/keys/create/",
      access,
      input: keyCreateInput,
      summary: "Create an API key; its secret is shown only once",
      output: madeKeyResponse,
      limits: liveKeys,
      errors: ["too_many_keys", "idempotency_mismatch", "not_found", "conflict"],
      handle: async (call) => {
        const idempotencyKey = idempotencyKeyOf(call.request, call.input.idempotency_key);
        return { ...(await keys.create(ownerOf(call), call.input, idempotencyKey)) };
      },
    }),
    endpoint({
      method: "GET",
      path: "/backend/keys/list/",
      access,
      input: keyListInput,
      summary: "List the user's API keys, newest first",
      output: keyListResponse,
      errors: [],
      handle: async ({ user, input: { cursor, limit, status } }) => {
        const page = { before: cursor ?? null, limit, isLiveOnly: status === "live" };
        const { rows, nextCursor } = await keys.list(placeOf(user), page);
        return { keys: rows, next_cursor: nextCursor };
      },
    }),
    endpoint({
      method: "POST",
      path: "/backend/keys/save/",
      access,
      input: keySaveInput,
      summary: "Rename an API key or change its limits",
      output: keyResponse,
      limits: liveKeys,
      errors: ["not_found", "conflict", "key_locked", "too_many_keys"],
      handle: async (call) => ({ key: await keys.save(ownerOf(call), call.input) }),
    }),
    ...statusEndpoints(keys),
    endpoint({
      method: "POST",
      path: "/backend/keys/rotate/",
      access,
      input: keyRotateInput,
      summary: "Rotate an API key: the new key and the old one share their limits until the overlap ends",
      output: rotatedKeyResponse,
      limits: liveKeys,
      errors: ["not_found", "conflict", "key_locked", "too_many_keys"],
      handle: async (call) => {
        const { key_id: keyId, overlap_seconds: overlap } = call.input;
        return { ...(await keys.rotate(ownerOf(call), keyId as ApiKeyId, overlap)) };
      },
    }),
    endpoint({
      method: "GET",
      path: "/backend/keys/first-request/",
      access,
      input: keyInput,
      summary: "Check whether the API key has made a first successful call; cheap enough to poll every second",
      output: firstRequestResponse,
      errors: ["not_found"],
      handle: async ({ user, input }) => {
        const firstRequestAt = await keys.firstRequest(placeOf(user), input.key_id as ApiKeyId);
        return { is_seen: firstRequestAt !== null, first_request_at: firstRequestAt };
      },
    }),
  ];
}

function statusEndpoints(keys: KeyService): AnyEndpoint[] {
  const actions = [
    ["disable", "Disable an API key"],
    ["enable", "Enable a disabled API key"],
    ["revoke", "Revoke an API key permanently"],
  ] as const;
  return actions.map(([action, summary]) =>
    endpoint({
      method: "POST",
      path: `/backend/keys/${action}/`,
      access: "user",
      input: keyInput,
      summary,
      output: keyResponse,
      errors: ["not_found", "conflict", "key_locked", "too_many_keys"],
      handle: async (call) => ({ key: await keys[action](ownerOf(call), call.input.key_id as ApiKeyId) }),
    }),
  );
}
