/** `free` attempts at once; each one more waits twice as long as the one before, from one second up to the most. */
export type AttemptLimit = {
  readonly free: number;
  /** After so long without an attempt all is forgotten. At least the longest delay. */
  readonly windowSeconds: number;
  readonly delaySecondsMax: number;
};

/** What is counted: for one account from one address, and for one address whatever the account. */
export type AttemptKind = {
  readonly name: string;
  readonly ofPair: AttemptLimit;
  readonly ofAddress: AttemptLimit;
};

const hour = 3_600;
const quarter = 900;

/**
 * Never counted for an account alone: strangers could lock its owner out. Guesses from many addresses meet the cost of
 * the hash and the limit of each address.
 */
export const attemptKinds = {
  userLogin: {
    name: "user_login",
    ofPair: { free: 5, windowSeconds: hour, delaySecondsMax: quarter },
    ofAddress: { free: 50, windowSeconds: hour, delaySecondsMax: quarter },
  },
  adminLogin: {
    name: "admin_login",
    ofPair: { free: 5, windowSeconds: hour, delaySecondsMax: quarter },
    ofAddress: { free: 20, windowSeconds: hour, delaySecondsMax: quarter },
  },
} as const satisfies Record<string, AttemptKind>;

/**
 * What counts as one address: an IPv4 address, or the half of an IPv6 address that names a network, since whoever has
 * one such address has all of the network.
 */
export function addressGroup(ip: string): string {
  if (!ip.includes(":")) {
    return ip;
  }
  const [head = "", tail] = ip.toLowerCase().split("::");
  const left = head === "" ? [] : head.split(":");
  const right = tail === undefined || tail === "" ? [] : tail.split(":");
  const zeros = tail === undefined ? 0 : Math.max(0, 8 - left.length - right.length);
  const groups = [...left, ...Array.from({ length: zeros }, () => "0"), ...right];
  return groups
    .slice(0, 4)
    .map((group) => group.replace(/^0+(?=.)/, ""))
    .join(":");
}
