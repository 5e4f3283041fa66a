import type { MasterKey } from "../../platform/crypto/master-key.ts";
import { open, seal, sealContext } from "../../platform/crypto/seal.ts";
import type { SealedColumn } from "../../platform/crypto/sealed-column.ts";

function contextOf(id: string): string {
  return sealContext({ table: "code_batch", column: "sealed_seed", row: id, owner: "operator" });
}

/** What this feature encrypts under the master key. */
export const codeSealedColumns: readonly SealedColumn[] = [
  {
    table: "code_batch",
    column: "sealed_seed",
    key: ["id"],
    isSmall: true,
    contextOf: ([id]) => contextOf(id ?? ""),
  },
];

export function sealSeed(masterKey: MasterKey, batchId: bigint, seed: Uint8Array): Uint8Array {
  return seal(masterKey.sealing, seed, contextOf(batchId.toString()));
}

/** @throws SealError when it cannot be decrypted */
export function openSeed(masterKey: MasterKey, batchId: bigint, sealed: Uint8Array): Uint8Array {
  return open(masterKey.opening, sealed, contextOf(batchId.toString()));
}
