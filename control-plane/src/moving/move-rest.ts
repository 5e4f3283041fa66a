import { moveBalance } from "./move-balance.ts";
import { isDeleted } from "./move-deleted.ts";
import { balanceOf } from "./move-users.ts";
import type { Step } from "./run.ts";
import type { ItemKind } from "./store.ts";

/**
 * Moves what balances have changed there since the cut-over: calls that had begun there end there, and what they cost or
 * give back is the difference to what was moved. It is right as long as no new call is made there.
 */
export async function moveRest(step: Step): Promise<void> {
  await moveDifferences(step, "user", new Map(step.data.users.map((user) => [user.id, balanceOf(step, user)])));
  const organisations = step.data.organisations.map(({ id, quota }) => [id, quota] as const);
  await moveDifferences(step, "organisation", new Map(organisations));
  await noteUsedCodes(step);
}

async function moveDifferences(step: Step, kind: ItemKind, balances: ReadonlyMap<string, bigint>): Promise<void> {
  for (const [sourceId, item] of await step.items(kind)) {
    const balance = balances.get(sourceId);
    const difference = (balance ?? 0n) - (item.movedQuota ?? 0n);
    if (balance === undefined && isDeleted(item)) {
      step.counts.unchanged += 1;
    } else if (balance === undefined || item.gatewayUserId === null) {
      step.note("decide", `${kind}s`, sourceId, "It is no longer there, so its balance stays as it was moved.");
    } else if (difference === 0n) {
      step.counts.unchanged += 1;
    } else {
      await moveBalance(step, item.gatewayUserId, difference);
      await step.keep(kind, { ...item, movedQuota: balance });
      step.counts.changed += 1;
    }
  }
}

/** Until the edge leads here, a code can be used in both places. */
async function noteUsedCodes(step: Step): Promise<void> {
  const open = new Set(step.data.codes.map(({ id }) => id));
  for (const [id] of await step.items("code")) {
    if (!open.has(id)) {
      step.note(
        "decide",
        "redemptions",
        id,
        "It was used or switched off there after it was moved. Revoke it here, or leave it.",
      );
    }
  }
}
