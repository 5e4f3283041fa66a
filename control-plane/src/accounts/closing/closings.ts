import type { UserId } from "@sluice/contracts/ids";
import { audit, byUser } from "../../admin/audit/service.ts";
import { type MailQueue, mailLocaleOf } from "../../mail/model.ts";
import type { Database, Transaction } from "../../platform/db.ts";
import type { UserCaller } from "../../platform/endpoint/model.ts";
import { AppError, notFound } from "../../platform/errors.ts";
import { formPath } from "../../platform/page-locale.ts";
import { endAccess } from "../access-tokens/access-tokens.ts";
import { isOpen, type Origin } from "../model.ts";
import type { GatewayUsers } from "../port.ts";
import { ofUser } from "../sessions/store.ts";
import { accountPath } from "../sign-in/model.ts";
import { lockProfile } from "../store.ts";
import { deleteClosing, findAccount, findClosing, insertClosing, selectMemberships } from "./closing-store.ts";
import type { Account, Closing } from "./model.ts";
import { type ClosingPreview, previewClosing } from "./preview.ts";

type AuditOrigin = Parameters<typeof audit>[1];

export type ClosingDeps = {
  readonly mails: MailQueue;
  readonly gatewayUsers: Pick<GatewayUsers, "change" | "remaining">;
  readonly baseUrl: string;
  /** How long a closing can be undone; read on each request, because admins can change it. */
  readonly waitingDays: () => number;
};

/** Who asks for it. */
export type ClosingRequest = {
  readonly agreedQuota: bigint;
  readonly origin: AuditOrigin;
  /** Null for the owner. */
  readonly operator: { readonly name: string; readonly reason: string } | null;
  /** The session in which the owner continues, to be able to undo it. */
  readonly keptSessionId: bigint | null;
};

/** Accounts that are being closed: by their owners, or by the operator. */
export class Closings {
  readonly #db: Database;
  readonly #deps: ClosingDeps;

  constructor(db: Database, deps: ClosingDeps) {
    this.#db = db;
    this.#deps = deps;
  }

  /** @throws AppError `not_found` */
  async preview(userId: UserId): Promise<ClosingPreview & { waitingDays: number; closing: Closing | null }> {
    return await this.#db.withTransaction(async (tx) => {
      const account = await findAccount(tx, userId);
      if (account === null) {
        throw notFound("user");
      }
      const closing = await findClosing(tx, userId);
      const preview = await previewClosing(tx, this.#deps.gatewayUsers, account);
      return { ...preview, waitingDays: this.#deps.waitingDays(), closing };
    });
  }

  /** @throws AppError `conflict`, `closing_blocked`, `balance_changed`, `unauthenticated` */
  async begin(user: UserCaller, agreedQuota: bigint, origin: Origin): Promise<Closing> {
    return await this.#db.withTransaction((tx) =>
      beginClosing(tx, this.#deps, user.userId, {
        agreedQuota,
        origin: byUser(user, origin),
        operator: null,
        keptSessionId: user.sessionId,
      }),
    );
  }

  /** @throws AppError `not_found` without one that this person may undo */
  async undo(userId: UserId, by: { readonly origin: AuditOrigin; readonly reason: string | null }): Promise<void> {
    await this.#db.withTransaction(async (tx) => {
      await lockProfile(tx, userId);
      const account = await findAccount(tx, userId);
      const closing = await findClosing(tx, userId);
      const isOperator = by.reason !== null;
      if (account === null || closing === null || closing.doneAt !== null) {
        throw notFound("closing");
      }
      if (closing.requestedBy === "operator" && !isOperator) {
        throw new AppError("forbidden", { message: "The operator closes this account. Contact support." });
      }
      await deleteClosing(tx, userId);
      await this.#deps.gatewayUsers.change(tx, account.gatewayUserId, { isEnabled: isOpen(account.status) });
      await startCalls(tx, this.#deps.gatewayUsers, await selectMemberships(tx, userId));
      await audit(tx, by.origin, "user.closing_undo", {
        subjectKind: "user",
        subjectId: userId,
        before: { closesAt: closing.closesAt, requestedBy: closing.requestedBy },
        ...(by.reason === null ? {} : { reason: by.reason }),
      });
      await mailAboutClosing(tx, this.#deps, account, { template: "account_kept" });
    });
  }
}

