import { addressGroup, addressNetwork } from "../../platform/client-address.ts";
import { sha256Hex } from "../../platform/crypto/digest.ts";
import type { Database } from "../../platform/db.ts";
import { AppError } from "../../platform/errors.ts";
import { countAttempt, forgetAttempts, uncountAttempt } from "./attempt-store.ts";
import {
  type AttemptKind,
  type AttemptLimit,
  addressLimits,
  codeLimit,
  dataExportLimit,
  networkLimits,
  type RequestedMail,
  recipientLimit,
  redemptionLimit,
  requesterLimit,
  setupPageLimit,
} from "./model.ts";

/** An attempt that was counted and may go ahead. */
export type Attempt = {
  /** The attempt succeeded: resets the count of the account and address, and uncounts this attempt for the address. */
  succeeded(): Promise<void>;
};

/** The origin of an attempt. */
export type AttemptBy = {
  /** The account name as given; the account need not exist. */
  readonly account: string;
  readonly ip: string;
  /**
   * A browser that is known to belong to the account's owner. Its attempts are counted separately from those of its
   * address.
   */
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
    // The attempt was refused, so do not count it against the address.
    await uncountAttempt(db, addressKey);
  }
  return wait;
}

/**
 * @param free how many are allowed without waiting, where admins can set that
 * @throws AppError `too_many_attempts` when the address has made too many requests of this kind
 */
export async function countFromAddress(
  db: Database,
  what: keyof typeof addressLimits,
  ip: string,
  free: number = addressLimits[what].free,
): Promise<void> {
  await refuseAbove(db, digest(what, "address", addressGroup(ip)), { ...addressLimits[what], free });
}

/** @throws AppError `too_many_attempts` when the address's network has made too many requests of this kind */
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

/**
 * Counts a file with everything about a user.
 * @throws AppError `too_many_attempts`
 */
export async function countDataExport(db: Database, userId: bigint): Promise<void> {
  await refuseAbove(db, digest("data_export", userId.toString()), dataExportLimit);
}

/**
 * Counts a page of the card gateway that a user asks for to save a payment method.
 * @throws AppError `too_many_attempts`
 */
export async function countSetupPage(db: Database, userId: bigint): Promise<void> {
  await refuseAbove(db, digest("setup_page", userId.toString()), setupPageLimit);
}

/**
 * Counts an attempt to redeem a code, for the user and for the address, before the code is looked up.
 * @throws AppError `too_many_attempts`
 */
export async function beginRedemption(db: Database, userId: bigint, ip: string): Promise<Attempt> {
  const userKey = digest("redemption", "user", userId.toString());
  const addressKey = digest("redemption", "address", addressGroup(ip));
  await refuseAbove(db, userKey, redemptionLimit);
  await refuseAbove(db, addressKey, addressLimits.redemption);
  return {
    succeeded: async () => {
      await uncountAttempt(db, userKey);
      await uncountAttempt(db, addressKey);
    },
  };
}

async function refuseAbove(db: Database, key: string, limit: AttemptLimit): Promise<void> {
  const wait = await countAttempt(db, key, limit);
  if (wait !== null) {
    throw new AppError("too_many_attempts", { retryAfterSeconds: wait });
  }
}

/** Who requests an email to someone: an address, or a browser known to be the recipient's. */
export type MailRequester = { readonly ip: string; readonly device?: string | null };

/**
 * Whether the recipient may get one more email of this kind. Each requester is counted before all are counted together,
 * so that a stranger uses up only a share of the total; the recipient's own browser is counted separately.
 */
export async function mayMail(
  db: Database,
  kind: RequestedMail,
  recipient: string,
  asker: MailRequester,
): Promise<boolean> {
  const device = asker.device ?? null;
  const to = recipient.toLowerCase();
  const requesterKey = device === null ? ["address", addressGroup(asker.ip)] : ["device", device];
  const isRequesterAllowed =
    (await countAttempt(db, digest("mail", kind, to, ...requesterKey), requesterLimit)) === null;
  if (!isRequesterAllowed || device !== null) {
    return isRequesterAllowed;
  }
  return (await countAttempt(db, digest("mail", kind, to), recipientLimit)) === null;
}

/** Hashes the parts, so that the keys in the table do not show names. Each list of parts has its own digest. */
function digest(...parts: string[]): string {
  return sha256Hex(JSON.stringify(parts));
}
