import type { ActKind, Effects } from "@sluice/contracts/approvals";
import type { z } from "zod";
import type { Queryable, Transaction } from "../../platform/db.ts";
import type { Amount } from "./model.ts";

/**
 * Who performs an act, and in which request. For an act that waited, these are the person who requested it and that
 * request.
 */
export type ActOrigin = {
  readonly adminId: bigint;
  readonly adminName: string;
  /** The access token with which it is performed or requested, if any. */
  readonly tokenName?: string | undefined;
  readonly requestId: string;
  readonly ip: string;
  /** The caller chooses the key. A repetition with the same key has no further effect. */
  readonly idempotencyKey: string;
  /** The request that a second person has approved; null for an immediate act. */
  readonly approvalId: bigint | null;
};

/** The result of an act within its transaction. */
export type Performed = {
  /** False when an earlier act under the same key had the effect; then nothing is counted. */
  readonly isNew: boolean;
  /** The amount moved; null if the act moves none. */
  readonly amount: Amount | null;
  /**
   * Whether this act always needs a second person if large amounts do, because it could be used to bypass that rule.
   */
  readonly takesTwo: boolean;
  readonly effects: Effects;
  /** The input with every omitted value filled in as of now, because a default could change before the approval. */
  readonly settledInput?: object;
  /** The work that is left after the commit; returns the response. */
  readonly finish: () => Promise<Record<string, unknown>>;
};

/** Something that admins do, immediately or after a second admin has approved. */
export type Act<Input> = {
  readonly kind: ActKind;
  /** Parses the stored input; the input schema of its endpoint. */
  readonly schema: z.ZodType<Input>;
  /** The field of the input that is stored encrypted while the act waits, and deleted afterwards. */
  readonly secretField?: keyof Input & string;
  readonly reasonOf: (input: Input) => string;
  /** Performs the act and records it, in the transaction. @throws AppError the errors that its endpoint declares */
  readonly perform: (tx: Transaction, input: Input, origin: ActOrigin) => Promise<Performed>;
};

/** What approvals need to know about admins. */
export interface SuperAdmins {
  /** Whether these are still super-admins; locks all of them, and every other one, until the transaction ends. */
  hold(tx: Transaction, ids: readonly bigint[]): Promise<boolean>;
  /** The super-admins who may approve this one's requests, if they can be reached by email. */
  othersThan(db: Queryable, id: bigint): Promise<readonly { readonly id: bigint; readonly email: string }[]>;
}
