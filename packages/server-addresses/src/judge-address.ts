import ipaddr from "ipaddr.js";

/** The prefix that any IPv6-only network may use to reach all of IPv4. */
const wellKnown = ipaddr.IPv6.parseCIDR("64:ff9b::/96");
const teredo = ipaddr.IPv6.parseCIDR("2001::/32");
/**
 * Prefixes that embed an IPv4 address in an IPv6 address, and the bytes that hold it: a translator or tunnel for the
 * prefix forwards packets to that IPv4 address. A network that uses `64:ff9b:1::/48` may divide it in several ways,
 * hence the alternatives.
 */
const packings: readonly (readonly [prefix: [ipaddr.IPv6, number], bytes: readonly (readonly number[])[]])[] = [
  [wellKnown, [[12, 13, 14, 15]]],
  // biome-ignore format: one line for each way to cut it
  [ipaddr.IPv6.parseCIDR("64:ff9b:1::/48"), [[12, 13, 14, 15], [6, 7, 9, 10], [7, 9, 10, 11], [9, 10, 11, 12]]],
  [ipaddr.IPv6.parseCIDR("::ffff:0:0:0/96"), [[12, 13, 14, 15]]],
  [ipaddr.IPv6.parseCIDR("::/96"), [[12, 13, 14, 15]]],
  [ipaddr.IPv6.parseCIDR("2002::/16"), [[2, 3, 4, 5]]],
  // The server of the tunnel; the client's address is in the last bytes, with all bits inverted.
  [teredo, [[4, 5, 6, 7]]],
];
/** The part of IPv6 that is assigned to public servers. */
const globalUnicast = ipaddr.IPv6.parseCIDR("2000::/3");

type Address = ipaddr.IPv4 | ipaddr.IPv6;

function isWithin(address: Address, prefix: [Address, number]): boolean {
  const [network, bits] = prefix;
  return address.kind() === network.kind() && address.match(network, bits);
}

/** An address literal, in brackets or not, mapped IPv4 as IPv4; null for invalid text. */
function readAddress(host: string): Address | null {
  const bare = host.replace(/^\[(.*)\]$/, "$1");
  return ipaddr.isValid(bare) ? ipaddr.process(bare) : null;
}

/** The IPv4 addresses to which packets for this address may be forwarded. */
function packedAddresses(address: Address): readonly ipaddr.IPv4[] {
  if (address.kind() === "ipv4" || address.range() === "loopback") {
    return [];
  }
  const bytes = address.toByteArray();
  const pick = (places: readonly number[]): ipaddr.IPv4 => new ipaddr.IPv4(places.map((place) => bytes[place] ?? 0));
  const found = packings.flatMap(([prefix, choices]) => {
    const picked = isWithin(address, prefix) ? choices.map(pick) : [];
    // The bytes of an alternative that is not in use are usually zero.
    return choices.length === 1 ? picked : picked.filter((inside) => inside.range() !== "unspecified");
  });
  if (isWithin(address, teredo)) {
    found.push(new ipaddr.IPv4(bytes.slice(12).map((byte) => byte ^ 0xff)));
  }
  if (isIntraSite(bytes)) {
    found.push(pick([12, 13, 14, 15]));
  }
  return found;
}

/** Whether the second half of an IPv6 address belongs to a tunnel inside a site (ISATAP), in any network. */
function isIntraSite(bytes: readonly number[]): boolean {
  const [flags = 1, zero, high, low] = bytes.slice(8, 12);
  return (flags & ~0x02) === 0 && zero === 0 && high === 0x5e && low === 0xfe;
}

/**
 * Whether an address literal is in a range that no public server has: private, loopback, link-local, metadata, ... If a
 * name server synthesizes addresses for IPv4 servers, the embedded address counts.
 */
export function isPrivateAddress(host: string): boolean {
  const address = readAddress(host);
  if (address === null) {
    return false;
  }
  if (packedAddresses(address).some((inside) => inside.range() !== "unicast")) {
    return true;
  }
  const isPublic = address.range() === "unicast" && (address.kind() === "ipv4" || isWithin(address, globalUnicast));
  return !(isPublic || isWithin(address, wellKnown));
}

/** Addresses where clouds provide a machine's credentials, besides the link-local ones. */
const machineServices: readonly [Address, number][] = [
  "fd00:ec2::/32",
  "fd20:ce::254/128",
  "fd00:42::42/128",
  "100.100.100.200/32",
  "168.63.129.16/32",
  "192.0.0.192/32",
].map((range) => ipaddr.parseCIDR(range));
const notForServers: ReadonlySet<string> = new Set(["linkLocal", "unspecified", "multicast", "broadcast"]);

/**
 * Whether an address literal never belongs to a model server, and is more dangerous than a private one: link-local and
 * other addresses where clouds keep a machine's credentials. A private or loopback address may be the operator's own
 * server.
 */
export function isNoServerAddress(host: string): boolean {
  const address = readAddress(host);
  return address !== null && [address, ...packedAddresses(address)].some(isOfMachine);
}

function isOfMachine(address: Address): boolean {
  return notForServers.has(address.range()) || machineServices.some((range) => isWithin(address, range));
}

/** Whether an address literal refers to the machine itself. */
export function isLoopback(host: string): boolean {
  return readAddress(host)?.range() === "loopback";
}

/** An address in its shortest notation, mapped IPv4 as IPv4; null for invalid text. */
export function canonicalAddress(address: string): string | null {
  return ipaddr.isValid(address) ? ipaddr.process(address).toString() : null;
}
