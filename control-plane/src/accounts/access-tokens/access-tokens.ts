import { liveTokensMax, sensitiveTokenDaysMax, type TokenView } from "@sluice/contracts/management-tokens";
import { managementTokenPrefix } from "@sluice/contracts/token-prefix";
import type { TokenScope } from "@sluice/contracts/token-scopes";
import type { AuditOrigin } from "../../admin/audit/model.ts";
import { audit } from "../../admin/audit/service.ts";
import { sha256 } from "../../platform/crypto/digest.ts";
import { randomText } from "../../platform/crypto/random-text.ts";
import type { Database, Queryable, Transaction } from "../../platform/db.ts";
import type { AdminCaller } from "../../platform/endpoint/model.ts";
import { AppError, notFound } from "../../platform/errors.ts";
import { revokeSessionsOf, type SessionOwner } from "../sessions/store.ts";
import { countLiveTokens, insertToken, revokeToken, revokeTokensOf, selectTokens } from "./store.ts";

const bodyLength = 48;
const hintLength = 4;
/** Ended tokens are shown for a while, so that their owner sees what became of them. */
const tokensShown = 100;

export type TokenWish = {
  readonly name: string;
  readonly scopes: readonly TokenScope[];
  readonly days: number;
  /** The organisation that a user's token acts for; absent for the user's own account. */
  readonly organisationId?: bigint | undefined;
};

/** The access tokens of users and admins. A token is never read again: only its digest is stored. */
export class AccessTokens {
  readonly #db: Database;

  constructor(db: Database) {
    this.#db = db;
  }

  /** Those for an organisation, or all of the owner. */
  async list(owner: SessionOwner, organisationId: bigint | null = null): Promise<TokenView[]> {
    return await selectTokens(this.#db, owner, { limit: tokensShown, organisationId });
  }

  /**
   * Creates a token after the owner has proved who it is.
   * @param lock locks the owner's row, so that two requests can't both take the last place; false if the owner's access has
   * ended since
   * @throws AppError `unauthenticated`, `too_many_tokens`
   */
  async create(
    owner: SessionOwner,
    wish: TokenWish,
    { origin, lock }: { readonly origin: AuditOrigin; readonly lock: (tx: Transaction) => Promise<boolean> },
  ): Promise<{ secret: string; token: TokenView }> {
    const secret = `${managementTokenPrefix}${randomText(bodyLength)}`;
    return await this.#db.withTransaction(async (tx) => {
      if (!(await lock(tx))) {
        throw new AppError("unauthenticated");
      }
      if ((await countLiveTokens(tx, owner)) >= liveTokensMax) {
        throw new AppError("too_many_tokens");
      }
      const made = { tokenHash: sha256(secret), hint: secret.slice(-hintLength) };
      const token = await insertToken(tx, owner, { ...made, ...wish });
      await audit(tx, origin, "access_token.create", {
        ...subjectOf(token),
        after: { ...summaryOf(token), organisationId: wish.organisationId },
      });
      return { secret, token };
    });
  }

  /** @throws AppError `not_found` for a token that is not the owner's */
  async revoke(owner: SessionOwner, id: bigint, origin: AuditOrigin): Promise<TokenView> {
    return await this.#db.withTransaction(async (tx) => {
      const token = await revokeToken(tx, owner, id);
      if (token === null) {
        throw notFound("access token");
      }
      await audit(tx, origin, "access_token.revoke", { ...subjectOf(token), before: summaryOf(token) });
      return token;
    });
  }
}

/**
 * A token can't do more than its owner: admins who are not super-admins get no scope for what requires a fresh login of
 * one.
 * @throws AppError `super_admin_required`, `invalid_value`
 */
export function checkSensitive(admin: AdminCaller, { scopes, days }: Pick<TokenWish, "scopes" | "days">): void {
  if (!scopes.includes("sensitive")) {
    return;
  }
  if (!admin.isSuper) {
    throw new AppError("super_admin_required");
  }
  if (days > sensitiveTokenDaysMax) {
    throw new AppError("invalid_value", {
      fields: {
        expires_in_days: `With the scope 'sensitive', a token ends after at most ${sensitiveTokenDaysMax} days.`,
      },
    });
  }
}

/**
 * Ends every session and every access token of an owner: the password, the second factor or the rights were changed.
 * @param keptSessionId the session that continues, or null
 * @returns how many sessions ended
 */
export async function endAccess(
  tx: Queryable,
  owner: SessionOwner,
  keptSessionId: bigint | null = null,
): Promise<number> {
  await revokeTokensOf(tx, owner);
  return await revokeSessionsOf(tx, owner, keptSessionId);
}

const subjectOf = ({ token_id }: TokenView) => ({ subjectKind: "access_token", subjectId: token_id });
const summaryOf = ({ name, scopes, expires_at }: TokenView) => ({ name, scopes, expiresAt: expires_at });
