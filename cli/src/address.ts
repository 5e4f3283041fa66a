import { Failure } from "./failure.ts";

const localHosts: readonly string[] = ["localhost", "127.0.0.1", "[::1]"];

/**
 * The origin of a service. A token goes over an encrypted connection, unless the service is on this machine.
 * @param name what the address was given as, for the error
 * @throws Failure
 */
export function readAddress(text: string, name: string): string {
  const url = URL.parse(text);
  const isSafe = url?.protocol === "https:" || (url?.protocol === "http:" && localHosts.includes(url.hostname));
  if (url === null || !isSafe) {
    throw new Failure("usage", `${name} takes an address that begins with https://.`);
  }
  return url.origin;
}
