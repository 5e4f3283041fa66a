import type { ApiKeyId } from "@sluice/contracts/ids";
import {
  firstRequestAnswer,
  keyAnswer,
  keyCreateInput,
  keyInput,
  keyListAnswer,
  keyListInput,
  keyRotateInput,
  keySaveInput,
  liveKeysMax,
  madeKeyAnswer,
  rotatedKeyAnswer,
} from "@sluice/contracts/keys";
import { idempotencyKeyOf } from "../../platform/endpoint/idempotency-key.ts";
import { type AnyEndpoint, type EndpointCall, endpoint } from "../../platform/endpoint/model.ts";
import type { KeyOwner, KeyService } from "./service.ts";

const liveKeys = [`At most ${liveKeysMax} live keys for an account.`];

function ownerOf({ user, requestId, clientIp }: EndpointCall<"user", unknown>): KeyOwner {
  const actor = { kind: "user", id: user.userId, name: user.email } as const;
  return { gatewayUserId: user.gatewayUserId, actor, requestId, ip: clientIp };
}

/** The endpoints of the console's page of API keys. Every one sees only the keys of the user who is logged in. */
export function keyEndpoints(keys: KeyService): AnyEndpoint[] {
  const access = "user";
  return [
    endpoint({
      method: "POST",
      path: "/backend/keys/create/",
      access,
      input: keyCreateInput,
      summary: "Makes an API key; `secret` is shown this once.",
      output: madeKeyAnswer,
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
      summary: "The user's API keys, newest first.",
      output: keyListAnswer,
      errors: [],
      handle: async ({ user, input: { cursor, limit, status } }) => {
        const page = { before: cursor ?? null, limit, isLiveOnly: status === "live" };
        const { keys: shown, nextCursor } = await keys.list(user.gatewayUserId, page);
        return { keys: shown, next_cursor: nextCursor };
      },
    }),
    endpoint({
      method: "POST",
      path: "/backend/keys/save/",
      access,
      input: keySaveInput,
      summary: "Renames an API key or changes its limits.",
      output: keyAnswer,
      limits: liveKeys,
      errors: ["not_found", "conflict", "too_many_keys"],
      handle: async (call) => ({ key: await keys.save(ownerOf(call), call.input) }),
    }),
    ...statusEndpoints(keys),
    endpoint({
      method: "POST",
      path: "/backend/keys/rotate/",
      access,
      input: keyRotateInput,
      summary: "Makes the successor of an API key; the old one works for the overlap. Both share their limits.",
      output: rotatedKeyAnswer,
      limits: liveKeys,
      errors: ["not_found", "conflict", "too_many_keys"],
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
      summary: "Whether a first call with the API key was answered; cheap enough to be asked every second.",
      output: firstRequestAnswer,
      errors: ["not_found"],
      handle: async ({ user, input }) => {
        const firstRequestAt = await keys.firstRequest(user.gatewayUserId, input.key_id as ApiKeyId);
        return { is_seen: firstRequestAt !== null, first_request_at: firstRequestAt };
      },
    }),
  ];
}

function statusEndpoints(keys: KeyService): AnyEndpoint[] {
  const actions = [
    ["disable", "Switches an API key off."],
    ["enable", "Switches an API key on again."],
    ["revoke", "Ends an API key for good."],
  ] as const;
  return actions.map(([action, summary]) =>
    endpoint({
      method: "POST",
      path: `/backend/keys/${action}/`,
      access: "user",
      input: keyInput,
      summary,
      output: keyAnswer,
      errors: ["not_found", "conflict", "too_many_keys"],
      handle: async (call) => ({ key: await keys[action](ownerOf(call), call.input.key_id as ApiKeyId) }),
    }),
  );
}
