import { accountActs, keptAccountActs } from "./accounts/admin-acts.ts";
import { superAdmins } from "./accounts/service.ts";
import type { AmountRules } from "./admin/approvals/model.ts";
import { Approvals, keptAct } from "./admin/approvals/service.ts";
import type { SettingValues } from "./admin/settings/registry.ts";
import { saveSettingAct } from "./admin/settings/save-setting.ts";
import type { Settings } from "./admin/settings/service.ts";
import { modelAct } from "./gateway/catalog-admin/model-act.ts";
import { changeGatewayUser } from "./gateway/service.ts";
import type { MailQueue } from "./mail/model.ts";
import { billingActs, keptActs } from "./payments/admin/admin-acts.ts";
import { type Config, publicBaseUrl } from "./platform/config.ts";
import type { Database } from "./platform/db.ts";

type Parts = { readonly config: Config; readonly db: Database; readonly settings: Settings };
type Acts = ReturnType<typeof openActs>;

/** What waits for a second super-admin where it is large, or would get around that. */
export function openActs({ config, settings }: Parts, mails: MailQueue, money: Parameters<typeof billingActs>[0]) {
  return {
    billing: billingActs(money),
    accounts: accountActs({ mails, baseUrl: publicBaseUrl(config), gatewayUsers: { change: changeGatewayUser } }),
    catalog: { model: modelAct() },
    setting: saveSettingAct(settings),
  };
}

export function openApprovals({ config, db, settings }: Parts, mails: MailQueue, acts: Acts): Approvals {
  const { billing, accounts, catalog, setting } = acts;
  const kept = [...keptActs(billing), ...keptAccountActs(accounts), keptAct(catalog.model), keptAct(setting)];
  return new Approvals({
    db,
    acts: kept,
    admins: superAdmins,
    mails,
    baseUrl: publicBaseUrl(config),
    rules: async (tx) => amountRules(await settings.readValues(tx)),
  });
}

function amountRules(values: SettingValues): AmountRules {
  return {
    adjust: { usdMax: values["admin.adjust_usd_max"], usdPerDayMax: values["admin.adjust_usd_per_day"] },
    refund: { usdMax: values["admin.refund_usd_max"], usdPerDayMax: values["admin.refund_usd_per_day"] },
    secondPersonAboveUsd: values["admin.second_person_above_usd"],
  };
}
