import type { Mutant } from "./mutant.ts";
import { nodeMutants } from "./mutants/nodes.ts";
import { paymentsMutants } from "./mutants/payments.ts";
import { rightsMutants } from "./mutants/rights.ts";

/** Every mutant, in the order in which they are run. */
export const mutants: readonly Mutant[] = [...paymentsMutants, ...rightsMutants, ...nodeMutants];
