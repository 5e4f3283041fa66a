import { adminOperation } from "@sluice/contracts/admin-rights";
import type { ApiKeyId } from "@sluice/contracts/ids";
import { adminKeyDetail, adminKeyInput, adminKeyLockInput, adminKeySaveInput } from "@sluice/contracts/key-admin";
import { keyInput, keyResponse } from "@sluice/contracts/keys";
import { byCaller } from "../../admin/audit/service.ts";
import { type AnyEndpoint, type EndpointCall, endpoint } from "../../platform/endpoint/model.ts";
import type { KeyOwner } from "./key-owner.ts";
import type { KeyService } from "./service.ts";

/** What operators do with the keys of customers: the same as their owners, and the lock. */
export function adminKeyEndpoints(keys: KeyService): AnyEndpoint[] {
  return [
    endpoint({
      method: "GET",
      path: "/backend/admin/key/detail/",
      access: "admin",
      input: keyInput,
      output: adminKeyDetail,
      errors: ["not_found"],
      summary: "Get a customer's API key with its limits, and the groups that it may use",
      handle: async ({ input }) => {
        const { key, gatewayUserId } = await keys.find(input.key_id as ApiKeyId);
        return { key, gateway_user_id: gatewayUserId, groups: await keys.groupsOf(gatewayUserId) };
      },
    }),
    endpoint({
      method: "POST",
      ...adminOperation("/backend/admin/key/save/"),
      input: adminKeySaveInput,
      output: keyResponse,
      errors: ["not_found", "conflict", "too_many_keys"],
      summary: "Rename a customer's API key or change its limits",
      handle: async (call) => {
        const { reason: _, ...input } = call.input;
        return { key: await keys.save(await operatorOf(keys, call), input) };
      },
    }),
    endpoint({
      method: "POST",
      ...adminOperation("/backend/admin/key/lock/"),
      input: adminKeyLockInput,
      output: keyResponse,
      errors: ["not_found", "conflict"],
      summary: "Lock a customer's API key and those that share its limits; the owner sees the reason and can't undo it",
      handle: async (call) => {
        const { key_id: keyId, reason } = call.input;
        return { key: await keys.lock(await operatorOf(keys, call), keyId as ApiKeyId, reason) };
      },
    }),
    endpoint({
      method: "POST",
      ...adminOperation("/backend/admin/key/unlock/"),
      input: adminKeyInput,
      output: keyResponse,
      errors: ["not_found", "conflict"],
      summary: "Unlock a customer's API key and those that share its limits",
      handle: async (call) => ({
        key: await keys.lock(await operatorOf(keys, call), call.input.key_id as ApiKeyId, null),
      }),
    }),
    endpoint({
      method: "POST",
      ...adminOperation("/backend/admin/key/revoke/"),
      input: adminKeyInput,
      output: keyResponse,
      errors: ["not_found", "conflict"],
      summary: "Revoke a customer's API key permanently",
      handle: async (call) => ({
        key: await keys.revoke(await operatorOf(keys, call), call.input.key_id as ApiKeyId),
      }),
    }),
  ];
}

type Asked = { readonly key_id: bigint; readonly reason: string };

/** The owner of the key, with the admin as the one who acts. @throws AppError `not_found` */
async function operatorOf(keys: KeyService, call: EndpointCall<"admin", Asked>): Promise<KeyOwner> {
  const { key_id: keyId, reason } = call.input;
  const { gatewayUserId } = await keys.find(keyId as ApiKeyId);
  return { gatewayUserId, ...byCaller(call), reason };
}