/**
 * Begins to close an account: API keys are refused and access tokens end immediately, and after the waiting period it is
 * closed for good.
 * @throws AppError `not_found`, `conflict` if it is closed or being closed, `closing_blocked`, `balance_changed`
 */
export async function beginClosing(
  tx: Transaction,
  deps: ClosingDeps,
  userId: UserId,
  request: ClosingRequest,
): Promise<Closing> {
  const { agreedQuota, origin, operator, keptSessionId } = request;
  await lockProfile(tx, userId);
  const account = await findAccount(tx, userId);
  if (account === null) {
    throw notFound("user");
  }
  if (account.status === "closed" || (await findClosing(tx, userId)) !== null) {
    throw new AppError("conflict", { message: "This account is already closed, or is being closed." });
  }
  const { balance, effects, isPossible } = await previewClosing(tx, deps.gatewayUsers, account);
  if (!isPossible) {
    throw new AppError("closing_blocked");
  }
  if (balance > agreedQuota) {
    throw new AppError("balance_changed");
  }
  const closing = await insertClosing(tx, {
    userId,
    agreedQuota,
    requestedBy: operator === null ? "owner" : "operator",
    adminName: operator?.name ?? null,
    reason: operator?.reason ?? null,
    days: deps.waitingDays(),
  });
  await deps.gatewayUsers.change(tx, account.gatewayUserId, { isEnabled: false });
  await endAccess(tx, ofUser(userId), keptSessionId);
  await audit(tx, origin, "user.closing_begin", {
    subjectKind: "user",
    subjectId: userId,
    after: {
      closesAt: closing.closesAt,
      balance: balance.toString(),
      ...Object.fromEntries(effects.map(({ subject, count }) => [subject, Number(count)])),
    },
    ...(operator === null ? {} : { reason: operator.reason }),
  });
  await mailAboutClosing(tx, deps, account, { template: "account_closing", closesAt: closing.closesAt });
  return closing;
}

/**
 * Calls of organisations that do not end with the account begin again, where an earlier attempt has stopped them: somebody has
 * joined since, or the closing was undone.
 */
export async function startCalls(
  tx: Transaction,
  gatewayUsers: Pick<GatewayUsers, "change">,
  memberships: Awaited<ReturnType<typeof selectMemberships>>,
): Promise<void> {
  for (const { gatewayUserId } of memberships.filter((each) => each.isOpen)) {
    await gatewayUsers.change(tx, gatewayUserId, { isEnabled: true });
  }
}

/** Tells the owner what happens to the account. */
export async function mailAboutClosing(
  tx: Transaction,
  { mails, baseUrl }: Pick<ClosingDeps, "mails" | "baseUrl">,
  { userId, email, locale }: Account,
  about:
    | { readonly template: "account_closing"; readonly closesAt: Date }
    | { readonly template: "account_kept" | "account_closed" },
): Promise<void> {
  const shared = {
    dedupeKey: `${about.template}:${userId}:${Bun.randomUUIDv7()}`,
    ...{ userId, to: email, locale, source: "accounts" },
  };
  const account_link = baseUrl + accountPath;
  switch (about.template) {
    case "account_closing":
      await mails.queueMail(tx, {
        ...shared,
        template: about.template,
        variables: { account_link, closes_at: about.closesAt.toISOString() },
      });
      return;
    case "account_kept":
      await mails.queueMail(tx, { ...shared, template: about.template, variables: { account_link } });
      return;
    case "account_closed": {
      const register_link = baseUrl + formPath("/register/", mailLocaleOf(locale));
      await mails.queueMail(tx, { ...shared, template: about.template, variables: { register_link } });
      return;
    }
  }
}
