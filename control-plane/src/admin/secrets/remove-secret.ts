import type { SecretUse } from "@sluice/contracts/secrets";
import type { Database, Queryable } from "../../platform/db.ts";
import { AppError, notFound } from "../../platform/errors.ts";
import type { AuditOrigin } from "../audit/model.ts";
import { audit } from "../audit/service.ts";
import { deleteSecret, lockSecret, selectNodesOf } from "./store.ts";

/** What of the program needs a secret now, apart from exit nodes; null for a name that nothing needs. */
export type UseOf = (name: string) => Exclude<SecretUse["kind"], "exit_node"> | null;

/** What needs a secret: it can be deleted once this is empty. */
export async function usesOfSecret(db: Queryable, name: string, useOf: UseOf): Promise<SecretUse[]> {
  const nodes = await selectNodesOf(db, name);
  const kind = useOf(name);
  return [
    ...nodes.map((code) => ({ kind: "exit_node" as const, name: code })),
    ...(kind === null ? [] : [{ kind, name: kind }]),
  ];
}

/**
 * Deletes a secret for good.
 * @throws AppError `not_found`; `conflict` while something needs it
 */
export async function removeSecret(
  db: Database,
  { name, reason }: { readonly name: string; readonly reason: string },
  { origin, useOf }: { readonly origin: AuditOrigin; readonly useOf: UseOf },
): Promise<void> {
  await db.withTransaction(async (tx) => {
    const version = await lockSecret(tx, name);
    if (version === null) {
      throw notFound("secret");
    }
    const uses = await usesOfSecret(tx, name, useOf);
    if (uses.length > 0) {
      throw new AppError("conflict", {
        message: `The secret is in use: ${uses.map((use) => use.name).join(", ")}. Change that first.`,
      });
    }
    await deleteSecret(tx, name);
    await audit(tx, origin, "secret.remove", {
      subjectKind: "secret",
      subjectId: name,
      before: { version },
      after: null,
      reason,
    });
  });
}
