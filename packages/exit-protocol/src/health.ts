import { z } from "zod";

const account = z.object({
  accountCode: z.string(),
  provider: z.string(),
  authType: z.enum(["api_key", "oauth_refresh_token"]),
  /** `active` serves calls, `standby` is an unused slot, `refused` means that the provider rejected the key. */
  status: z.enum(["active", "standby", "refused"]),
});

/** Details that only a holder of the relay key learns. */
const details = z.object({
  node: z.string(),
  version: z.string(),
  startedAt: z.iso.datetime(),
  uptimeSeconds: z.number().nonnegative(),
  clock: z.object({ time: z.iso.datetime(), epochMs: z.number().int() }),
  load: z.object({
    inFlight: z.number().int().nonnegative(),
    cpuPerMinute: z.number().nonnegative(),
    residentBytes: z.number().int().nonnegative(),
  }),
  accounts: z.array(account),
  /**
   * `bound` is the address the node is configured to send from, `seen` the local address of its last connection to a
   * provider.
   */
  egressAddress: z.object({ bound: z.string().nullable(), seen: z.string().nullable() }),
});

/** The response of `/health` to anyone. `ok` is false, with status 503, when the node can't serve calls. */
export const healthResponse = z.object({ ok: z.boolean() });

/** The response of `/health` to a holder of the relay key, or to a challenge. */
export const detailedHealthResponse = healthResponse.extend(details.shape);

export type HealthResponse = z.output<typeof healthResponse>;
export type DetailedHealthResponse = z.output<typeof detailedHealthResponse>;
export type ProviderAccountState = z.output<typeof account>;
