import { adminOperation } from "@sluice/contracts/admin-rights";
import { type SaveSecretInput, savedSecretOutput, saveSecretInput, secretListAnswer } from "@sluice/contracts/secrets";
import { z } from "zod";
import type { Database } from "../../platform/db.ts";
import { type AnyEndpoint, endpoint } from "../../platform/endpoint/model.ts";
import type { Act } from "../approvals/port.ts";
import type { Approvals } from "../approvals/service.ts";
import { listSecrets } from "./service.ts";

export type SecretEndpointParts = {
  readonly db: Database;
  readonly approvals: Approvals;
  readonly act: Act<SaveSecretInput>;
};

export function secretEndpoints({ db, approvals, act }: SecretEndpointParts): AnyEndpoint[] {
  return [
    endpoint({
      method: "POST",
      ...adminOperation("/backend/admin/secret/save/"),
      input: saveSecretInput,
      summary: "Save a secret under its name; its value is never shown again.",
      output: savedSecretOutput,
      errors: ["conflict", "idempotency_mismatch"],
      limits: [
        "With admin.second_person_above_usd, a credential of payment gateways or mail waits, sealed, until another super-admin has agreed.",
      ],
      handle: async ({ input, admin, requestId, clientIp }) =>
        await approvals.carryOut(act, input, { admin, requestId, clientIp }),
    }),
    endpoint({
      method: "GET",
      ...adminOperation("/backend/admin/secret/list/"),
      input: z.strictObject({}),
      summary: "Names and dates of all secrets with who saved them, without their values.",
      output: secretListAnswer,
      errors: [],
      handle: async () => ({ secrets: await listSecrets(db) }),
    }),
  ];
}
