import { addressGroup, addressNetwork } from "../../platform/client-address.ts";
import { sha256Hex } from "../../platform/crypto/digest.ts";
import type { Database } from "../../platform/db.ts";
import { AppError } from "../../platform/errors.ts";
import { countAttempt, forgetAttempts, uncountAttempt } from "./attempt-store.ts";
import {
  type AskedMail,
  type AttemptKind,
  type AttemptLimit,
  addressLimits,
  askerLimit,
  codeLimit,
  networkLimits,
  recipientLimit,
} from "./model.ts";

/** An attempt that was counted and may be made. */
export type Attempt = {
  /** The attempt succeeded: the pair starts again from zero, and the address gets this attempt back. */
  succeeded(): Promise<void>;
};

/** Who tries. */
export type AttemptBy = {
  /** What names the account, as it was said; it need not exist. */
  readonly account: string;
  readonly ip: string;
  /** A browser of the owner of the account: it is counted for itself, whatever others do from its address. */
  readonly device?: string | null;
};

/**
 * Counts an attempt on an account from an address.
 * @throws AppError `too_many_attempts` with the seconds to wait
 */
export async function beginAttempt(db: Database, kind: AttemptKind, by: AttemptBy): Promise<Attempt> {
  const device = by.device ?? null;
  if (device !== null) {
    const key = digest(kind.name, "device", device);
    await refuseAbove(db, key, kind.ofPair);
    return { succeeded: () => forgetAttempts(db, key) };
  }
  const address = addressGroup(by.ip);
  const pairKey = digest(kind.name, "pair", address, by.account.toLowerCase());
  const addressKey = digest(kind.name, "address", address);
  const wait =
    (await countAttempt(db, addressKey, kind.ofAddress)) ?? (await countPair(db, kind, { pairKey, addressKey }));
  if (wait !== null) {
    throw new AppError("too_many_attempts", { retryAfterSeconds: wait });
  }
  return {
    succeeded: async () => {
      await forgetAttempts(db, pairKey);
      await uncountAttempt(db, addressKey);
    },
  };
}

async function countPair(
  db: Database,
  kind: AttemptKind,
  { pairKey, addressKey }: { pairKey: string; addressKey: string },
): Promise<number | null> {
  const wait = await countAttempt(db, pairKey, kind.ofPair);
  if (wait !== null) {
    // It was not made, so it is none of the address either.
    await uncountAttempt(db, addressKey);
  }
  return wait;
}

/**
 * @param free how many are allowed without waiting, where admins can set that
 * @throws AppError `too_many_attempts` when the address has asked for too much of this
 */
export async function countFromAddress(
  db: Database,
  what: keyof typeof addressLimits,
  ip: string,
  free: number = addressLimits[what].free,
): Promise<void> {
  await refuseAbove(db, digest(what, "address", addressGroup(ip)), { ...addressLimits[what], free });
}

/** @throws AppError `too_many_attempts` when too much of this came from the network of the address */
export async function countFromNetwork(db: Database, what: keyof typeof networkLimits, ip: string): Promise<void> {
  await refuseAbove(db, digest(what, "network", addressNetwork(ip)), networkLimits[what]);
}

/**
 * Counts an attempt with a code before the code is checked.
 * @throws AppError `too_many_attempts`
 */
export async function countCode(db: Database, account: string): Promise<{ succeeded(): Promise<void> }> {
  const key = digest("code", account);
  await refuseAbove(db, key, codeLimit);
  return { succeeded: () => forgetAttempts(db, key) };
}

async function refuseAbove(db: Database, key: string, limit: AttemptLimit): Promise<void> {
  const wait = await countAttempt(db, key, limit);
  if (wait !== null) {
    throw new AppError("too_many_attempts", { retryAfterSeconds: wait });
  }
}

/** Who asks for a mail to somebody: an address, or a browser that is known to be the recipient's. */
export type MailAsker = { readonly ip: string; readonly device?: string | null };

/**
 * Whether one more mail of this kind may go to the recipient. Requesters are counted one by one before they are counted
 * together, so that a stranger uses up only the stranger's own share; the recipient's own browser is counted
 * separately.
 */
export async function mayMail(db: Database, kind: AskedMail, recipient: string, asker: MailAsker): Promise<boolean> {
  const device = asker.device ?? null;
  const to = recipient.toLowerCase();
  const askerKey = device === null ? ["address", addressGroup(asker.ip)] : ["device", device];
  const isAskerFree = (await countAttempt(db, digest("mail", kind, to, ...askerKey), askerLimit)) === null;
  if (!isAskerFree || device !== null) {
    return isAskerFree;
  }
  return (await countAttempt(db, digest("mail", kind, to), recipientLimit)) === null;
}

/** Names nobody, and no two lists of parts give the same. */
function digest(...parts: string[]): string {
  return sha256Hex(JSON.stringify(parts));
}
