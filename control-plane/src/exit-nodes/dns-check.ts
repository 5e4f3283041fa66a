import { promises as dns } from "node:dns";
import { canonicalAddress } from "@sluice/server-addresses/judge-address";
import type { DnsFailure, DnsResult } from "./model.ts";

const addressesMax = 64;
const tries = 2;
/** With these codes the servers did respond: the name does not exist, or has no address of this kind. */
const emptyCodes = new Set(["ENOTFOUND", "ENODATA"]);

export type DnsDeps = {
  /** Addresses of DNS servers, with a port if it is not 53; null for the machine's own. */
  readonly servers: readonly string[] | null;
  readonly timeoutMs: number;
  readonly now: () => Date;
};

type Found = readonly string[] | DnsFailure;

async function find(query: Promise<string[]>, isOverdue: () => boolean): Promise<Found> {
  try {
    return await query;
  } catch (error) {
    const { code } = error as { code?: string };
    if (code !== undefined && emptyCodes.has(code)) {
      return [];
    }
    return isOverdue() || code === "ETIMEOUT" || code === "ECANCELLED" ? "timeout" : "server_failure";
  }
}

/**
 * Queries DNS for all addresses of a host and compares them with the expected one. The machine's hosts file and the
 * program's caches are ignored. An extra address is as wrong as a missing one: a later lookup may get it.
 */
export async function checkDns(host: string, ip: string, { servers, timeoutMs, now }: DnsDeps): Promise<DnsResult> {
  const resolver = new dns.Resolver({ timeout: Math.ceil(timeoutMs / tries), tries });
  if (servers !== null) {
    resolver.setServers(servers);
  }
  let isOverdue = false;
  // The resolver rounds its timeouts up to seconds; this one is exact.
  const timer = setTimeout(() => {
    isOverdue = true;
    resolver.cancel();
  }, timeoutMs);
  try {
    const found = await Promise.all([
      find(resolver.resolve4(host), () => isOverdue),
      find(resolver.resolve6(host), () => isOverdue),
    ]);
    return { ...judge(found, ip), checkedAt: now() };
  } finally {
    clearTimeout(timer);
  }
}

function judge(found: readonly Found[], ip: string): Omit<DnsResult, "checkedAt"> {
  const failure = found.find((each) => typeof each === "string") as DnsFailure | undefined;
  const all = found.flatMap((each) => (typeof each === "string" ? [] : each));
  const resolved = [...new Set(all.map((address) => canonicalAddress(address) ?? address))].sort();
  if (failure === undefined && resolved.length > addressesMax) {
    return { resolved: resolved.slice(0, addressesMax), matched: false, failure: "too_many" };
  }
  const isMatched = failure === undefined && resolved.length > 0 && resolved.every((address) => address === ip);
  return { resolved: resolved.slice(0, addressesMax), matched: isMatched, failure: failure ?? null };
}
