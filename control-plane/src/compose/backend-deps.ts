import type { Registry } from "prom-client";
import type { Settings } from "../admin/settings/service.ts";
import type { Branding } from "../branding/service.ts";
import type { WebBuild } from "../pages/web-build.ts";
import type { Config } from "../platform/config.ts";
import type { MasterKey } from "../platform/crypto/master-key.ts";
import type { Database } from "../platform/db.ts";
import type { Notifications } from "../platform/db-notifications.ts";
import type { Log } from "../platform/log.ts";

/** What a process that is a backend has opened before its features. */
export type BackendDeps = {
  readonly config: Config;
  readonly db: Database;
  readonly masterKey: MasterKey;
  readonly log: Log;
  readonly notifications: Notifications;
  readonly registry: Registry;
  readonly settings: Settings;
  readonly branding: Branding;
  readonly upstreamCa: string | null;
  /** Null when the web UI is not built or not served. */
  readonly webBuild: WebBuild | null;
};
