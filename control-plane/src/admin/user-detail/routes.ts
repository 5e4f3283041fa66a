import type { GatewayUserId } from "@sluice/contracts/ids";
import { userDetail, userDetailInput } from "@sluice/contracts/user-admin";
import { type AnyEndpoint, endpoint } from "../../platform/endpoint/model.ts";
import { notFound } from "../../platform/errors.ts";
import { type ListDeps, readFirstPage } from "../../platform/list-query/endpoints.ts";
import { sumEarlierUsage } from "../../usage/views/earlier-store.ts";
import { audits, keys, mails, users } from "../lists/accounts-lists-store.ts";
import { ledgerEntries, orders, payments, refunds } from "../lists/billing-lists-store.ts";
import { usage } from "../lists/gateway-lists-store.ts";
import {
  findAccount,
  selectGroups,
  selectPasskeys,
  selectSessions,
  selectSignIns,
  selectSubscriptions,
  sumSpent,
} from "./user-detail-store.ts";

/** A user with everything related to them in one response, so that a page needs a single request. */
export function userDetailEndpoints(deps: ListDeps): AnyEndpoint[] {
  return [
    endpoint({
      method: "GET",
      path: "/backend/admin/user/detail/",
      access: "admin",
      input: userDetailInput,
      output: userDetail,
      errors: ["not_found", "too_broad"],
      summary:
        "Get everything about a user: balance, keys, orders, payments, calls, linked sign-ins, passkeys, sessions, ledger, mails, audit log",
      handle: async ({ input: { user_id: userId } }) => ({ ...(await readUserDetail(deps, userId)) }),
    }),
  ];
}

async function readUserDetail(deps: ListDeps, userId: bigint) {
  const { db, clock } = deps;
  const found = await findAccount(db, userId);
  if (found === null) {
    throw notFound("user");
  }
  const filter = { user_id: userId };
  // The queries run one after the other, so that the page of a user does not take every connection of the pool.
  const { rows } = await readFirstPage(deps, users, filter);
  return {
    user: { ...rows[0], ...found.account },
    balance: found.balance,
    spent: await sumSpent(db, found.gatewayUserId, new Date(clock.now())),
    earlier_usage: await sumEarlierUsage(db, found.gatewayUserId as GatewayUserId),
    subscriptions: await selectSubscriptions(db, userId),
    groups: await selectGroups(db, found.gatewayUserId),
    sign_ins: await selectSignIns(db, userId),
    passkeys: await selectPasskeys(db, userId),
    sessions: await selectSessions(db, userId),
    keys: await readFirstPage(deps, keys, filter),
    orders: await readFirstPage(deps, orders, filter),
    payments: await readFirstPage(deps, payments, filter),
    refunds: await readFirstPage(deps, refunds, filter),
    usage: await readFirstPage(deps, usage, filter),
    ledger: await readFirstPage(deps, ledgerEntries, filter),
    mails: await readFirstPage(deps, mails, filter),
    audit: await readFirstPage(deps, audits, { about_user_id: userId }),
  };
}
