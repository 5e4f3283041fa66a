import { noInput } from "@sluice/contracts/billing";
import { startedTopUpResponse, startTopUpInput, topUpResponse } from "@sluice/contracts/top-ups";
import { audit, byCaller } from "../../admin/audit/service.ts";
import { type AnyEndpoint, endpoint, type UserCaller } from "../../platform/endpoint/model.ts";
import type { OrderPlace } from "../orders/order-store.ts";
import { readNow } from "../orders/order-store.ts";
import type { CountSetupPage } from "../port.ts";
import { readTopUp, removeTopUp, startTopUp } from "./change-top-up.ts";
import type { TopUpDeps } from "./model.ts";
import { topUpEntry } from "./top-up-entry.ts";

const gatewayErrors = ["gateway_not_configured", "payment_gateway_failed"] as const;

const placeOf = (user: UserCaller): OrderPlace => ({
  userId: user.userId,
  organisationId: user.organisation?.organisationId ?? null,
});

/** Automatic top-ups, for customers: of their own account, or of the organisation that they act for. */
export function topUpEndpoints(deps: TopUpDeps, countPage: CountSetupPage): AnyEndpoint[] {
  const { db } = deps;
  return [
    endpoint({
      method: "GET",
      path: "/backend/billing/top-up/",
      access: "user",
      input: noInput,
      summary: "Get the automatic top-up of the account, and what it has charged this month",
      output: topUpResponse,
      errors: [],
      handle: async ({ user }) => {
        const at = await readNow(db);
        const topUp = await readTopUp(deps, placeOf(user), at);
        return { top_up: topUp === null ? null : await topUpEntry(db, topUp, at) };
      },
    }),
    endpoint({
      method: "POST",
      path: "/backend/billing/top-up/start/",
      access: "user",
      input: startTopUpInput,
      summary: "Agree to automatic top-ups, and open the gateway's page where a payment method is saved",
      output: startedTopUpResponse,
      errors: [
        ...(["not_offered", "not_found", "invalid_amount", "invalid_value", "conflict", "too_many_attempts"] as const),
        ...gatewayErrors,
      ],
      limits: ["Pages for a user are rate-limited (`too_many_attempts`)."],
      handle: async ({ input, ...call }) => {
        await countPage(call.user.userId);
        const wish = {
          planCode: input.plan_code,
          amountUsd: input.amount_usd,
          thresholdUsd: input.threshold_usd,
          monthMaxUsd: input.month_max_usd,
        };
        const { topUp, checkoutUrl } = await startTopUp(deps, placeOf(call.user), wish, async (tx, made) => {
          const { priceUsd, thresholdQuota, monthMaxUsd } = made;
          const what = { subjectKind: "top_up", subjectId: made.topUpNo };
          await audit(tx, byCaller(call), "top_up.start", {
            ...what,
            after: { priceUsd, thresholdQuota, monthMaxUsd },
          });
        });
        return { top_up: await topUpEntry(db, topUp, await readNow(db)), checkout_url: checkoutUrl };
      },
    }),
    endpoint({
      method: "POST",
      path: "/backend/billing/top-up/remove/",
      access: "user",
      input: noInput,
      summary: "Remove the automatic top-up; the gateway forgets the payment method",
      output: topUpResponse,
      errors: ["not_found"],
      handle: async ({ input: _, ...call }) => {
        await removeTopUp(deps, placeOf(call.user), async (tx, { topUpNo }) => {
          await audit(tx, byCaller(call), "top_up.remove", { subjectKind: "top_up", subjectId: topUpNo });
        });
        return { top_up: null };
      },
    }),
  ];
}
