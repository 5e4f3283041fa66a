import ipaddr from "ipaddr.js";

/**
 * Whether an address is in a list of addresses and CIDR ranges. IPv4 written as mapped IPv6 is compared as IPv4. An
 * invalid address or range allows nothing.
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
  const isStandardNotation = ipaddr.IPv4.isValidFourPartDecimal(address) || /^[0-9a-f:.]*:[0-9a-f:.]*$/i.test(address);
  if (!isStandardNotation || !ipaddr.isValid(address) || more.length > 0) {
    return false;
  }
  return bits === undefined || (/^\d{1,3}$/.test(bits) && ipaddr.isValidCIDR(text));
}
