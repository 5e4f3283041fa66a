import { canonicalAddress } from "@sluice/server-addresses/judge-address";
import ipaddr from "ipaddr.js";
import { isAddressAllowed } from "./address-list.ts";

export type EdgeSettings = {
  /** The one header an edge proxy sets, or null if there is no edge. */
  readonly header: string | null;
  /** Only peers with these addresses are trusted. */
  readonly addresses: readonly string[];
};

/** The address of the client: the peer's, or, if the peer is the edge, the one that it reports. */
export function clientAddress(headers: Pick<Headers, "get">, peer: string, edge: EdgeSettings): string {
  return isEdge(peer, edge) ? reportedAddress(headers, peer, edge) : plainAddress(peer);
}

/** Whether a peer is trusted to say whose calls it passes on. */
export function isEdge(peer: string, { header, addresses }: EdgeSettings): boolean {
  return header !== null && isAddressAllowed(peer, addresses);
}

/** The client's address as an edge reports it; the edge's own if it reports none. */
export function reportedAddress(
  headers: Pick<Headers, "get">,
  peer: string,
  { header }: Pick<EdgeSettings, "header">,
): string {
  const forwarded = header === null ? undefined : headers.get(header)?.split(",").at(-1)?.trim();
  return readAddress(forwarded ?? "") ?? plainAddress(peer);
}

/**
 * An address in its canonical form; null for an invalid one, and for numeric notations that parsers read differently.
 */
function readAddress(text: string): string | null {
  if (ipaddr.IPv4.isValidFourPartDecimal(text)) {
    return text;
  }
  return ipv6Letters.test(text) ? canonicalAddress(text) : null;
}

const ipv6Letters = /^[0-9a-f.]*:[0-9a-f:.]*$/i;

/** Writes an IPv4 address that came in over an IPv6 socket as IPv4. */
export function plainAddress(address: string): string {
  return address.startsWith("::ffff:") ? address.slice("::ffff:".length) : address;
}

/** The network that one sender may own as a whole: 256 IPv4 addresses, or the /48 of IPv6 that a site is given. */
export function addressNetwork(ip: string): string {
  const group = addressGroup(ip);
  return group
    .split(group.includes(":") ? ":" : ".")
    .slice(0, 3)
    .join(group.includes(":") ? ":" : ".");
}

/**
 * The text that counts as one address: an IPv4 address, or the network half of an IPv6 address, because anyone who has
 * one such address has the whole network.
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
