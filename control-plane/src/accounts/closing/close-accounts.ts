import type { GatewayUserId, UserId } from "@sluice/contracts/ids";
import { audit, bySystem } from "../../admin/audit/service.ts";
import type { Database, Transaction } from "../../platform/db.ts";
import type { GatewayUsers } from "../port.ts";
import type { ClosedMarks } from "../registration/closed-marks.ts";
import { maskOrigins } from "../registration/registration-store.ts";
import { lockProfile } from "../store.ts";
import {
  deleteAccess,
  endMembership,
  findAccount,
  forgetMails,
  forgetOrganisation,
  forgetPerson,
  lockDue,
  markDone,
  markTried,
  revokeKeys,
  selectDue,
  selectMemberships,
  suspendOrganisation,
} from "./closing-store.ts";
import { type ClosingDeps, mailAboutClosing, startCalls } from "./closings.ts";
import { closedNameOf, pseudonymOf } from "./model.ts";
import { previewClosing } from "./preview.ts";

export type CloseDeps = Pick<ClosingDeps, "mails" | "baseUrl"> & {
  readonly gatewayUsers: Pick<GatewayUsers, "change" | "remaining" | "recall" | "forfeit">;
  readonly marks: ClosedMarks;
};

const closedPerRunMax = 50;
const mailsPerRunMax = 500;

/** Closes the accounts whose time to undo it is over. Safe to repeat; what can't be closed yet is tried again. */
export async function closeDueAccounts(db: Database, deps: CloseDeps): Promise<void> {
  for (const userId of await selectDue(db, closedPerRunMax)) {
    const isDone = await db.withTransaction((tx) => closeAccount(tx, deps, userId));
    if (!isDone) {
      await markTried(db, userId);
    }
  }
  await forgetMails(db, mailsPerRunMax);
}

/**
 * Closes an account for good: what is left of the balance is taken, everything that opens it or calls with it ends, and
 * the person's data is removed. The books stay.
 * @returns false if it has to wait: something came up that has to be settled first, there is more to lose than was agreed
 * to, or replicas still hold some of the balance
 */
async function closeAccount(tx: Transaction, deps: CloseDeps, userId: UserId): Promise<boolean> {
  const { gatewayUsers } = deps;
  await lockProfile(tx, userId);
  const due = await lockDue(tx, userId);
  const account = await findAccount(tx, userId);
  if (account === null || due === null) {
    return true;
  }
  const { balance, isPossible } = await previewClosing(tx, gatewayUsers, account);
  if (!isPossible || balance > due.agreedQuota) {
    return false;
  }
  const memberships = await selectMemberships(tx, userId);
  const alone = memberships.filter(({ isAlone }) => isAlone);
  await startCalls(
    tx,
    gatewayUsers,
    memberships.filter(({ isAlone }) => !isAlone),
  );
  const wallets = [account.gatewayUserId, ...alone.map(({ gatewayUserId }) => gatewayUserId)];
  const isLent = await stopCalls(tx, gatewayUsers, wallets);
  // A replica that is gone for good gives nothing back.
  if (isLent && !due.isLate) {
    return false;
  }
  // Only now, because until then its owner may undo the closing.
  for (const { organisationId } of alone) {
    await suspendOrganisation(tx, organisationId);
  }
  for (const { memberId } of memberships) {
    await endMembership(tx, memberId);
  }
  const keys = await revokeKeys(tx, wallets);
  let taken = 0n;
  for (const wallet of wallets) {
    taken += await gatewayUsers.forfeit(tx, wallet);
  }
  await mailAboutClosing(tx, deps, account, { template: "account_closed" });
  await deleteAccess(tx, account);
  await forgetPerson(tx, account, pseudonymOf(userId));
  for (const organisation of alone) {
    await forgetOrganisation(tx, organisation, closedNameOf(organisation.organisationId));
  }
  await maskOrigins(tx, userId, (origin) => deps.marks.of(origin));
  await markDone(tx, userId);
  await audit(tx, bySystem("close-accounts"), "user.close", {
    subjectKind: "user",
    subjectId: userId,
    after: { taken: taken.toString(), keys, organisations: alone.length },
  });
  return true;
}

/** No call begins any more. Returns whether replicas still hold some of the balance; they are asked to give it back. */
async function stopCalls(
  tx: Transaction,
  gatewayUsers: Pick<GatewayUsers, "change" | "recall">,
  wallets: readonly GatewayUserId[],
): Promise<boolean> {
  let isLent = false;
  for (const wallet of wallets) {
    await gatewayUsers.change(tx, wallet, { isEnabled: false });
    isLent = (await gatewayUsers.recall(tx, wallet)) || isLent;
  }
  return isLent;
}
