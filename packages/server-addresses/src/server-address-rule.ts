import { canonicalAddress, isNoServerAddress, isPrivateAddress } from "./judge-address.ts";
import { isOwnAddress } from "./own-addresses.ts";

/** Whether connections may go to an address. */
export type AddressRule = (address: string) => boolean;

/**
 * Allows only public addresses, unless private ones, loopback and those of this machine are allowed too. Addresses
 * where clouds keep a machine's credentials are refused in either case, as are addresses of unknown kinds.
 */
export function serverAddressRule(isPrivateAllowed: boolean, isOwn: AddressRule = isOwnAddress): AddressRule {
  return (address) =>
    canonicalAddress(address) !== null &&
    !isNoServerAddress(address) &&
    (isPrivateAllowed || !(isPrivateAddress(address) || isOwn(address)));
}
