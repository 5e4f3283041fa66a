import { adminOperation } from "@sluice/contracts/admin-rights";
import { noInput } from "@sluice/contracts/billing";
import {
  cancelRenewalInput,
  ownRenewalInput,
  renewalListResponse,
  renewalPageResponse,
  renewalResponse,
  startedRenewal,
  startRenewalInput,
} from "@sluice/contracts/renewals";
import { audit, byCaller } from "../../admin/audit/service.ts";
import { type AnyEndpoint, endpoint, type UserCaller } from "../../platform/endpoint/model.ts";
import { AppError, notFound } from "../../platform/errors.ts";
import { cancelRenewal, findOwnRenewal, openPortal, type RenewalAccount, startRenewal } from "./change-renewal.ts";
import { type Renewal, type RenewalDeps, renewalEntry } from "./model.ts";
import { findRenewal, listRenewals } from "./renewal-store.ts";

const gatewayErrors = ["gateway_not_configured", "payment_gateway_failed", "temporarily_unavailable"] as const;

/** Whose months a caller pays: an organisation's while acting for one. */
const accountOf = ({ userId, gatewayUserId, organisation }: UserCaller): RenewalAccount => ({
  ...{ userId, gatewayUserId, organisationId: organisation?.organisationId ?? null },
});

/** Plans that the card gateway charges for every month, for customers and organisations. */
export function renewalEndpoints(deps: RenewalDeps): AnyEndpoint[] {
  const { db } = deps;
  return [
    endpoint({
      method: "POST",
      path: "/backend/billing/renewal/start/",
      access: "user",
      input: startRenewalInput,
      summary:
        "Open the page where the user agrees to pay for a plan every month, for the user's own account or the chosen organisation",
      output: startedRenewal,
      errors: ["not_offered", "not_found", "conflict", ...gatewayErrors],
      handle: async ({ input, user }) => {
        const { renewal, checkoutUrl } = await startRenewal(deps, accountOf(user), input.plan_code);
        return { renewal: renewalEntry(renewal), checkout_url: checkoutUrl };
      },
    }),
    endpoint({
      method: "GET",
      path: "/backend/billing/renewal/list/",
      access: "user",
      input: noInput,
      summary: "List the user's subscriptions that renew, newest first",
      output: renewalListResponse,
      errors: [],
      handle: async ({ user }) => ({
        renewals: (await listRenewals(db, accountOf(user))).map(renewalEntry),
      }),
    }),
    endpoint({
      method: "POST",
      path: "/backend/billing/renewal/cancel/",
      access: "user",
      input: ownRenewalInput,
      summary: "Cancel a subscription: nothing more is charged, and the paid month runs to its end",
      output: renewalResponse,
      errors: ["not_found", "conflict", ...gatewayErrors],
      handle: async ({ input, ...call }) => {
        const renewal = await findOwnRenewal(db, call.user, input.renewal_no);
        const subject = { subjectKind: "renewal", subjectId: renewal.renewalNo };
        const cancelled = await cancelRenewal(deps, renewal, {
          by: "customer",
          record: async (tx) => await audit(tx, byCaller(call), "renewal.cancel", subject),
        });
        return { renewal: renewalEntry(cancelled) };
      },
    }),
    endpoint({
      method: "POST",
      path: "/backend/billing/renewal/manage/",
      access: "user",
      input: ownRenewalInput,
      summary: "Open the gateway's page where the user who subscribed changes the card",
      output: renewalPageResponse,
      errors: ["not_found", "conflict", ...gatewayErrors],
      handle: async ({ input, user }) => {
        const renewal = await findOwnRenewal(db, user, input.renewal_no);
        refuseOtherCard(renewal, user);
        return { url: await openPortal(deps, renewal) };
      },
    }),
  ];
}

/**
 * The page shows the card and the address of the member who agreed. A card that another member enters there would still be
 * charged after that member has left.
 * @throws AppError `conflict`
 */
function refuseOtherCard({ userId }: Renewal, user: UserCaller): void {
  if (userId !== user.userId) {
    throw new AppError("conflict", {
      message:
        "Only the member who subscribed can change the card. To pay with another one, cancel the subscription and subscribe again.",
    });
  }
}

/** What admins do with them. */
export function renewalAdminEndpoints(deps: RenewalDeps): AnyEndpoint[] {
  return [
    endpoint({
      method: "POST",
      ...adminOperation("/backend/admin/renewal/cancel/"),
      input: cancelRenewalInput,
      summary: "Cancel a user's subscription at the gateway; the paid month runs to its end",
      output: renewalResponse,
      errors: ["not_found", "conflict", ...gatewayErrors],
      handle: async ({ input, ...call }) => {
        const { renewal_no: renewalNo, reason } = input;
        const renewal = await findRenewal(deps.db, renewalNo);
        if (renewal === null) {
          throw notFound("subscription");
        }
        const before = { status: renewal.status, isCancelledAtEnd: renewal.isCancelledAtEnd };
        const cancelled = await cancelRenewal(deps, renewal, {
          by: "admin",
          note: reason,
          record: async (tx) =>
            await audit(tx, byCaller(call), "renewal.cancel", {
              ...{ subjectKind: "renewal", subjectId: renewalNo, reason, before },
              after: { status: "ended" },
            }),
        });
        return { renewal: renewalEntry(cancelled) };
      },
    }),
  ];
}
