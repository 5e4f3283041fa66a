import { adminOperation } from "@sluice/contracts/admin-rights";
import {
  removedSecretOutput,
  removeSecretInput,
  type SaveSecretInput,
  savedSecretOutput,
  saveSecretInput,
  secretListResponse,
  secretUsesInput,
  secretUsesOutput,
} from "@sluice/contracts/secrets";
import { z } from "zod";
import type { Database } from "../../platform/db.ts";
import { type AnyEndpoint, endpoint } from "../../platform/endpoint/model.ts";
import type { Act } from "../approvals/port.ts";
import type { Approvals } from "../approvals/service.ts";
import { byCaller } from "../audit/service.ts";
import { removeSecret, type UseOf, usesOfSecret } from "./remove-secret.ts";
import { listSecrets } from "./service.ts";

export type SecretEndpointDeps = {
  readonly db: Database;
  readonly approvals: Approvals;
  readonly act: Act<SaveSecretInput>;
  readonly useOf: UseOf;
  /** Called after the commit of a change. */
  readonly onChange: () => void;
};

export function secretEndpoints({ db, approvals, act, useOf, onChange }: SecretEndpointDeps): AnyEndpoint[] {
  return [
    endpoint({
      method: "POST",
      ...adminOperation("/backend/admin/secret/save/"),
      input: saveSecretInput,
      summary: "Save a secret by name; its value is never shown again",
      output: savedSecretOutput,
      errors: ["conflict", "idempotency_mismatch"],
      limits: [
        "With admin.second_person_above_usd, a credential of a payment gateway or mail service waits, encrypted, until another super-admin has approved it.",
      ],
      handle: async ({ input, admin, requestId, clientIp }) =>
        await approvals.carryOut(act, input, { admin, requestId, clientIp }),
    }),
    endpoint({
      method: "GET",
      ...adminOperation("/backend/admin/secret/list/"),
      input: z.strictObject({}),
      summary: "List all secrets by name, with their dates and who saved them, without values",
      output: secretListResponse,
      errors: [],
      handle: async () => ({ secrets: await listSecrets(db) }),
    }),
    endpoint({
      method: "GET",
      ...adminOperation("/backend/admin/secret/uses/"),
      input: secretUsesInput,
      summary: "Get what uses a secret, and so keeps it from being deleted",
      output: secretUsesOutput,
      errors: [],
      handle: async ({ input }) => ({ uses: await usesOfSecret(db, input.name, useOf) }),
    }),
    endpoint({
      method: "POST",
      ...adminOperation("/backend/admin/secret/remove/"),
      input: removeSecretInput,
      summary: "Delete a secret that nothing needs any more, for good",
      output: removedSecretOutput,
      errors: ["not_found", "conflict"],
      handle: async (call) => {
        await removeSecret(db, call.input, { origin: byCaller(call), useOf });
        onChange();
        return { name: call.input.name };
      },
    }),
  ];
}
