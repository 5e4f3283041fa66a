import { accountActs, keptAccountActs } from "../accounts/admin-acts.ts";
import { superAdmins } from "../accounts/admins/super-admins.ts";
import type { AmountRules } from "../admin/approvals/model.ts";
import { Approvals, keptAct } from "../admin/approvals/service.ts";
import { saveSecretAct } from "../admin/secrets/save-secret.ts";
import type { SettingValues } from "../admin/settings/registry.ts";
import { type SettingEffects, saveSettingAct } from "../admin/settings/save-setting.ts";
import type { Settings } from "../admin/settings/service.ts";
import { adoptAct } from "../gateway/catalog-admin/adopt-models.ts";
import { modelAct } from "../gateway/catalog-admin/model-act.ts";
import { sealChannelCredential } from "../gateway/channels/credentials.ts";
import { assignGroupAct, removeGroupAct } from "../gateway/groups/assign-group.ts";
import { groupAct } from "../gateway/groups/save-group.ts";
import { findGroup } from "../gateway/groups/store.ts";
import { beginGeneration } from "../gateway/response-cache/store.ts";
import type { MailQueue } from "../mail/model.ts";
import { billingActs, keptActs } from "../payments/admin/admin-acts.ts";
import { type Config, publicBaseUrl } from "../platform/config.ts";
import type { MasterKey } from "../platform/crypto/master-key.ts";
import type { Database } from "../platform/db.ts";
import { gatewayUsers } from "./gateway-users.ts";

type Parts = {
  readonly config: Config;
  readonly db: Database;
  readonly masterKey: MasterKey;
  readonly settings: Settings;
};
/** The secret store: which secrets take two people, and whom to notify of a change. */
type SecretStore = Omit<Parameters<typeof saveSecretAct>[0], "masterKey">;
type Acts = ReturnType<typeof openActs>;

/** A response cache that is turned off forgets also what replicas share. */
const settingEffects: SettingEffects = {
  "cache.responses": async (tx, { after }) => {
    if (after.value === false) {
      await beginGeneration(tx);
    }
  },
};

/** Acts that wait for a second super-admin when they are large or would bypass that rule. */
export function openActs(
  { config, masterKey, settings }: Parts,
  mails: MailQueue,
  { secrets, ...money }: Omit<Parameters<typeof billingActs>[0], "masterKey"> & { readonly secrets: SecretStore },
) {
  return {
    billing: billingActs({ ...money, masterKey }),
    accounts: accountActs({
      mails,
      masterKey,
      baseUrl: publicBaseUrl(config),
      gatewayUsers,
      waitingDays: () => settings.values["accounts.closing_days"],
      hasGroup: async (db, name) => (await findGroup(db, name))?.archivedAt === null,
    }),
    catalog: { model: modelAct(), adopt: adoptAct(sealChannelCredential.bind(null, masterKey)) },
    groups: { save: groupAct(), assign: assignGroupAct(), remove: removeGroupAct() },
    setting: saveSettingAct(settings, settingEffects),
    secret: saveSecretAct({ masterKey, ...secrets }),
  };
}

export function openApprovals({ config, db, masterKey, settings }: Parts, mails: MailQueue, acts: Acts): Approvals {
  const { billing, accounts, catalog, groups, setting, secret } = acts;
  const ofGroups = [keptAct(groups.save), keptAct(groups.assign), keptAct(groups.remove)];
  const ofGateway = [keptAct(catalog.model), keptAct(catalog.adopt), ...ofGroups];
  const alone = [...ofGateway, keptAct(setting), keptAct(secret)];
  const kept = [...keptActs(billing), ...keptAccountActs(accounts), ...alone];
  return new Approvals({
    db,
    masterKey,
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
