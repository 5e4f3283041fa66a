import type { GatewayUserId } from "@sluice/contracts/ids";
import type { PeerUsage } from "./model.ts";
import type { Step } from "./run.ts";
import { lockAccounts, putUsage } from "./store.ts";

const rowsAtOnce = 1_000;

/**
 * Keeps what each user has used there, by day. A day that was moved before is replaced. One whose logs are gone there by now
 * stays as it is here.
 */
export async function moveUsage(step: Step): Promise<void> {
  const { usage } = step.data;
  if (usage === null) {
    return;
  }
  const users = await step.items("user");
  const closed = await lockAll(
    step,
    usage.flatMap(({ userId }) => users.get(userId)?.gatewayUserId ?? []),
  );
  const lost = new Map<string, { readonly why: string; readonly quota: bigint }>();
  const rows: (Omit<PeerUsage, "userId"> & { readonly gatewayUserId: GatewayUserId })[] = [];
  for (const { userId, ...sums } of usage) {
    const gatewayUserId = users.get(userId)?.gatewayUserId ?? null;
    if (gatewayUserId === null || closed.has(gatewayUserId)) {
      const why = gatewayUserId === null ? "The user was not moved" : "The account has been closed here";
      lost.set(userId, { why, quota: (lost.get(userId)?.quota ?? 0n) + sums.quota });
      step.counts.leftOut += 1;
    } else {
      rows.push({ gatewayUserId, ...sums });
    }
  }
  for (let at = 0; at < rows.length; at += rowsAtOnce) {
    const some = rows.slice(at, at + rowsAtOnce);
    const { made, changed } = await putUsage(step.tx, step.options.instance, some);
    step.counts.made += made;
    step.counts.changed += changed;
    step.counts.unchanged += some.length - made - changed;
  }
  const table = step.data.program === "litellm" ? "DailyUserSpend" : "logs";
  for (const [userId, { why, quota }] of lost) {
    step.note("lost", table, `user ${userId}`, `${why}, so the history of ${quota} quota stays there.`);
  }
}

/** @returns those of the accounts that have been closed here */
async function lockAll(step: Step, accounts: readonly GatewayUserId[]): Promise<ReadonlySet<GatewayUserId>> {
  const all = [...new Set(accounts)];
  const closed = new Set<GatewayUserId>();
  for (let at = 0; at < all.length; at += rowsAtOnce) {
    for (const account of await lockAccounts(step.tx, all.slice(at, at + rowsAtOnce))) {
      closed.add(account);
    }
  }
  return closed;
}
