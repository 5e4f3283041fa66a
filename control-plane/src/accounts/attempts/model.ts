/** `free` attempts at once; each one more waits twice as long as the one before, from the first delay up to the most. */
export type AttemptLimit = {
  readonly free: number;
  /** After this long without an attempt, everything is forgotten. At least the longest delay. */
  readonly windowSeconds: number;
  readonly delaySecondsMin: number;
  readonly delaySecondsMax: number;
};

/** What is counted: for one account from one address, and for one address whatever the account. */
export type AttemptKind = {
  readonly name: string;
  readonly ofPair: AttemptLimit;
  readonly ofAddress: AttemptLimit;
};

const hour = 3_600;
const day = 24 * hour;
const guesses = { windowSeconds: hour, delaySecondsMin: 1, delaySecondsMax: 900 };

/**
 * Never counted for an account alone: strangers could lock its owner out. Guesses from many addresses meet the cost of
 * the hash and the limit of each address.
 */
export const attemptKinds = {
  userLogin: { name: "user_login", ofPair: { ...guesses, free: 5 }, ofAddress: { ...guesses, free: 50 } },
  adminLogin: { name: "admin_login", ofPair: { ...guesses, free: 5 }, ofAddress: { ...guesses, free: 20 } },
  /** The password of somebody who is logged in, asked for again. */
  confirmation: { name: "confirmation", ofPair: { ...guesses, free: 5 }, ofAddress: { ...guesses, free: 50 } },
} as const satisfies Record<string, AttemptKind>;

/**
 * Codes of an authenticator, counted per account: they are only checked after the right password, so no stranger can
 * use them up, and someone with a stolen password does not get more guesses by using more addresses.
 */
export const codeLimit: AttemptLimit = { ...guesses, free: 8 };

/** What may be requested from one address: accounts, and mails to anybody. */
export const addressLimits = {
  registration: { free: 30, windowSeconds: hour, delaySecondsMin: 20, delaySecondsMax: hour },
  mail: { free: 30, windowSeconds: hour, delaySecondsMin: 20, delaySecondsMax: hour },
  /** Orders without a login. */
  order: { free: 30, windowSeconds: hour, delaySecondsMin: 20, delaySecondsMax: hour },
  /** Leads: a company asks once, and what one sender may do leaves most of the day to the others. */
  lead: { free: 10, windowSeconds: day, delaySecondsMin: hour, delaySecondsMax: day },
} as const satisfies Record<string, AttemptLimit>;

/** The same for all addresses of a network together. */
export const networkLimits = {
  lead: { free: 40, windowSeconds: day, delaySecondsMin: hour, delaySecondsMax: day },
} as const satisfies Record<string, AttemptLimit>;

/** How many attempts from one address are free of waiting; admins can put others in place of the numbers above. */
export type AddressNumbers = {
  readonly logins: number;
  readonly adminLogins: number;
  readonly registrations: number;
  readonly mails: number;
};

/** The same kind of attempt with another number that is free for an address. */
export function freeFromAddress(kind: AttemptKind, free: number): AttemptKind {
  return { ...kind, ofAddress: { ...kind.ofAddress, free } };
}

/** Why an account gets a mail that somebody asked for without a login, or an admin for somebody else. */
export type AskedMail = "verification" | "account_exists" | "password_reset" | "admin_link";

/** Mails of one kind to one recipient that one asker causes. Those above are silently not sent. */
export const askerLimit: AttemptLimit = {
  free: 3,
  windowSeconds: 2 * hour,
  delaySecondsMin: 1_200,
  delaySecondsMax: 2 * hour,
};

/** The same for all askers together: more than one of them needs, so that no stranger holds up the owner's own mail. */
export const recipientLimit: AttemptLimit = { ...askerLimit, free: 9, delaySecondsMin: 300 };
