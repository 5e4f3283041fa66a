import type { Transaction } from "../../platform/db.ts";
import { insertBatch, insertCodes } from "./code-store.ts";
import { digestOfCode, readCode } from "./code-text.ts";

export type ImportedCodes = {
  /** What orders of these codes are called; customers see it. */
  readonly name: string;
  readonly note: string;
  /** What each of them grants. */
  readonly quota: bigint;
  readonly expiresAt: Date | null;
  readonly codes: readonly string[];
};

/** Adds codes of another gateway, whose customers have them already. Nobody can read or export them here. */
export async function addImportedCodes(tx: Transaction, { codes, ...terms }: ImportedCodes): Promise<bigint> {
  const made = { planCode: null, planKind: "wallet_balance", groupName: null, isOncePerUser: false } as const;
  const batch = await insertBatch(tx, {
    ...terms,
    ...made,
    count: codes.length,
    createdBy: "import",
    idempotencyKey: null,
  });
  if (batch === null) {
    throw new Error("the batch was not inserted");
  }
  await insertCodes(
    tx,
    batch.id,
    codes.map((code) => digestOfCode(readCode(code) ?? code)),
  );
  return batch.id;
}
