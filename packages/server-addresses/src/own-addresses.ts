import { networkInterfaces } from "node:os";
import { canonicalAddress } from "./judge-address.ts";

/** Whether an address is one of this machine's own. The addresses are read each time, because they can change. */
export function isOwnAddress(address: string): boolean {
  const wanted = canonicalAddress(address);
  return Object.values(networkInterfaces()).some((all) =>
    (all ?? []).some((own) => canonicalAddress(own.address) === wanted),
  );
}
