import { Settings } from "@sluice/control-plane/admin/settings/service.ts";
import { Branding } from "@sluice/control-plane/branding/service.ts";
import { lookRules } from "@sluice/control-plane/compose/brand.ts";
import { type Backend, buildBackend } from "@sluice/control-plane/compose/features.ts";
import { buildWork } from "@sluice/control-plane/compose/work.ts";
import { loadConfig } from "@sluice/control-plane/platform/config.ts";
import { MasterKey } from "@sluice/control-plane/platform/crypto/master-key.ts";
import type { Database } from "@sluice/control-plane/platform/db.ts";
import { notify, openNotifications } from "@sluice/control-plane/platform/db-notifications.ts";
import type { AnyEndpoint } from "@sluice/control-plane/platform/endpoint/model.ts";
import { createLog } from "@sluice/control-plane/platform/log.ts";
import { Registry } from "prom-client";
import { masterKeyBytes } from "../service/sluice.ts";

type Place = { readonly db: Database; readonly database: { readonly url: string } };

/** The backend of the program, without starting any of it. */
export async function declaredBackend({ database, db }: Place): Promise<Backend> {
  const config = loadConfig({ NODE_ENV: "test", DATABASE_URL: database.url });
  const log = createLog("error", () => undefined);
  const notifications = openNotifications(database.url, log, (channel) => notify(db, channel, ""));
  const masterKey = new MasterKey(masterKeyBytes);
  const settings = new Settings({ db, log, fixed: {} });
  const branding = new Branding({ db, log, rules: () => lookRules(settings.values) });
  const own = { registry: new Registry(), settings, branding, upstreamCa: null, webBuild: null };
  const parts = { config, db, masterKey, log, notifications, ...own };
  const found = buildBackend(parts, buildWork(parts).services, null);
  await notifications.close();
  return found;
}

export async function declaredEndpoints(place: Place): Promise<readonly AnyEndpoint[]> {
  return (await declaredBackend(place)).endpoints;
}

export const nameOf = ({ method, path }: AnyEndpoint): string => `${method} ${path}`;
