import { roleAllows } from "@sluice/contracts/admin-role-rights";
import {
  balanceResponse,
  cancelSubscriptionInput,
  claimOrderInput,
  createdOrderResponse,
  createOrderInput,
  ledgerResponse,
  mockSettleResponse,
  noInput,
  orderListResponse,
  orderNumberInput,
  orderResponse,
  ownOrderInput,
  pageInput,
  planListResponse,
  statementInput,
  statementSumsInput,
  statementSumsResponse,
  subscriptionListResponse,
} from "@sluice/contracts/billing";
import { isLocale, type Locale } from "@sluice/contracts/locales";
import { usdOfQuota } from "@sluice/contracts/money";
import { mayInOrganisation } from "@sluice/contracts/organisation-rights";
import type { Unsent } from "@sluice/contracts/wire";
import type { z } from "zod";
import { audit, byCaller } from "../admin/audit/service.ts";
import { listSpendLimits, readMemberBudget, readUserQuota } from "../gateway/quota/grant-store.ts";
import { listEntries, readBalance, readStatement, sumsOfStatement } from "../ledger/service.ts";
import { csvHeaders } from "../platform/csv.ts";
import type { Queryable, Transaction } from "../platform/db.ts";
import { idempotencyKeyOf } from "../platform/endpoint/idempotency-key.ts";
import { type AnyEndpoint, type CallerReader, endpoint, type UserCaller } from "../platform/endpoint/model.ts";
import { AppError, notFound } from "../platform/errors.ts";
import { planEntry, subscriptionEntry } from "./answers.ts";
import { tryCoupon } from "./coupons/try-coupon.ts";
import { findOrganisationName } from "./invoices/invoice-store.ts";
import { orderEntry } from "./model.ts";
import { findOrder } from "./orders/order-store.ts";
import { cancelOrder, claimOrder, findOwnOrder, listOrders, readOrder } from "./orders/orders.ts";
import { admitOrder, couponErrors, createOrder, type PlacedOrder } from "./orders/place-order.ts";
import { statementCsv, statementHtml, statementPolicy } from "./orders/statement-text.ts";
import { selectActivePlans } from "./plans/plan-store.ts";
import type { BillingDeps, CodeAttempts, GuestOrders } from "./port.ts";
import { isLive } from "./renewals/model.ts";
import { findOpenRenewal } from "./renewals/renewal-store.ts";
import { settlePaid } from "./settle/settle-paid.ts";
import { cancelAtEnd, listSubscriptions } from "./subscriptions/subscription-store.ts";

export type BillingEndpointDeps = BillingDeps & {
  readonly guests: GuestOrders;
  readonly codeAttempts: CodeAttempts;
  /** Whether orders can be settled without a payment. */
  readonly isMockOffered: boolean;
  readonly admins: Pick<CallerReader, "readAdmin">;
};

export function billingEndpoints(deps: BillingEndpointDeps): AnyEndpoint[] {
  return [
    plansEndpoint(deps),
    ...orderEndpoints(deps),
    ...orderChangeEndpoints(deps),
    mockSettleEndpoint(deps),
    ...accountEndpoints(deps),
    ...subscriptionEndpoints(deps),
  ];
}

function plansEndpoint({ db }: BillingEndpointDeps): AnyEndpoint {
  return endpoint({
    method: "GET",
    path: "/backend/billing/plans/",
    access: "public",
    input: noInput,
    summary: "List the plans for sale, in US dollars",
    output: planListResponse,
    errors: [],
    handle: async () => ({ currency: "USD", plans: (await selectActivePlans(db)).map(planEntry) }),
  });
}

