import { ConfigError } from "./config-error.ts";

/**
 * Checks by binding that this host has the configured egress address.
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
