import type { MasterKey } from "../../platform/crypto/master-key.ts";
import { open, seal, sealContext } from "../../platform/crypto/seal.ts";
import type { SealedColumn } from "../../platform/crypto/sealed-column.ts";
import type { Transaction } from "../../platform/db.ts";
import { findSealed, keepSealed } from "./store.ts";

/** An encrypted value can be decrypted only for the request that it belongs to. */
function contextOf(id: string): string {
  return sealContext({ table: "approval", column: "sealed", row: id, owner: "operator" });
}

export const sealedInputs: SealedColumn = {
  table: "approval",
  column: "sealed",
  key: ["id"],
  isSmall: true,
  contextOf: ([id]) => contextOf(id ?? ""),
};

/** The input of an act as JSON: `all` of it, and the part that is `kept` in plain text, without the secret field. */
export type InputText = { readonly all: string; readonly kept: string; readonly secret: string | null };

/** @param secretField the field of the input whose value is never stored in plain text, if it has one */
export function inputText(input: object, secretField: string | undefined): InputText {
  const all = toJson(input);
  if (secretField === undefined) {
    return { all, kept: all, secret: null };
  }
  const { [secretField]: secret, ...rest } = input as Readonly<Record<string, unknown>>;
  return { all, kept: toJson(rest), secret: String(secret) };
}

function toJson(value: object): string {
  return JSON.stringify(value, (_, each) => (typeof each === "bigint" ? each.toString() : each));
}

/** Stores the secret of a request that was just created. */
export async function keepSecret(tx: Transaction, masterKey: MasterKey, id: bigint, secret: string): Promise<void> {
  await keepSealed(tx, id, seal(masterKey.sealing, Buffer.from(secret, "utf8"), contextOf(id.toString())));
}

/**
 * The whole input of a waiting request.
 * @throws SealError when its secret cannot be decrypted
 */
export async function wholeInput(
  tx: Transaction,
  masterKey: MasterKey,
  { id, input, secretField }: { readonly id: bigint; readonly input: unknown; readonly secretField?: string },
): Promise<unknown> {
  if (secretField === undefined) {
    return input;
  }
  const sealed = await findSealed(tx, id);
  if (sealed === null) {
    throw new Error(`the secret of approval ${id} is gone`);
  }
  const secret = Buffer.from(open(masterKey.opening, sealed, contextOf(id.toString()))).toString("utf8");
  return { ...(input as object), [secretField]: secret };
}
