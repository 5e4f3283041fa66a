import ipaddr from "ipaddr.js";

/**
 * Whether an address is in a list of addresses and CIDR ranges. IPv4 written as mapped IPv6 is compared as IPv4.
 * An address or a range that can't be read allows nothing.
 */
export function isAddressAllowed(address: string, list: readonly string[]): boolean {
  if (!ipaddr.isValid(address)) {
    return false;
  }
  const client = ipaddr.process(address);
  return list.some((entry) => {
    if (ipaddr.isValid(entry)) {
      return ipaddr.process(entry).toNormalizedString() === client.toNormalizedString();
    }
    if (!ipaddr.isValidCIDR(entry)) {
      return false;
    }
    const [network, bits] = ipaddr.parseCIDR(entry);
    return network.kind() === client.kind() && client.match(network, bits);
  });
}

/** Whether a text is one address or one CIDR range, written out in full. */
export function isAddressOrRange(text: string): boolean {
  const [address = "", bits, ...more] = text.split("/");
  const isSpelledOut = ipaddr.IPv4.isValidFourPartDecimal(address) || /^[0-9a-f:.]*:[0-9a-f:.]*$/i.test(address);
  if (!isSpelledOut || !ipaddr.isValid(address) || more.length > 0) {
    return false;
  }
  return bits === undefined || (/^\d{1,3}$/.test(bits) && ipaddr.isValidCIDR(text));
}

/** Prefixes behind which a translator on the way finds an IPv4 address, and the byte at which it begins. */
const translated: readonly (readonly [prefix: [ipaddr.IPv6, number], firstByte: number])[] = [
  [ipaddr.IPv6.parseCIDR("64:ff9b::/96"), 12],
  [ipaddr.IPv6.parseCIDR("64:ff9b:1::/48"), 12],
  [ipaddr.IPv6.parseCIDR("::ffff:0:0:0/96"), 12],
  [ipaddr.IPv6.parseCIDR("2002::/16"), 2],
];
/** The one of them that every network of IPv6 alone may use to reach all of IPv4. */
const [wellKnown] = translated;

function isWithin(address: ipaddr.IPv4 | ipaddr.IPv6, prefix: [ipaddr.IPv6, number]): address is ipaddr.IPv6 {
  return address.kind() === "ipv6" && address.match(...prefix);
}

/** The IPv4 address to which a translator takes what is sent to this one; the address itself where there is none. */
function behindTranslator(address: ipaddr.IPv4 | ipaddr.IPv6): ipaddr.IPv4 | ipaddr.IPv6 {
  for (const [prefix, first] of translated) {
    if (isWithin(address, prefix)) {
      return new ipaddr.IPv4(address.toByteArray().slice(first, first + 4));
    }
  }
  return address;
}

/**
 * Whether an address literal lies in a range that no public server has: private, loopback, link-local, metadata, ... Where a
 * name server makes up addresses for servers of IPv4, what counts is the address that was packed into them.
 */
export function isPrivateAddress(host: string): boolean {
  const bare = host.replace(/^\[(.*)\]$/, "$1");
  if (!ipaddr.isValid(bare)) {
    return false;
  }
  const address = ipaddr.process(bare);
  const meant = wellKnown !== undefined && isWithin(address, wellKnown[0]) ? behindTranslator(address) : address;
  return meant.range() !== "unicast";
}

/** Where clouds tell a machine its own credentials, beside link-local addresses. */
const machineServices: ReadonlySet<string> = new Set(["fd00:ec2::254", "100.100.100.200", "168.63.129.16"]);
const notForServers: ReadonlySet<string> = new Set(["linkLocal", "unspecified", "multicast", "broadcast"]);

/**
 * Whether an address literal is one that no server of models has, and that asks for more than that: link-local ones and others
 * behind which clouds keep the credentials of the machine. Private ones and loopback may be a server of one's own.
 */
export function isNoServerAddress(host: string): boolean {
  const bare = host.replace(/^\[(.*)\]$/, "$1");
  if (!ipaddr.isValid(bare)) {
    return false;
  }
  const address = behindTranslator(ipaddr.process(bare));
  return notForServers.has(address.range()) || machineServices.has(address.toString());
}

/** An address in its shortest spelling, mapped IPv4 as IPv4; null for what is none. */
export function canonicalAddress(address: string): string | null {
  return ipaddr.isValid(address) ? ipaddr.process(address).toString() : null;
}
