import { ConfigError } from "./config-error.ts";

/**
 * Whether this host has the address that the node is to send from, found out by binding it.
 * @throws ConfigError
 */
export function assertOwnAddress(address: string | null): void {
  if (address === null) {
    return;
  }
  try {
    Bun.listen({ hostname: address, port: 0, socket: { data: () => undefined } }).stop(true);
  } catch {
    throw new ConfigError(`EGRESS_ADDRESS ${address} is not an address of this host.`);
  }
}
