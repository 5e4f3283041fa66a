import { networkInterfaces } from "node:os";
import { canonicalAddress } from "./judge-address.ts";

/** Whether an address is one of this machine's own. Read each time: machines get and lose addresses. */
export function isOwnAddress(address: string): boolean {
  const wanted = canonicalAddress(address);
  return Object.values(networkInterfaces()).some((all) =>
    (all ?? []).some((own) => canonicalAddress(own.address) === wanted),
  );
}
