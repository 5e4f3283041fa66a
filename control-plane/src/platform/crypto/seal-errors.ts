/** A sealed value could not be opened. The message never quotes content, only what went wrong. */
export class SealError extends Error {
  override readonly name: string = "SealError";
}

/** The value is too short, or of a version that this program does not know. */
export class MalformedSealError extends SealError {
  override readonly name = "MalformedSealError";
}

/** The value was sealed under an unknown key: the master key was rotated, or the data key was destroyed. */
export class UnknownSealingKeyError extends SealError {
  override readonly name = "UnknownSealingKeyError";
  readonly keyId: string;

  constructor(keyId: string) {
    super(`sealed under key ${keyId}, which is not available`);
    this.keyId = keyId;
  }
}

/** The bytes were changed, or they belong to another table, column, row or owner. */
export class BrokenSealError extends SealError {
  override readonly name = "BrokenSealError";

  constructor(keyId: string) {
    super(`does not open with key ${keyId}: altered, or taken from another place`);
  }
}
