import type { ActiveAccount, ProviderAccount } from "./accounts.ts";

const pathPattern = /^\/v1(?:\/[A-Za-z0-9._~:@!$&'()*+,;=%-]+)+$/;
const queryPattern = /^(?:\?[\x21-\x7e]*)?$/;
/** Escapes that a provider could interpret as another path than this program does. */
const unsafeEscape = /%(?:2e|2f|5c|00)/i;

export type PathRules = {
  readonly isAllowed: (path: string) => boolean;
};

/** Paths are compared as a whole; an entry that ends in `/*` allows exactly one more segment. */
export function createPathRules(allowedPaths: readonly string[]): PathRules {
  const exact = new Set(allowedPaths.filter((path) => !path.endsWith("*")));
  const prefixes = allowedPaths.filter((path) => path.endsWith("*")).map((path) => path.slice(0, -1));
  return {
    isAllowed: (path) => {
      if (!pathPattern.test(path) || unsafeEscape.test(path)) {
        return false;
      }
      return exact.has(path) || prefixes.some((prefix) => isDirectlyBelow(path, prefix));
    },
  };
}

function isDirectlyBelow(path: string, prefix: string): boolean {
  return path.startsWith(prefix) && path.length > prefix.length && !path.includes("/", prefix.length);
}

/** The account that serves a call: the named one, or the first that can serve it. Null when there is none. */
export function chooseAccount(accounts: readonly ProviderAccount[], named: string | null): ActiveAccount | null {
  for (const account of accounts) {
    if (account.kind === "active" && (named === null || account.accountCode === named)) {
      return account;
    }
  }
  return null;
}

/** The target at the provider, or null for a query that can't be in a request line. */
export function targetOf(account: ActiveAccount, path: string, query: string): string | null {
  return queryPattern.test(query) ? `${account.basePath}${path.slice("/v1".length)}${query}` : null;
}
