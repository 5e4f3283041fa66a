import { accountZh } from "./account.ts";
import { adminsZh } from "./admins.ts";
import { approvalsZh } from "./approvals.ts";
import { auditZh } from "./audit.ts";
import { brandingZh } from "./branding.ts";
import { codesZh } from "./codes.ts";
import { consentsZh } from "./consents.ts";
import { couponsZh } from "./coupons.ts";
import { dashboardZh } from "./dashboard.ts";
import { errorsZh } from "./errors.ts";
import { eventsZh } from "./events.ts";
import { exitNodeZh } from "./exit-node.ts";
import { exitNodesZh } from "./exit-nodes.ts";
import { figureTextsZh } from "./figure-texts.ts";
import { figuresZh } from "./figures.ts";
import { frameZh } from "./frame.ts";
import { groupZh } from "./group.ts";
import { groupsZh } from "./groups.ts";
import { invoicesZh } from "./invoices.ts";
import { keysZh } from "./keys.ts";
import { leadsZh } from "./leads.ts";
import { limitsZh } from "./limits.ts";
import { mailZh } from "./mail.ts";
import { mailTemplateZh } from "./mail-template.ts";
import { manualAdjustZh } from "./manual-adjust.ts";
import { modelMapZh } from "./model-map.ts";
import { modelsZh } from "./models.ts";
import { ordersZh } from "./orders.ts";
import { organisationZh } from "./organisation.ts";
import { organisationsZh } from "./organisations.ts";
import { partsZh } from "./parts.ts";
import { paymentsZh } from "./payments.ts";
import { performanceZh } from "./performance.ts";
import { plansZh } from "./plans.ts";
import { pricesZh } from "./prices.ts";
import { providerZh } from "./provider.ts";
import { referralsZh } from "./referrals.ts";
import { registrationZh } from "./registration.ts";
import { renewalsZh } from "./renewals.ts";
import { reportsZh } from "./reports.ts";
import { rolesZh } from "./roles.ts";
import { secretsZh } from "./secrets.ts";
import { settingTextsZh } from "./setting-texts.ts";
import { settingTitlesZh } from "./setting-titles.ts";
import { settingsZh } from "./settings.ts";
import { severalPagesZh } from "./several-pages.ts";
import { signInZh } from "./sign-in.ts";
import { statusZh } from "./status.ts";
import { tokensZh } from "./tokens.ts";
import { topUpsZh } from "./top-ups.ts";
import { traceZh } from "./trace.ts";
import { traceDetailZh } from "./trace-detail.ts";
import { upstreamsZh } from "./upstreams.ts";
import { userZh } from "./user.ts";
import { usersZh } from "./users.ts";
import { wordsZh } from "./words.ts";

/** What the service says, with places for what differs. */
export const sentences: Readonly<Record<string, string>> = errorsZh;

/**
 * What the admin says in Chinese, by the English text. A file for each folder of pages, `parts` for the parts that
 * they share, `prices` for prices and units, and `several-pages` for what several say.
 */
export const zh = {
  ...accountZh,
  ...adminsZh,
  ...approvalsZh,
  ...auditZh,
  ...brandingZh,
  ...codesZh,
  ...consentsZh,
  ...couponsZh,
  ...dashboardZh,
  ...errorsZh,
  ...eventsZh,
  ...exitNodeZh,
  ...exitNodesZh,
  ...figureTextsZh,
  ...figuresZh,
  ...frameZh,
  ...groupZh,
  ...groupsZh,
  ...invoicesZh,
  ...keysZh,
  ...leadsZh,
  ...limitsZh,
  ...mailZh,
  ...mailTemplateZh,
  ...manualAdjustZh,
  ...modelMapZh,
  ...modelsZh,
  ...ordersZh,
  ...organisationZh,
  ...organisationsZh,
  ...partsZh,
  ...paymentsZh,
  ...performanceZh,
  ...plansZh,
  ...pricesZh,
  ...providerZh,
  ...referralsZh,
  ...registrationZh,
  ...renewalsZh,
  ...reportsZh,
  ...rolesZh,
  ...secretsZh,
  ...settingTextsZh,
  ...settingTitlesZh,
  ...settingsZh,
  ...severalPagesZh,
  ...signInZh,
  ...statusZh,
  ...tokensZh,
  ...topUpsZh,
  ...traceZh,
  ...traceDetailZh,
  ...upstreamsZh,
  ...userZh,
  ...usersZh,
  ...wordsZh,
};
