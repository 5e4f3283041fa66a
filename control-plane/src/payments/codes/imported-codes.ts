import type { Transaction } from "../../platform/db.ts";
import { findKnownDigests, insertBatch, insertCodes } from "./code-store.ts";
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

export type AddedCodes = {
  /** Null if all of them exist already. */
  readonly batchId: bigint | null;
  /** For each code whether it was added: one that differs from another in capital letters alone exists already. */
  readonly areAdded: readonly boolean[];
};

/** Adds codes of another gateway, whose customers have them already. Nobody can read or export them here. */
export async function addImportedCodes(tx: Transaction, { codes, ...terms }: ImportedCodes): Promise<AddedCodes> {
  const digests = codes.map((code) => digestOfCode(readCode(code) ?? code));
  const known = new Set((await findKnownDigests(tx, digests)).map(hexOf));
  const areAdded = digests.map((digest) => {
    const isNew = !known.has(hexOf(digest));
    known.add(hexOf(digest));
    return isNew;
  });
  const added = digests.filter((_, at) => areAdded[at]);
  return { batchId: added.length === 0 ? null : await addBatch(tx, terms, added), areAdded };
}

const hexOf = (digest: Uint8Array): string => Buffer.from(digest).toString("hex");

async function addBatch(
  tx: Transaction,
  terms: Omit<ImportedCodes, "codes">,
  digests: readonly Uint8Array[],
): Promise<bigint> {
  const made = { planCode: null, planKind: "wallet_balance", groupName: null, isOncePerUser: false } as const;
  const batch = await insertBatch(tx, {
    ...terms,
    ...made,
    count: digests.length,
    createdBy: "import",
    idempotencyKey: null,
  });
  if (batch === null) {
    throw new Error("the batch was not inserted");
  }
  await insertCodes(tx, batch.id, digests);
  return batch.id;
}
