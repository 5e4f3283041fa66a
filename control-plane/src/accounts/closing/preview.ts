import { type ClosingSubject, closingEffects } from "@sluice/contracts/closing";
import type { Transaction } from "../../platform/db.ts";
import type { GatewayUsers } from "../port.ts";
import { countThings, selectMemberships } from "./closing-store.ts";
import type { Account } from "./model.ts";

type Effect = {
  readonly subject: ClosingSubject;
  readonly effect: (typeof closingEffects)[ClosingSubject];
  readonly count: bigint;
};

export type ClosingPreview = {
  /** In quota, with that of organisations that nobody else belongs to; never negative. */
  readonly balance: bigint;
  readonly effects: readonly Effect[];
  readonly isPossible: boolean;
};

/** What closing an account would mean now. */
export async function previewClosing(
  tx: Transaction,
  gatewayUsers: Pick<GatewayUsers, "remaining">,
  account: Account,
): Promise<ClosingPreview> {
  const memberships = await selectMemberships(tx, account.userId);
  const alone = memberships.filter(({ isAlone }) => isAlone);
  const wallets = [account.gatewayUserId, ...alone.map(({ gatewayUserId }) => gatewayUserId)];
  let balance = 0n;
  for (const id of wallets) {
    const remaining = await gatewayUsers.remaining(tx, id);
    balance += remaining > 0n ? remaining : 0n;
  }
  const counts: Readonly<Record<ClosingSubject, number>> = {
    ...(await countThings(tx, account)),
    memberships: memberships.filter(({ isAlone, isNeeded }) => !isAlone && !isNeeded).length,
    own_organisations: alone.length,
    shared_organisations: memberships.filter(({ isNeeded }) => isNeeded).length,
  };
  // In the order of the table, which is that of the page.
  const effects = Object.keys(closingEffects).flatMap((name) => {
    const subject = name as ClosingSubject;
    const count = BigInt(counts[subject]);
    return count === 0n ? [] : [{ subject, effect: closingEffects[subject], count }];
  });
  return { balance, effects, isPossible: effects.every(({ effect }) => effect !== "blocks") };
}
