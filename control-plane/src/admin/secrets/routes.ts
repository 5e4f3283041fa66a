import { adminOperation } from "@sluice/contracts/admin-rights";
import { savedSecretAnswer, saveSecretInput, secretListAnswer } from "@sluice/contracts/secrets";
import { z } from "zod";
import type { MasterKey } from "../../platform/crypto/master-key.ts";
import type { Database } from "../../platform/db.ts";
import { type AnyEndpoint, endpoint } from "../../platform/endpoint/model.ts";
import { writeAudit } from "../audit/service.ts";
import { listSecrets, saveSecret } from "./service.ts";

export type SecretEndpointParts = {
  readonly db: Database;
  readonly masterKey: MasterKey;
  /** Called after a change is committed. */
  readonly onChange: () => void;
};

export function secretEndpoints({ db, masterKey, onChange }: SecretEndpointParts): AnyEndpoint[] {
  return [
    endpoint({
      method: "POST",
      ...adminOperation("/backend/admin/secret/save/"),
      input: saveSecretInput,
      summary: "Save a secret under its name; its value is never shown again.",
      output: savedSecretAnswer,
      errors: [],
      handle: async ({ input: { name, value }, admin, requestId, clientIp }) => {
        const saved = await db.withTransaction(async (tx) => {
          const { version } = await saveSecret(tx, masterKey, name, value);
          await writeAudit(tx, {
            actor: { kind: "admin", id: admin.adminId, name: admin.username },
            action: "secret.save",
            subjectKind: "secret",
            subjectId: name,
            before: version === 1 ? null : { version: version - 1 },
            after: { version },
            requestId,
            ip: clientIp,
          });
          return { name, version };
        });
        onChange();
        return { secret: saved };
      },
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
