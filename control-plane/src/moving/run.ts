import { sha256 } from "../platform/crypto/digest.ts";
import type { Transaction } from "../platform/db.ts";
import type { Finding, PeerData } from "./model.ts";
import { type Item, type ItemKind, listItems, putItem } from "./store.ts";

export type ImportOptions = {
  /** What the operator calls the other gateway. */
  readonly instance: string;
  /** Nothing is kept otherwise. */
  readonly isApplied: boolean;
  /** Addresses count as verified: the other program has verified them. */
  readonly areAddressesVerified: boolean;
  /** The balances of those who administer the other program are moved, too. */
  readonly areAdminBalancesMoved: boolean;
};

export type Counts = { made: number; changed: number; unchanged: number; kept: number; leftOut: number };

/** What a step works with. */
export class Step {
  readonly tx: Transaction;
  readonly data: PeerData;
  readonly options: ImportOptions;
  readonly counts: Counts = { made: 0, changed: 0, unchanged: 0, kept: 0, leftOut: 0 };
  readonly findings: Finding[] = [];

  constructor(tx: Transaction, data: PeerData, options: ImportOptions) {
    this.tx = tx;
    this.data = data;
    this.options = options;
  }

  note(level: Finding["level"], table: string, id: string, text: string): void {
    this.findings.push({ level, table, id, text });
  }

  items(kind: ItemKind): Promise<ReadonlyMap<string, Item>> {
    return listItems(this.tx, this.options.instance, kind);
  }

  /** @param writtenAt when it was last written, if it stays as it was changed here: later runs have to see that, too */
  keep(kind: ItemKind, item: Omit<Item, "writtenAt">, writtenAt: Date | null = null): Promise<void> {
    return putItem(this.tx, this.options.instance, kind, { ...item, writtenAt });
  }
}

/** The digest of what was read of a row. */
export function digestOf(value: unknown): Uint8Array {
  const text = JSON.stringify(value, (_, each: unknown) =>
    typeof each === "bigint" ? each.toString() : each instanceof Map ? [...each] : each,
  );
  return sha256(text);
}

export function isSameDigest(a: Uint8Array, b: Uint8Array): boolean {
  return Buffer.compare(a, b) === 0;
}
