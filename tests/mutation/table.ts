import type { Mutant } from "./mutant.ts";
import { admissionMutants } from "./mutants/admission.ts";
import { answerMutants } from "./mutants/answers.ts";
import { bookMutants } from "./mutants/books.ts";
import { channelMutants } from "./mutants/channels.ts";
import { holdMutants } from "./mutants/holds.ts";
import { ledgerMutants } from "./mutants/ledger.ts";
import { nodeMutants } from "./mutants/nodes.ts";
import { ordersMutants } from "./mutants/orders.ts";
import { paymentsMutants } from "./mutants/payments.ts";
import { pricesMutants } from "./mutants/prices.ts";
import { quotaMutants } from "./mutants/quota.ts";
import { quotaSqlMutants } from "./mutants/quota-sql.ts";
import { refundsMutants } from "./mutants/refunds.ts";
import { requestMutants } from "./mutants/requests.ts";
import { rightsMutants } from "./mutants/rights.ts";
import { sessionMutants } from "./mutants/sessions.ts";
import { settlementMutants } from "./mutants/settlement.ts";
import { subscriptionsMutants } from "./mutants/subscriptions.ts";
import { translationMutants } from "./mutants/translation.ts";
import { usageMutants } from "./mutants/usage.ts";

/** Every mutant, in the order in which they are run. */
export const mutants: readonly Mutant[] = [
  ...paymentsMutants,
  ...rightsMutants,
  ...nodeMutants,
  ...quotaMutants,
  ...holdMutants,
  ...quotaSqlMutants,
  ...pricesMutants,
  ...usageMutants,
  ...sessionMutants,
  ...settlementMutants,
  ...ordersMutants,
  ...refundsMutants,
  ...subscriptionsMutants,
  ...ledgerMutants,
  ...bookMutants,
  ...translationMutants,
  ...requestMutants,
  ...channelMutants,
  ...answerMutants,
  ...admissionMutants,
];
