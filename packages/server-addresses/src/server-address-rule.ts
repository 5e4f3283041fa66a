import { canonicalAddress, isNoServerAddress, isPrivateAddress } from "./judge-address.ts";
import { isOwnAddress } from "./own-addresses.ts";

/** Whether connections may go to an address. */
export type AddressRule = (address: string) => boolean;

/**
 * Public addresses alone, unless private ones, loopback and those of this machine are allowed. Addresses where clouds
 * keep the credentials of a machine are refused in either case, as are addresses of unknown kinds.
 */
export function serverAddressRule(isPrivateAllowed: boolean, isOwn: AddressRule = isOwnAddress): AddressRule {
  return (address) =>
    canonicalAddress(address) !== null &&
    !isNoServerAddress(address) &&
    (isPrivateAllowed || !(isPrivateAddress(address) || isOwn(address)));
}
