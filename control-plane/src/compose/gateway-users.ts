import type { GatewayUsers } from "../accounts/port.ts";
import { addGatewayUser, changeGatewayUser } from "../gateway/gateway-users.ts";
import { findStartGroup, setAccountGroup } from "../gateway/groups/store.ts";
import { recallIdleLeases } from "../gateway/keys/limit-budget-store.ts";
import { grantQuota, lockUserQuota } from "../gateway/quota/grant-store.ts";

/** Accounts of people and of organisations: each has a user of the gateway. */
export const gatewayUsers: GatewayUsers = {
  create: async (tx, email) => {
    const group = await findStartGroup(tx, email);
    return (await addGatewayUser(tx, group, { amount: 0n, changeType: "registration" })).gatewayUserId;
  },
  change: changeGatewayUser,
  startIn: async (tx, id, groupName) => {
    await setAccountGroup(tx, id, groupName);
  },
  remaining: async (tx, id) => {
    const { remaining, leased } = await lockUserQuota(tx, id);
    return remaining + leased;
  },
  recall: async (tx, id) => {
    const { budgetId, leased } = await lockUserQuota(tx, id);
    if (leased > 0n) {
      await recallIdleLeases(tx, budgetId);
    }
    return leased > 0n;
  },
  forfeit: async (tx, id) => {
    const { budgetId, remaining } = await lockUserQuota(tx, id);
    if (remaining <= 0n) {
      return 0n;
    }
    const reference = `account_closed:${id}`;
    if (!(await grantQuota(tx, { budgetId, amount: -remaining, changeType: "account_closed", reference }))) {
      throw new Error(`${reference} was taken before`);
    }
    return remaining;
  },
  credit: async (tx, id, grant) => {
    const { budgetId } = await lockUserQuota(tx, id);
    if (!(await grantQuota(tx, { budgetId, ...grant }))) {
      throw new Error(`${grant.reference} was credited before`);
    }
  },
};
