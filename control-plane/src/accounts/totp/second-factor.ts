import { randomBytes } from "node:crypto";
import { audit } from "../../admin/audit/service.ts";
import type { MailQueue } from "../../mail/model.ts";
import type { Clock } from "../../platform/clock.ts";
import { isEqualSecret } from "../../platform/crypto/compare.ts";
import type { MasterKey } from "../../platform/crypto/master-key.ts";
import { open, seal, sealContext } from "../../platform/crypto/seal.ts";
import type { SealedColumn } from "../../platform/crypto/sealed-column.ts";
import type { Database, Transaction } from "../../platform/db.ts";
import { AppError } from "../../platform/errors.ts";
import { countCode } from "../attempts/attempts.ts";
import type { Origin } from "../model.ts";
import { authenticatorUri, findStep, secretBytes, toBase32 } from "./one-time-code.ts";
import {
  matchesImported,
  readImportedCode,
  readRecoveryCode,
  recoveryCodeBytes,
  recoveryCodesMade,
  recoveryDigest,
  toRecoveryCode,
} from "./recovery-code.ts";
import {
  findCodeHolder,
  type KeptCode,
  listUnusedCodes,
  markCodeUsed,
  replaceRecoveryCodes,
} from "./recovery-store.ts";
import { type CodeOwner, enableSecret, lockSecret, putSecret, tableNameOf, takeStep } from "./totp-store.ts";

export type SecondFactorDeps = {
  readonly db: Database;
  readonly masterKey: MasterKey;
  readonly clock: Clock;
  readonly mails: MailQueue;
  /** The base URL of the links in emails. */
  readonly baseUrl: string;
  /** The name of the service, which authenticators show. */
  readonly brandName: () => string;
};

/** The encrypted column for a kind of owner, for the rotation of the master key. */
const columnOf = (kind: CodeOwner["kind"]): SealedColumn => {
  const table = tableNameOf(kind);
  const column = "totp_sealed";
  return {
    table,
    column,
    key: ["id"],
    isSmall: kind === "admin",
    contextOf: ([id]) => sealContext({ table, column, row: id ?? "", owner: id ?? "" }),
  };
};

const columns = { user: columnOf("user"), admin: columnOf("admin") };

/** What this feature encrypts under the master key. */
export const totpSealedColumns: readonly SealedColumn[] = [columns.user, columns.admin];

/** What a stored secret is bound to. */
export const totpContextOf = ({ kind, id }: CodeOwner): string => columns[kind].contextOf([id.toString()]);

/** The pages where owners manage their codes. */
const accountPaths = { user: "/console/account/", admin: "/admin/account/" } as const;

/** The codes of an authenticator as a second factor at login, and the recovery codes that replace a lost one. */
export class SecondFactor {
  readonly #deps: SecondFactorDeps;

  constructor(deps: SecondFactorDeps) {
    this.#deps = deps;
  }

