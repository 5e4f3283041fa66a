import { canonicalAddress } from "@sluice/server-addresses/judge-address";
import { isAddressOrRange } from "../platform/address-list.ts";
import { AppError } from "../platform/errors.ts";
import type { AddressPolicy } from "./model.ts";

const urlLengthMax = 300;
const label = "[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?";
/**
 * The pattern requires at least two labels; the last one does not begin with a digit, so that it is not an address in
 * another notation.
 */
const hostPattern = new RegExp(`^(?:${label}\\.)+[a-z](?:[a-z0-9-]{0,61}[a-z0-9])?$`);
/** The text itself has to match, not the parsed URL: the parser also accepts `127.1` and similar forms. */
const urlPattern = /^https?:\/\/(\[[0-9a-f:.]+\]|[a-z0-9.-]+)(?::[1-9]\d{0,4})?\/?$/;
const noHosts = new Set(["localhost", "local", "internal", "invalid", "test", "onion", "arpa"]);

/**
 * The host of a node, which must be a plain name in lower case.
 * @throws AppError `invalid_value`
 */
export function checkHost(host: string, { hostSuffix, isAddressAllowed }: AddressPolicy): string {
  const isName = host.length <= 253 && hostPattern.test(host);
  // Names that resolve only inside a private network are allowed only where private addresses are.
  const isLocal = noHosts.has(host.slice(host.lastIndexOf(".") + 1)) && !isAddressAllowed("127.0.0.1");
  if (!isName || isLocal) {
    throw new AppError("invalid_value", {
      fields: { host: "Enter a DNS name in lower-case letters, like node.example.org." },
    });
  }
  if (hostSuffix !== null && host !== hostSuffix && !host.endsWith(`.${hostSuffix}`)) {
    throw new AppError("invalid_value", { fields: { host: `Only ${hostSuffix} and names under it are allowed.` } });
  }
  return host;
}

/**
 * A node's address in its shortest notation.
 * @throws AppError `invalid_value` for text that is not an address, and for an address that no public server can have,
 * unless that is allowed
 */
export function checkIp(text: string, { isAddressAllowed }: AddressPolicy): string {
  const address = !text.includes("/") && isAddressOrRange(text) ? canonicalAddress(text) : null;
  if (address === null) {
    throw new AppError("invalid_value", { fields: { ip: "Enter an address like 203.0.113.5 or 2001:db8::5." } });
  }
  if (!isAddressAllowed(address)) {
    throw new AppError("invalid_value", { fields: { ip: "This address is not public." } });
  }
  return address;
}

type Place = { readonly host: string; readonly ip: string };

function bracketed(ip: string): string {
  return ip.includes(":") ? `[${ip}]` : ip;
}

/**
 * The relay URL of a node as an origin: just its host or its address, over https.
 * @throws AppError `invalid_relay_url`
 */
export function checkRelayUrl(text: string, place: Place, policy: AddressPolicy): string {
  const { ports, isHttpAllowed } = policy;
  const refuse = (message: string) => new AppError("invalid_relay_url", { message, fields: { relay_url: message } });
  const written = text.length <= urlLengthMax ? urlPattern.exec(text) : null;
  const url = written !== null && URL.canParse(text) ? new URL(text) : null;
  if (written === null || url === null) {
    throw refuse("Enter an address like https://node.example.org:8443, with nothing after the port.");
  }
  if (url.protocol !== "https:" && !isHttpAllowed) {
    throw refuse("Only https is allowed.");
  }
  if (url.hostname !== written[1] || (written[1] !== place.host && written[1] !== bracketed(place.ip))) {
    throw refuse("Use the host of the node, or its address.");
  }
  // The default port of plain http has to be among the listed ports, because http is allowed only there.
  const isOwnPort = url.protocol === "http:" && url.port === "";
  if (ports !== null && !isOwnPort && !ports.includes(Number(url.port || 443))) {
    throw refuse(`The port must be one of ${ports?.join(", ")}.`);
  }
  return url.origin;
}

/** The node's current relay URL, with the new host or address in place of the old one. */
export function followUrl(node: (Place & { readonly relayUrl: string | null }) | null, to: Place): string | null {
  if (node === null || node.relayUrl === null) {
    return null;
  }
  const url = new URL(node.relayUrl);
  url.hostname = url.hostname === node.host ? to.host : bracketed(to.ip);
  return url.origin;
}

/** The relay URL with the host in it, with the scheme and port of the current one. */
export function hostUrlOf({ host, relayUrl }: { readonly host: string; readonly relayUrl: string | null }): string {
  const url = new URL(relayUrl ?? "https://unknown.invalid");
  url.hostname = host;
  return url.origin;
}
