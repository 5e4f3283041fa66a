import { AppError } from "../../platform/errors.ts";
import { Semaphore, SemaphoreFullError } from "../../platform/semaphore.ts";
import { isForeign, matchesForeign } from "./foreign-hashes.ts";

/**
 * These values exceed the recommended minimum for argon2id (19 MiB, two passes). A hash takes about 60 ms on one core.
 */
const argon = { algorithm: "argon2id", memoryCost: 19_456, timeCost: 2 } as const;
/** Each hash takes a core and at least 19 MiB, so logins need a concurrency limit. */
const atOnce = { runningMax: 4, waitingMax: 64, waitMsMax: 2_000 };

/** A dummy hash: unknown users are checked against it, so that they take as long as known ones. */
let hashOfNobody: Promise<string> | null = null;

/** Hashes and compares passwords, a few at a time. */
export class PasswordHashing {
  readonly #semaphore = new Semaphore(atOnce);

  /** @throws AppError `too_many_attempts` when no slot is free within two seconds */
  async hash(password: string): Promise<string> {
    return await this.#inTurn(() => Bun.password.hash(password, argon));
  }

  /**
   * Whether the password matches this hash: argon2id, or a form of other programs. Without a hash the same work is done
   * and the result is false.
   * @throws AppError `too_many_attempts`
   */
  async isRight(password: string, hash: string | null): Promise<boolean> {
    return await this.#inTurn(async () => {
      hashOfNobody ??= Bun.password.hash(crypto.randomUUID(), argon);
      if (hash !== null && isForeign(hash)) {
        return await matchesForeign(password, hash);
      }
      try {
        const isRight = await Bun.password.verify(password, hash ?? (await hashOfNobody));
        return isRight && hash !== null;
      } catch {
        // The stored value is not a hash of a known kind: nobody can log in with it.
        return false;
      }
    });
  }

  /** Whether a hash is of the kind that is made here. */
  isOwn(hash: string): boolean {
    return hash.startsWith("$argon2id$");
  }

  async #inTurn<T>(work: () => Promise<T>): Promise<T> {
    try {
      return await this.#semaphore.run(work);
    } catch (error) {
      throw error instanceof SemaphoreFullError
        ? new AppError("too_many_attempts", { cause: error, retryAfterSeconds: 2 })
        : error;
    }
  }
}
