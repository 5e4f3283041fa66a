import type { ServerPlace } from "@sluice/http-client/address-guard";
import { ServerGuard } from "@sluice/http-client/server-guard";
import { isNoServerAddress } from "@sluice/server-addresses/judge-address";
import { serverAddressRule } from "@sluice/server-addresses/server-address-rule";
import type { Config } from "./config.ts";
import type { Log } from "./log.ts";

/** Whether channels may use private addresses. */
export function isPrivateUpstreamAllowed({ UPSTREAM_PRIVATE_ALLOWED: given, NODE_ENV: environment }: Config): boolean {
  return given ?? environment !== "production";
}

/** Creates the guard for connections to channels, according to the configuration. */
export function openUpstreamGuard(config: Config, log: Log): ServerGuard {
  return new ServerGuard({
    isAllowed: serverAddressRule(isPrivateUpstreamAllowed(config)),
    ownServer: sandboxPlace(config),
    onRefused: (host, address) => {
      const advice = adviceFor(address);
      log.warn("upstream.address_refused", { host, address, advice });
      return advice;
    },
  });
}

function sandboxPlace({ SANDBOX_URL: text }: Config): ServerPlace | null {
  if (text === undefined) {
    return null;
  }
  const { hostname, port, protocol } = new URL(text);
  const isPlain = protocol === "http:";
  return { hostname: hostname.replace(/^\[(.*)\]$/, "$1"), port: port === "" ? (isPlain ? 80 : 443) : Number(port) };
}

/** What the operator can do about a refused address. */
function adviceFor(address: string): string {
  return isNoServerAddress(address)
    ? "no model server is there"
    : "it is in a private network; UPSTREAM_PRIVATE_ALLOWED=true in the environment allows these";
}