  /**
   * Creates a secret, which is shown once; logins do not require codes yet.
   * @throws AppError `conflict` when one is already in use
   */
  async begin(tx: Transaction, owner: CodeOwner, account: string): Promise<{ secret: string; uri: string }> {
    const { isEnabled } = await lockSecret(tx, owner);
    if (isEnabled) {
      throw new AppError("conflict", { message: "An authenticator is already set up. Remove it first." });
    }
    const secret = randomBytes(secretBytes);
    await putSecret(tx, owner, seal(this.#deps.masterKey.sealing, secret, totpContextOf(owner)));
    return { secret: toBase32(secret), uri: authenticatorUri(secret, this.#deps.brandName(), account) };
  }

  /**
   * Requires codes from now on. The first code proves that the authenticator has the secret.
   * @returns the recovery codes, which are shown once
   * @throws AppError `invalid_code`, `conflict`, `too_many_attempts`
   */
  async enable(owner: CodeOwner, code: string, alongWith: (tx: Transaction) => Promise<void>): Promise<string[]> {
    const proven = await this.#count(owner, (tx, sealed) => this.#takeStep(tx, owner, sealed, code));
    return await this.#deps.db.withTransaction(async (tx) => {
      const { sealed, isEnabled } = await lockSecret(tx, owner);
      // Another secret may have been created since the code was checked.
      if (sealed === null || isEnabled || Buffer.compare(sealed, proven) !== 0) {
        throw new AppError("conflict", { message: "No authenticator is being set up." });
      }
      await enableSecret(tx, owner);
      await alongWith(tx);
      return await this.makeRecoveryCodes(tx, owner);
    });
  }

  /**
   * Creates recovery codes that replace all earlier ones.
   * @throws AppError `conflict` when codes are not required
   */
  async makeRecoveryCodes(tx: Transaction, owner: CodeOwner): Promise<string[]> {
    if (!(await lockSecret(tx, owner)).isEnabled) {
      throw new AppError("conflict", { message: "No authenticator is set up." });
    }
    const codes = Array.from({ length: recoveryCodesMade }, () => toRecoveryCode(randomBytes(recoveryCodeBytes)));
    const digests = codes.map((code) => recoveryDigest(owner, readRecoveryCode(code) ?? ""));
    await replaceRecoveryCodes(tx, owner, digests);
    return codes;
  }

  /**
   * Accepts an authenticator code or a recovery code, and uses it up: two simultaneous logins can't both use it.
   * @throws AppError `code_required`, `invalid_code`, `too_many_attempts`
   */
  async check(owner: CodeOwner, code: string | undefined, origin: Origin): Promise<void> {
    if (code === undefined || code === "") {
      throw new AppError("code_required");
    }
    const isOne = recoveryMatch(owner, code);
    await this.#count(owner, (tx, sealed) =>
      isOne === null ? this.#takeStep(tx, owner, sealed, code) : this.#takeRecoveryCode(tx, owner, isOne, origin),
    );
  }

  /**
   * Counts the attempt before it is made; the owner's row is locked while the code is checked.
   * @returns the encrypted secret that the code matches
   */
  async #count(owner: CodeOwner, take: (tx: Transaction, sealed: Uint8Array) => Promise<boolean>): Promise<Uint8Array> {
    const { db } = this.#deps;
    const counted = await countCode(db, `${owner.kind}:${owner.id}`);
    const proven = await db.withTransaction(async (tx) => {
      const { sealed } = await lockSecret(tx, owner);
      return sealed !== null && (await take(tx, sealed)) ? sealed : null;
    });
    if (proven === null) {
      throw new AppError("invalid_code");
    }
    await counted.succeeded();
    return proven;
  }

  async #takeStep(tx: Transaction, owner: CodeOwner, sealed: Uint8Array, code: string): Promise<boolean> {
    const { masterKey, clock } = this.#deps;
    const secret = open(masterKey.opening, sealed, totpContextOf(owner));
    const step = findStep(secret, code.replace(/\s/g, ""), clock.now());
    return step !== null && (await takeStep(tx, owner, step));
  }

  /** Uses up a recovery code; its use is recorded and reported to the owner in the same transaction. */
  async #takeRecoveryCode(tx: Transaction, owner: CodeOwner, isOne: RecoveryMatch, origin: Origin): Promise<boolean> {
    const kept = await listUnusedCodes(tx, owner);
    // Every code is compared, so that timing reveals nothing.
    const matches = await Promise.all(kept.map((each) => isOne(each)));
    const code = kept.find((_, at) => matches[at]);
    const holder = await findCodeHolder(tx, owner);
    if (code === undefined || holder === null || !(await markCodeUsed(tx, code.id))) {
      return false;
    }
    const left = kept.length - 1;
    await audit(
      tx,
      { actor: { kind: owner.kind, id: owner.id, name: holder.name }, requestId: origin.requestId, ip: origin.ip },
      `${owner.kind}.recovery_code_use`,
      { subjectKind: owner.kind, subjectId: owner.id, before: { left: kept.length }, after: { left } },
    );
    if (holder.email !== null) {
      await this.#deps.mails.queueMail(tx, {
        dedupeKey: `recovery_code_used:${owner.kind}:${code.id}`,
        template: "recovery_code_used",
        userId: owner.kind === "user" ? owner.id : null,
        to: holder.email,
        locale: holder.locale,
        variables: { left: String(left), account_link: `${this.#deps.baseUrl}${accountPaths[owner.kind]}` },
        source: "accounts",
      });
    }
    return true;
  }
}

/** Whether a stored code is the one that was typed. */
type RecoveryMatch = (kept: KeptCode) => boolean | Promise<boolean>;

/** Finds a recovery code by what was typed; null when that is none, such as the digits of an authenticator. */
function recoveryMatch(owner: CodeOwner, typed: string): RecoveryMatch | null {
  const letters = readRecoveryCode(typed);
  if (letters !== null) {
    const digest = recoveryDigest(owner, letters);
    return (kept) => isEqualSecret(kept.digest, digest);
  }
  const imported = readImportedCode(typed);
  return imported === null ? null : (kept) => matchesImported(kept.digest, imported);
}
