import { z } from "zod";
import {
  type ConsequenceKind,
  consequenceKinds,
  consequenceNamesMax,
  previewedOperations,
} from "./previewed-operations.ts";
import { wireInteger } from "./wire.ts";

/** The input is what the operation itself would be sent. */
export const changePreviewInput = z.strictObject({
  operation: z.enum(previewedOperations),
  input: z.record(z.string(), z.unknown()),
});
export type ChangePreviewInput = z.output<typeof changePreviewInput>;

const consequence = z.strictObject({
  kind: z.enum(consequenceKinds),
  count: wireInteger,
  /** Some of what is counted, if it has names that say something. */
  names: z.array(z.string()).max(consequenceNamesMax),
});
export type Consequence = { readonly kind: ConsequenceKind; readonly count: bigint; readonly names: readonly string[] };

export const changePreviewResponse = z.strictObject({
  /** Why the operation would be refused, with the faults of its fields; null if it would not. */
  problem: z.strictObject({ message: z.string(), fields: z.record(z.string(), z.string()) }).nullable(),
  /** Whether anything would be changed at all. */
  changes: z.boolean(),
  /** Whether it would wait until another super-admin has approved it. */
  waits: z.boolean(),
  consequences: z.array(consequence),
});