function orderEndpoints(deps: BillingEndpointDeps): AnyEndpoint[] {
  const { db } = deps;
  return [
    endpoint({
      method: "POST",
      path: "/backend/billing/order/create/",
      access: "optional_user",
      input: createOrderInput,
      summary: "Place an order for a plan; without a login, the response has a code to claim it",
      output: createdOrderResponse,
      errors: [
        "not_found",
        "invalid_amount",
        "idempotency_mismatch",
        "in_progress",
        "too_many_attempts",
        ...couponErrors,
      ],
      limits: ["Anonymous orders and unknown coupons are rate-limited (`too_many_attempts`)."],
      handle: async ({ input, user, request, clientIp }) => {
        const sent = idempotencyKeyOf(request, input.idempotency_key);
        const idempotencyKey = await admitOrder(deps.guests, { user, clientIp }, sent);
        const { coupon_code: couponCode, plan_code: planCode, amount_usd: amountUsd } = input;
        const place = (): Promise<PlacedOrder> =>
          db.withTransaction((tx) =>
            createOrder(tx, {
              ...{ planCode, amountUsd, couponCode, ...placeOf(user) },
              email: user === null ? (input.email ?? null) : null,
              payChannel: "none",
              sender: null,
              vendor: null,
              idempotencyKey,
              visitorId: input.visitor_id,
            }),
          );
        const { order, claimCode } = await tryCoupon(deps.codeAttempts, { user, clientIp }, couponCode, place);
        return { order: orderEntry(order), ...(claimCode === null ? {} : { claim_code: claimCode }) };
      },
    }),
    endpoint({
      method: "GET",
      path: "/backend/billing/order/status/",
      access: "optional_user",
      input: orderNumberInput,
      summary: "Get an order by its number",
      output: orderResponse,
      errors: ["not_found"],
      handle: async ({ input, user }) => ({
        order: orderEntry(await readOrder(db, input.order_no, user?.userId ?? null, organisationOf(user))),
      }),
    }),
    endpoint({
      method: "GET",
      path: "/backend/billing/order/list/",
      access: "user",
      input: pageInput,
      summary: "List the user's orders, newest first",
      output: orderListResponse,
      errors: [],
      handle: async ({ input, user }) => {
        const page = { organisationId: organisationOf(user), cursor: input.cursor ?? null, limit: input.limit };
        const { rows, nextCursor } = await listOrders(db, user.userId, page);
        return { orders: rows.map(orderEntry), next_cursor: nextCursor };
      },
    }),
  ];
}

function orderChangeEndpoints({ db }: BillingEndpointDeps): AnyEndpoint[] {
  return [
    endpoint({
      method: "POST",
      path: "/backend/billing/order/cancel/",
      access: "optional_user",
      input: ownOrderInput,
      summary: "Cancel an order that is waiting for its payment",
      output: orderResponse,
      errors: ["not_found", "conflict"],
      handle: async (call) => {
        const { input, user } = call;
        const by = { ...placeOf(user), claimCode: input.claim_code ?? null };
        const order = await db.withTransaction(async (tx) => {
          const cancelled = await cancelOrder(tx, input.order_no, by);
          if (user !== null) {
            await auditOrder(tx, { ...call, user }, "order.cancel");
          }
          return cancelled;
        });
        return { order: orderEntry(order) };
      },
    }),
    endpoint({
      method: "POST",
      path: "/backend/billing/order/claim/",
      access: "user",
      input: claimOrderInput,
      summary: "Claim an order that was placed without a login; it is credited once paid",
      output: orderResponse,
      errors: ["not_found", "conflict"],
      handle: async (call) => {
        const { input, user } = call;
        const claim = { orderNo: input.order_no, claimCode: input.claim_code, userId: user.userId };
        const order = await db.withTransaction(async (tx) => {
          const claimed = await claimOrder(tx, claim);
          await auditOrder(tx, call, "order.claim");
          return claimed;
        });
        return { order: orderEntry(order) };
      },
    }),
  ];
}

