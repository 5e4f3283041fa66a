import type { ProfileEntry } from "@sluice/contracts/upstream-auth";
import { integer, pgTable, text } from "drizzle-orm/pg-core";
import { id, json, lifecycle, moment } from "../columns.ts";

/** A login profile for a provider. Stored for later: no call is routed by it. */
export const upstreamAuthProfile = pgTable("upstream_auth_profile", {
  id: id(),
  name: text("name").notNull().unique(),
  provider: text("provider").notNull(),
  authType: text("auth_type", {
    enum: ["api_key", "service_account", "oauth_refresh_token", "custom_header"],
  }).notNull(),
  status: text("status", { enum: ["standby", "disabled"] })
    .notNull()
    .default("standby"),
  baseUrl: text("base_url").notNull(),
  /** The names of the models that the profile is for; empty means all. */
  modelScope: text("model_scope").array().notNull(),
  /** The non-secret fields of the auth type. */
  settings: json("settings").$type<ProfileEntry["settings"]>().notNull(),
  /** The name in the secret store under which the secret fields are stored. */
  credentialSecret: text("credential_secret"),
  /** The names of the fields that were entered, without their values. */
  credentialFields: text("credential_fields").array().notNull(),
  refreshCheck: text("refresh_check", { enum: ["pending_manual_connector"] }),
  refreshRequestedAt: moment("refresh_requested_at"),
  version: integer("version").notNull().default(1),
  ...lifecycle,
});
