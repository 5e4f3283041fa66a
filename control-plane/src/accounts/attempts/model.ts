/** Allows `free` attempts at once; each further one waits twice as long, from the shortest delay up to the longest. */
export type AttemptLimit = {
  readonly free: number;
  /** The count is forgotten after this long without an attempt. This must not be shorter than the longest delay. */
  readonly windowSeconds: number;
  readonly delaySecondsMin: number;
  readonly delaySecondsMax: number;
};

/** What is counted: attempts on one account from one address, and from one address on any account. */
export type AttemptKind = {
  readonly name: string;
  readonly ofPair: AttemptLimit;
  readonly ofAddress: AttemptLimit;
};

const hour = 3_600;
const day = 24 * hour;
const guesses = { windowSeconds: hour, delaySecondsMin: 1, delaySecondsMax: 900 };

/**
 * Attempts are never counted for an account alone, because strangers could then lock its owner out. Guesses from many
 * addresses are limited by the cost of the hash and the limit of each address.
 */
export const attemptKinds = {
  userLogin: { name: "user_login", ofPair: { ...guesses, free: 5 }, ofAddress: { ...guesses, free: 50 } },
  adminLogin: { name: "admin_login", ofPair: { ...guesses, free: 5 }, ofAddress: { ...guesses, free: 20 } },
  /** Returns from a provider. Many people can share an address, and one who gives up at the provider counts too. */
  signIn: { name: "sign_in", ofPair: { ...guesses, free: 50 }, ofAddress: { ...guesses, free: 50 } },
  /** Logins with a passkey, which can't be guessed: this only keeps programs from making the service check signatures. */
  passkey: { name: "passkey", ofPair: { ...guesses, free: 20 }, ofAddress: { ...guesses, free: 50 } },
  /** Limits how often a logged-in user may confirm the password. */
  confirmation: { name: "confirmation", ofPair: { ...guesses, free: 5 }, ofAddress: { ...guesses, free: 50 } },
} as const satisfies Record<string, AttemptKind>;

/**
 * Authenticator codes, counted per account: they are only checked after the right password, so no stranger can use them
 * up, and someone with a stolen password does not get more guesses by using more addresses.
 */
export const codeLimit: AttemptLimit = { ...guesses, free: 8 };

/** Files with everything about a user. */
export const dataExportLimit: AttemptLimit = {
  free: 3,
  windowSeconds: day,
  delaySecondsMin: 3_600,
  delaySecondsMax: day,
};

/** Pages of the card gateway on which a user agrees to automatic top-ups. */
export const setupPageLimit: AttemptLimit = {
  free: 10,
  windowSeconds: hour,
  delaySecondsMin: 60,
  delaySecondsMax: hour,
};

/** What one address may request: accounts, and emails to anyone. */
export const addressLimits = {
  registration: { free: 30, windowSeconds: hour, delaySecondsMin: 20, delaySecondsMax: hour },
  mail: { free: 30, windowSeconds: hour, delaySecondsMin: 20, delaySecondsMax: hour },
  /** The limit for anonymous orders. */
  order: { free: 30, windowSeconds: hour, delaySecondsMin: 20, delaySecondsMax: hour },
  /** The limit for leads: a company asks once, and the limit of one sender leaves most of the day's total to others. */
  lead: { free: 10, windowSeconds: day, delaySecondsMin: hour, delaySecondsMax: day },
  /** Wrong redemption codes. */
  redemption: { free: 30, windowSeconds: hour, delaySecondsMin: 20, delaySecondsMax: hour },
} as const satisfies Record<string, AttemptLimit>;

/** Wrong redemption codes of a user, from wherever. */
export const redemptionLimit: AttemptLimit = {
  free: 10,
  windowSeconds: hour,
  delaySecondsMin: 20,
  delaySecondsMax: hour,
};

/** The limits for all addresses of a network together. */
export const networkLimits = {
  lead: { free: 40, windowSeconds: day, delaySecondsMin: hour, delaySecondsMax: day },
} as const satisfies Record<string, AttemptLimit>;

/** How many attempts an address has before it must wait; admins can override the numbers above. */
export type AddressNumbers = {
  readonly logins: number;
  readonly adminLogins: number;
  readonly registrations: number;
  readonly mails: number;
};

/** A kind of attempt with another number of free attempts. */
export function freeFromAddress(kind: AttemptKind, free: number): AttemptKind {
  return { ...kind, ofAddress: { ...kind.ofAddress, free } };
}

/** Why an account gets an email that was requested without a login, or by an admin for someone else. */
export type RequestedMail = "verification" | "account_exists" | "password_reset" | "admin_link" | "email_change";

/** Emails of one kind to one recipient from one requester. Any beyond that are silently dropped. */
export const requesterLimit: AttemptLimit = {
  free: 3,
  windowSeconds: 2 * hour,
  delaySecondsMin: 1_200,
  delaySecondsMax: 2 * hour,
};

/**
 * The limit for emails of one kind to one recipient from all requesters together. It is higher than the limit of one
 * requester, so that no stranger blocks the owner's own email.
 */
export const recipientLimit: AttemptLimit = { ...requesterLimit, free: 9, delaySecondsMin: 300 };
