/** For which site browsers make and show passkeys. */
export type RelyingParty = {
  /** A domain name. Passkeys work for no other, so that a change of it ends them all. */
  readonly id: string;
  readonly origin: string;
};

/** Null for an address that is not a domain name: browsers make no passkeys for others. */
export function relyingPartyOf(baseUrl: string): RelyingParty | null {
  const { hostname, origin, protocol } = new URL(baseUrl);
  const isLocal = hostname === "localhost" || hostname.endsWith(".localhost");
  const isSafe = protocol === "https:" || isLocal;
  // URLs have IPv4 addresses in decimal and IPv6 addresses in brackets, however they were written.
  const isAddress = hostname.startsWith("[") || /^\d+(\.\d+){3}$/.test(hostname);
  return isSafe && !isAddress ? { id: hostname, origin } : null;
}

export const challengeMinutes = 5;
export const handleBytes = 32;

export type Passkey = {
  readonly id: bigint;
  readonly name: string;
  readonly isSynced: boolean;
  readonly createdAt: Date;
  readonly lastUsedAt: Date | null;
};

/** What a registration has proved about a key. */
export type MadeKey = {
  readonly credentialId: string;
  readonly publicKey: Uint8Array<ArrayBuffer>;
  readonly counter: number;
  readonly transports: readonly string[];
  readonly isSynced: boolean;
  readonly isBackedUp: boolean;
  readonly aaguid: string;
};

/** Whether a counter shows that a key was copied: an authenticator that counts never counts back. */
export function isCopied(before: number, now: number): boolean {
  return before > 0 && now <= before;
}
