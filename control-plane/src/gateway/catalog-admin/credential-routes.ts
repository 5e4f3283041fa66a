import { adminOperation } from "@sluice/contracts/admin-rights";
import { channelCredential, removeCredentialInput, saveCredentialInput } from "@sluice/contracts/catalog-admin";
import { z } from "zod";
import { audit, byCaller } from "../../admin/audit/service.ts";
import type { Database } from "../../platform/db.ts";
import { type AnyEndpoint, endpoint } from "../../platform/endpoint/model.ts";
import { type CredentialSeals, removeCredential, saveCredential } from "./save-credential.ts";

export type CredentialRouteDeps = { readonly db: Database; readonly seals: CredentialSeals };

/** What admins do with the credentials of a channel. */
export function credentialEndpoints(deps: CredentialRouteDeps): AnyEndpoint[] {
  return [saveEndpoint(deps), removeEndpoint(deps)];
}

function saveEndpoint({ db, seals }: CredentialRouteDeps): AnyEndpoint {
  return endpoint({
    method: "POST",
    ...adminOperation("/backend/admin/channel/credential/save/"),
    input: saveCredentialInput,
    output: z.strictObject({ credential: channelCredential }),
    errors: ["conflict", "not_found"],
    summary: "Add a credential to a channel, or change one; calls are divided among them by weight",
    handle: async (call) => ({
      credential: await db.withTransaction(async (tx) => {
        const { before, after } = await saveCredential(tx, call.input, seals);
        await audit(tx, byCaller(call), "channel.credential_save", {
          subjectKind: "channel",
          subjectId: call.input.channel_id.toString(),
          before,
          after: { ...after, is_credential_changed: call.input.credential !== undefined },
          reason: call.input.reason,
        });
        return after;
      }),
    }),
  });
}

function removeEndpoint({ db }: CredentialRouteDeps): AnyEndpoint {
  return endpoint({
    method: "POST",
    ...adminOperation("/backend/admin/channel/credential/remove/"),
    input: removeCredentialInput,
    output: z.strictObject({ removed: channelCredential }),
    errors: ["conflict", "not_found"],
    summary: "Remove a credential of a channel; running calls keep it",
    handle: async (call) => ({
      removed: await db.withTransaction(async (tx) => {
        const removed = await removeCredential(tx, call.input);
        await audit(tx, byCaller(call), "channel.credential_remove", {
          subjectKind: "channel",
          subjectId: call.input.channel_id.toString(),
          before: removed,
          reason: call.input.reason,
        });
        return removed;
      }),
    }),
  });
}
