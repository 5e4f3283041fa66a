import { ServerGuard } from "@sluice/http-client/server-guard";
import { serverAddressRule } from "@sluice/server-addresses/server-address-rule";
import type { Config } from "../platform/config.ts";

/** Where the receivers of events may be. */
export function openTargetGuards({ WEBHOOK_PRIVATE_ALLOWED, NODE_ENV }: Config) {
  const isPrivateAllowed = WEBHOOK_PRIVATE_ALLOWED ?? NODE_ENV !== "production";
  return {
    customers: {
      guard: new ServerGuard({ isAllowed: serverAddressRule(isPrivateAllowed) }),
      isPlainAllowed: isPrivateAllowed,
    },
    // Only super-admins with a fresh login name these, and their receivers are often in a private network.
    operators: { guard: new ServerGuard({ isAllowed: serverAddressRule(true) }) },
  };
}
