import ipaddr from "ipaddr.js";
import { isAddressAllowed } from "./address-list.ts";

export type EdgeSettings = {
  /** The one header an edge proxy sets, or null when there is no edge. */
  readonly header: string | null;
  /** Only a peer with one of these addresses is believed. */
  readonly addresses: readonly string[];
};

/** The address of the client: the peer's, or what the edge says when the peer is the edge. */
export function clientAddress(headers: Headers, peer: string, edge: EdgeSettings): string {
  if (edge.header === null || !isAddressAllowed(peer, edge.addresses)) {
    return plainAddress(peer);
  }
  const said = headers.get(edge.header)?.split(",").at(-1)?.trim() ?? "";
  return ipaddr.isValid(said) ? plainAddress(said) : plainAddress(peer);
}

/** IPv4 that came in over an IPv6 socket is shown as IPv4. */
function plainAddress(address: string): string {
  return address.startsWith("::ffff:") ? address.slice("::ffff:".length) : address;
}
