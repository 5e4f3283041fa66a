import { AppError } from "../../../platform/errors.ts";
import type { RequestRefusal } from "../../model.ts";

/** What is wrong with a request for a channel that would get it as it is. */
export class Refusals {
  readonly #isKept: boolean;
  #first: RequestRefusal | null = null;

  /** @param isKept a conversion may leave out what is wrong; otherwise it is thrown */
  constructor(isKept: boolean) {
    this.#isKept = isKept;
  }

  /** The first refusal; null if there was none. */
  get found(): RequestRefusal | null {
    return this.#first;
  }

  /** Keeps the error of a check. @throws AppError the same error, if it is not kept */
  note(thrown: unknown): void {
    if (!this.#isKept || !(thrown instanceof AppError)) {
      throw thrown;
    }
    const { code, message, param } = thrown;
    this.#first ??= { code, message, param };
  }
}

/** For requests that no conversion can help. All share it, because it keeps nothing. */
export const nothingKept = new Refusals(false);
