import type { Settings } from "../admin/settings/service.ts";
import type { SetupDeps } from "../admin/setup/service.ts";
import type { Branding } from "../branding/service.ts";
import { isPaymentReady, type Payments } from "../payments/gateways/payment-gateways.ts";
import type { Config } from "../platform/config.ts";
import type { Database } from "../platform/db.ts";
import { brandOf, ownBrandName } from "./brand.ts";

type Sources = {
  readonly config: Config;
  readonly db: Database;
  readonly settings: Settings;
  readonly branding: Branding;
};

/** What shows whether a step of the first set-up is done. */
export function setupDeps({ config, db, settings, branding }: Sources, payments: Payments): SetupDeps {
  const { values } = settings;
  return {
    db,
    sandboxUrl: config.SANDBOX_URL ?? null,
    isPaymentReady: () => isPaymentReady(payments, (gateway) => values[`payments.${gateway}`]),
    sendsMail: config.MAIL_ADAPTER !== "log",
    hasPublicAddress: config.PUBLIC_BASE_URL?.startsWith("https://") === true,
    hasBrand: () => ownBrandName(settings) !== null,
    hasLegalPages: () => {
      const pages = brandOf(values, branding.state()).legal.map(({ page }) => page);
      return pages.includes("terms") && pages.includes("privacy");
    },
  };
}