function mockSettleEndpoint(deps: BillingEndpointDeps): AnyEndpoint {
  return endpoint({
    method: "POST",
    path: "/backend/payment/mock-settle/",
    access: "optional_user",
    input: ownOrderInput,
    summary: "Settle an order without a payment, as its owner, by its code or as an admin; for testing only",
    output: mockSettleResponse,
    errors: ["not_found", "not_offered"],
    handle: async ({ input, user, request }) => {
      if (!deps.isMockOffered) {
        throw new AppError("not_offered");
      }
      const admin = await deps.admins.readAdmin(request);
      const isAdmin = admin !== null && roleAllows(admin.role, "/backend/admin/order/resolve/");
      const by = { ...placeOf(user), claimCode: input.claim_code ?? null };
      const anyOrder = isAdmin ? await findOrder(deps.db, input.order_no) : null;
      const order = anyOrder ?? (await findOwnOrder(deps.db, input.order_no, by));
      const { orderNo, amountUsd, currency } = order;
      const transactionId = `mock:${orderNo}`;
      const notice = { gateway: "mock", account: "mock", transactionId, orderNo, amountUsd, currency } as const;
      const result = await settlePaid(deps, notice);
      return { result, order: orderEntry((await findOrder(deps.db, orderNo)) ?? order) };
    },
  });
}

const toLocale = (text: string): Locale => (isLocale(text) ? text : "en");

/** Whose statement it is: that of an organisation is not the member's who prints it. */
async function ownerName(db: Queryable, { organisation, email }: UserCaller): Promise<string> {
  return organisation === undefined ? email : ((await findOrganisationName(db, organisation.organisationId)) ?? email);
}

/** What a member can still spend, by the limits of that member's keys (`gateway/account-figures/`): not what others have spent. */
function memberBalance(ofAccount: bigint, ofMember: bigint | null): Unsent<z.output<typeof balanceResponse>> {
  const remaining = ofMember !== null && ofMember < ofAccount ? ofMember : ofAccount;
  const hidden = { used_quota: null, ledger_balance_quota: null };
  return { balance: { remaining_quota: remaining, ...hidden, remaining_usd: usdOfQuota(remaining) }, spend_limits: [] };
}

function accountEndpoints({ db }: BillingEndpointDeps): AnyEndpoint[] {
  return [
    endpoint({
      method: "GET",
      path: "/backend/billing/balance/",
      access: "user",
      input: noInput,
      summary:
        "Get the remaining balance, the cost of calls so far, the ledger balance, and limits of spending; members of an organisation who may not see its usage get what they can still spend",
      output: balanceResponse,
      errors: [],
      handle: async ({ user }) => {
        const { remaining, used } = await readUserQuota(db, user.gatewayUserId);
        if (user.organisation !== undefined && !mayInOrganisation(user.organisation.role, "usage")) {
          return memberBalance(remaining, await readMemberBudget(db, user.organisation.memberId));
        }
        const ledgerBalance = await readBalance(db, user.gatewayUserId);
        const amounts = { remaining_quota: remaining, used_quota: used, ledger_balance_quota: ledgerBalance };
        const spendLimits = await listSpendLimits(db, user.gatewayUserId);
        return { balance: { ...amounts, remaining_usd: usdOfQuota(remaining) }, spend_limits: spendLimits };
      },
    }),
    endpoint({
      method: "GET",
      path: "/backend/billing/ledger/",
      access: "user",
      input: pageInput,
      summary: "List the user's ledger entries, newest first",
      output: ledgerResponse,
      errors: [],
      handle: async ({ input, user }) => {
        const page = { cursor: input.cursor ?? null, limit: input.limit };
        const { rows, nextCursor } = await listEntries(db, user.gatewayUserId, page);
        const lines = rows.map((entry) => ({
          id: entry.id,
          change_type: entry.changeType,
          reference: entry.reference,
          note: entry.note,
          amount: entry.amount,
          balance_after: entry.balanceAfter,
          created_at: entry.createdAt,
        }));
        return { entries: lines, next_cursor: nextCursor };
      },
    }),
    endpoint({
      method: "GET",
      path: "/backend/billing/statement/sums/",
      access: "user",
      input: statementSumsInput,
      summary: "Get a monthly statement: opening balance, sum of each kind of change, closing balance",
      output: statementSumsResponse,
      errors: [],
      handle: async ({ input, user }) => {
        const statement = await readStatement(db, user.gatewayUserId, input.month);
        const sums = sumsOfStatement(statement).map(([changeType, amount]) => ({ change_type: changeType, amount }));
        const { month, openingBalance, closingBalance } = statement;
        return { statement: { month, opening_quota: openingBalance, sums, closing_quota: closingBalance } };
      },
    }),
    endpoint({
      method: "GET",
      path: "/backend/billing/statement/",
      access: "user",
      input: statementInput,
      summary: "Download a monthly statement as CSV, or as a page to print",
      output: null,
      otherResponses: [
        { status: 200, type: "text/csv", summary: "With `format=csv`." },
        { status: 200, type: "text/html", summary: "With `format=html`." },
      ],
      errors: [],
      handle: async ({ input, user }) => {
        const statement = await readStatement(db, user.gatewayUserId, input.month);
        return input.format === "csv"
          ? new Response(statementCsv(statement), { headers: csvHeaders(`statement-${input.month}.csv`) })
          : pageAnswer(statementHtml(statement, { owner: await ownerName(db, user), locale: toLocale(user.locale) }));
      },
    }),
  ];
}

