import { landingInput, landingResponse } from "@sluice/contracts/analytics";
import { AddressLimiter, type AddressLimits } from "../../platform/address-limiter.ts";
import type { Clock } from "../../platform/clock.ts";
import type { Database } from "../../platform/db.ts";
import { type AnyEndpoint, endpoint } from "../../platform/endpoint/model.ts";
import { AppError } from "../../platform/errors.ts";
import { recordLanding } from "./service.ts";

export type AnalyticsDeps = {
  readonly db: Database;
  readonly clock: Pick<Clock, "tick">;
  /** Limits per minute; tests override them. */
  readonly limits?: AddressLimits;
};

/** A visitor sends a few events; a flood must fill neither the table nor the connection pool. */
const limitsDefault = { perAddress: 60, inAll: 1_200 };
const bodyBytesMax = 8 * 1_024;

/** The endpoints that public pages report to. They neither read nor set a cookie. */
export function analyticsEndpoints({ db, clock, limits = limitsDefault }: AnalyticsDeps): AnyEndpoint[] {
  const limiter = new AddressLimiter(limits);
  return [
    endpoint({
      method: "POST",
      path: "/backend/analytics/landing/",
      access: "public",
      body: "beacon",
      bodyBytesMax,
      input: landingInput,
      output: landingResponse,
      errors: ["too_many_attempts"],
      limits: [`${limits.perAddress} events a minute from one address, ${limits.inAll} in all for each process.`],
      summary: "Report a view of a public page, or a click on its call to action",
      handle: async ({ input, clientIp, userAgent }) => {
        const waitSeconds = limiter.tryTake(clientIp, clock.tick());
        if (waitSeconds !== null) {
          throw new AppError("too_many_attempts", { retryAfterSeconds: waitSeconds });
        }
        return { is_counted: await recordLanding(db, input, userAgent) };
      },
    }),
  ];
}
