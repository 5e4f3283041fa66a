import { randomBytes } from "node:crypto";
import type { Clock } from "../../platform/clock.ts";
import type { MasterKey } from "../../platform/crypto/master-key.ts";
import { open, seal, sealContext } from "../../platform/crypto/seal.ts";
import type { SealedColumn } from "../../platform/crypto/sealed-column.ts";
import type { Database, Transaction } from "../../platform/db.ts";
import { AppError } from "../../platform/errors.ts";
import { countCode } from "../attempts/attempts.ts";
import { authenticatorUri, findStep, secretBytes, toBase32 } from "./one-time-code.ts";
import { type CodeOwner, enableSecret, lockSecret, putSecret, tables, takeStep } from "./totp-store.ts";

export type SecondFactorParts = {
  readonly db: Database;
  readonly masterKey: MasterKey;
  readonly clock: Clock;
};

const issuer = "Sluice";

/** The column of a kind of owner, for the exchange of the master key. */
const columnOf = (kind: CodeOwner["kind"]): SealedColumn => {
  const table = tables[kind];
  const column = "totp_sealed";
  return {
    table,
    column,
    key: ["id"],
    contextOf: ([id]) => sealContext({ table, column, row: id ?? "", owner: id ?? "" }),
  };
};

const columns = { user: columnOf("user"), admin: columnOf("admin") };

/** What this feature keeps under the master key. */
export const totpSealedColumns: readonly SealedColumn[] = [columns.user, columns.admin];

const contextOf = ({ kind, id }: CodeOwner): string => columns[kind].contextOf([id.toString()]);

/** The codes of an authenticator as a second proof at the login. */
export class SecondFactor {
  readonly #parts: SecondFactorParts;

  constructor(parts: SecondFactorParts) {
    this.#parts = parts;
  }

  /**
   * Makes a secret, which is shown once and not yet asked for.
   * @throws AppError `conflict` when there is one in use
   */
  async begin(tx: Transaction, owner: CodeOwner, account: string): Promise<{ secret: string; uri: string }> {
    const { isEnabled } = await lockSecret(tx, owner);
    if (isEnabled) {
      throw new AppError("conflict", { message: "An authenticator is set up already. Remove it first." });
    }
    const secret = randomBytes(secretBytes);
    await putSecret(tx, owner, seal(this.#parts.masterKey.sealing, secret, contextOf(owner)));
    return { secret: toBase32(secret), uri: authenticatorUri(secret, issuer, account) };
  }

  /**
   * Asks for codes from now on: the first one shows that the authenticator knows the secret.
   * @throws AppError `invalid_code`, `conflict`, `too_many_attempts`
   */
  async enable(owner: CodeOwner, code: string, alongWith: (tx: Transaction) => Promise<void>): Promise<void> {
    await this.check(owner, code);
    await this.#parts.db.withTransaction(async (tx) => {
      const { sealed, isEnabled } = await lockSecret(tx, owner);
      if (sealed === null || isEnabled) {
        throw new AppError("conflict", { message: "No authenticator is being set up." });
      }
      await enableSecret(tx, owner);
      await alongWith(tx);
    });
  }

  /**
   * Takes a code, which is then used up: two logins at the same moment can't both have it.
   * @throws AppError `code_required`, `invalid_code`, `too_many_attempts`
   */
  async check(owner: CodeOwner, code: string | undefined): Promise<void> {
    if (code === undefined || code === "") {
      throw new AppError("code_required");
    }
    const { db, masterKey, clock } = this.#parts;
    const counted = await countCode(db, `${owner.kind}:${owner.id}`);
    const isTaken = await db.withTransaction(async (tx) => {
      const { sealed } = await lockSecret(tx, owner);
      const secret = sealed === null ? null : open(masterKey.opening, sealed, contextOf(owner));
      const step = secret === null ? null : findStep(secret, code.replace(/\s/g, ""), clock.now());
      return step !== null && (await takeStep(tx, owner, step));
    });
    if (!isTaken) {
      throw new AppError("invalid_code");
    }
    await counted.succeeded();
  }
}
