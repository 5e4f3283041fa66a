import { adminOperation } from "@sluice/contracts/admin-rights";
import {
  type SaveSecretInput,
  savedSecretOutput,
  saveSecretInput,
  secretListResponse,
} from "@sluice/contracts/secrets";
import { z } from "zod";
import type { Database } from "../../platform/db.ts";
import { type AnyEndpoint, endpoint } from "../../platform/endpoint/model.ts";
import type { Act } from "../approvals/port.ts";
import type { Approvals } from "../approvals/service.ts";
import { listSecrets } from "./service.ts";

export type SecretEndpointDeps = {
  readonly db: Database;
  readonly approvals: Approvals;
  readonly act: Act<SaveSecretInput>;
};

export function secretEndpoints({ db, approvals, act }: SecretEndpointDeps): AnyEndpoint[] {
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
  ];
}
