import type { ActKind, Effects } from "@sluice/contracts/approvals";
import type { z } from "zod";
import type { Queryable, Transaction } from "../../platform/db.ts";
import type { Amount } from "./model.ts";

/** By whom and by which request something is done; of what waited, by whom and by which it was asked for. */
export type ActOrigin = {
  readonly adminId: bigint;
  readonly adminName: string;
  readonly requestId: string;
  readonly ip: string;
  /** Chosen by the caller: a repetition under it does nothing more. */
  readonly idempotencyKey: string;
  /** The request that a second person has agreed to; null for what was done at once. */
  readonly approvalId: bigint | null;
};

/** The outcome of an act within its transaction. */
export type Performed = {
  /** False when an earlier one under the same key had done it: then nothing counts. */
  readonly isNew: boolean;
  /** What was moved; null for what moves nothing. */
  readonly amount: Amount | null;
  /** Whether, as long as large amounts wait for a second person, this does so whatever it moves: it would get around them. */
  readonly takesTwo: boolean;
  readonly effects: Effects;
  /** What the input left to the moment, as it is now: by then it could be more than what is agreed to. */
  readonly settledInput?: object;
  /** What is left to do after the commit, and the answer. */
  readonly finish: () => Promise<Record<string, unknown>>;
};

/** Something that admins do, at once or when a second one has agreed. */
export type Act<Input> = {
  readonly kind: ActKind;
  /** How it is read again out of what was kept; the input of its endpoint. */
  readonly schema: z.ZodType<Input>;
  /** The field of the input whose text is kept sealed while it waits, and forgotten afterwards. */
  readonly secretField?: keyof Input & string;
  readonly reasonOf: (input: Input) => string;
  /** Does it and writes it down, in the transaction. @throws AppError what its endpoint declares */
  readonly perform: (tx: Transaction, input: Input, origin: ActOrigin) => Promise<Performed>;
};

/** What deciding needs to know of admins. */
export interface SuperAdmins {
  /** Whether these are super-admins still, held so until the transaction ends. */
  hold(tx: Transaction, ids: readonly bigint[]): Promise<boolean>;
  /** The super-admins who may agree to what this one asks for, as far as they can be written to. */
  othersThan(db: Queryable, id: bigint): Promise<readonly { readonly id: bigint; readonly email: string }[]>;
}