function subscriptionEndpoints({ db }: BillingEndpointDeps): AnyEndpoint[] {
  return [
    endpoint({
      method: "GET",
      path: "/backend/billing/subscription/list/",
      access: "user",
      input: noInput,
      summary: "List the user's subscriptions, newest first",
      output: subscriptionListResponse,
      errors: [],
      handle: async ({ user }) => ({
        subscriptions: (await listSubscriptions(db, user.gatewayUserId)).map(subscriptionEntry),
      }),
    }),
    endpoint({
      method: "POST",
      path: "/backend/billing/subscription/cancel/",
      access: "user",
      input: cancelSubscriptionInput,
      summary: "Cancel a subscription at the end of its period",
      output: subscriptionListResponse,
      errors: ["not_found", "conflict"],
      handle: async ({ input, ...call }) => {
        await db.withTransaction(async (tx) => {
          const place = { userId: call.user.userId, organisationId: organisationOf(call.user) };
          const renewal = await findOpenRenewal(tx, place, input.plan_code);
          if (renewal !== null && isLive(renewal) && !renewal.isCancelledAtEnd) {
            throw new AppError("conflict", { message: "This plan renews: cancel its subscription." });
          }
          if (!(await cancelAtEnd(tx, call.user.gatewayUserId, input.plan_code))) {
            throw notFound("subscription");
          }
          await audit(tx, byCaller(call), "subscription.cancel", {
            subjectKind: "subscription",
            subjectId: input.plan_code,
            before: { isCancelledAtEnd: false },
            after: { isCancelledAtEnd: true },
          });
        });
        return { subscriptions: (await listSubscriptions(db, call.user.gatewayUserId)).map(subscriptionEntry) };
      },
    }),
  ];
}

const organisationOf = (user: UserCaller | null): bigint | null => user?.organisation?.organisationId ?? null;

/** Who asks, and for whose account. */
const placeOf = (user: UserCaller | null) => ({ userId: user?.userId ?? null, organisationId: organisationOf(user) });

type OrderCall = {
  readonly user: UserCaller;
  readonly input: { readonly order_no: string };
  readonly requestId: string;
  readonly clientIp: string;
};

async function auditOrder(tx: Transaction, call: OrderCall, action: "order.cancel" | "order.claim"): Promise<void> {
  await audit(tx, byCaller(call), action, { subjectKind: "order", subjectId: call.input.order_no });
}

function pageAnswer(text: string): Response {
  const plain = { "cache-control": "no-store", "x-content-type-options": "nosniff" };
  const type = { "content-type": "text/html; charset=utf-8", "content-security-policy": statementPolicy };
  return new Response(text, { headers: { ...plain, ...type } });
}
