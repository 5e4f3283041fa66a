import { z } from "zod";
import {
  type ConsequenceKind,
  consequenceKinds,
  consequenceNamesMax,
  previewedOperations,
} from "./previewed-operations.ts";
import { strictObject } from "./strict-object.ts";
import { wireInteger } from "./wire.ts";

/** The time over which calls and purchases are counted at other prices, ending now. */
export const priceEffectDays = 30;

/** The input is what the operation itself would be sent. */
export const changePreviewInput = strictObject(() => ({
  operation: z.enum(previewedOperations),
  input: z.record(z.string(), z.unknown()),
}));
export type ChangePreviewInput = z.output<typeof changePreviewInput>;

const consequence = strictObject(() => ({
  kind: z.enum(consequenceKinds),
  count: wireInteger,
  /** Some of what is counted, if it has names that say something. */
  names: z.array(z.string()).max(consequenceNamesMax),
}));
export type Consequence = { readonly kind: ConsequenceKind; readonly count: bigint; readonly names: readonly string[] };

/** What was charged, and what the same would have been charged at the saved prices, in quota. */
const priceShift = { charged: wireInteger, would_charge: wireInteger };
const priceEffect = strictObject(() => ({
  of: z.enum(["calls", "purchases"]),
  days: z.literal(priceEffectDays),
  count: wireInteger,
  ...priceShift,
  /** False if the sums do not say everything that the price depends on, such as how long each prompt was. */
  is_exact: z.boolean(),
  /** The accounts with the largest differences; none if the sums do not tell accounts apart. */
  accounts: z.array(z.strictObject({ name: z.string(), ...priceShift })).max(consequenceNamesMax),
}));
export type PriceEffect = {
  readonly of: "calls" | "purchases";
  readonly count: bigint;
  readonly charged: bigint;
  readonly would_charge: bigint;
  readonly is_exact: boolean;
  readonly accounts: readonly { readonly name: string; readonly charged: bigint; readonly would_charge: bigint }[];
};

export const changePreviewResponse = strictObject(() => ({
  /** Why the operation would be refused, with the faults of its fields; null if it would not. */
  problem: z.strictObject({ message: z.string(), fields: z.record(z.string(), z.string()) }).nullable(),
  /** Whether anything would be changed at all. */
  changes: z.boolean(),
  /** Whether it would wait until another super-admin has approved it. */
  waits: z.boolean(),
  consequences: z.array(consequence),
  /** What the last days would have cost, if a price changes and something was charged; null otherwise. */
  price_effect: priceEffect.nullable(),
}));
