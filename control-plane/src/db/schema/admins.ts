import { adminRoles } from "@sluice/contracts/admin-roles";
import { adminLocales } from "@sluice/contracts/locales";
import { sql } from "drizzle-orm";
import { bigint, check, index, integer, pgTable, text, uniqueIndex } from "drizzle-orm/pg-core";
import { bytes, id, json, lifecycle, moment, reference } from "../columns.ts";

/**
 * Who may work in the admin area: `agent` 0 nobody, 1 admin, 2 super-admin. Other programs may share this table. `role`
 * limits those with `agent` 1.
 */
export const sharedAdminCredentials = pgTable(
  "shared_admin_credentials",
  {
    id: id(),
    username: text("username").notNull(),
    email: text("email"),
    mobile: text("mobile"),
    /** A hash by argon2id or bcrypt. */
    passwordHash: text("password_hash").notNull(),
    agent: integer("agent").notNull().default(0),
    role: text("role", { enum: adminRoles }).notNull().default("admin"),
    /** The language of the admin area; null for that of the browser. */
    locale: text("locale", { enum: adminLocales }),
    totpSealed: bytes("totp_sealed"),
    totpEnabledAt: moment("totp_enabled_at"),
    totpLastStep: bigint("totp_last_step", { mode: "number" }),
    ...lifecycle,
  },
  (table) => [
    uniqueIndex("shared_admin_credentials_username").on(sql`lower(${table.username})`),
    uniqueIndex("shared_admin_credentials_email").on(sql`lower(${table.email})`),
    uniqueIndex("shared_admin_credentials_mobile").on(table.mobile),
    check("shared_admin_credentials_role", sql`${table.role} in ('admin', 'read_only', 'support', 'billing')`),
    check("shared_admin_credentials_locale", sql`${table.locale} in ('en', 'zh')`),
  ],
);

/** The name that users see for an admin; found or created at login. */
export const supportProfile = pgTable("support_profile", {
  id: id(),
  adminId: reference("admin_id")
    .notNull()
    .unique()
    .references(() => sharedAdminCredentials.id),
  displayName: text("display_name").notNull(),
  lastLoginAt: moment("last_login_at"),
  ...lifecycle,
});

/** Append-only: every change to the service that a person or a command made. */
export const auditLog = pgTable(
  "audit_log",
  {
    id: id(),
    at: moment("at").notNull().defaultNow(),
    actorKind: text("actor_kind", { enum: ["admin", "user", "command", "system"] }).notNull(),
    actorId: reference("actor_id"),
    actorName: text("actor_name").notNull(),
    /** The name and number of the access token that was used; null for a login. */
    actorToken: text("actor_token"),
    /** The action, such as `plan.save`. */
    action: text("action").notNull(),
    subjectKind: text("subject_kind").notNull(),
    subjectId: text("subject_id").notNull(),
    before: json("before"),
    after: json("after"),
    reason: text("reason"),
    requestId: text("request_id"),
    ip: text("ip"),
  },
  (table) => [
    index("audit_log_at").on(table.at, table.id),
    index("audit_log_subject").on(table.subjectKind, table.subjectId),
    index("audit_log_user").on(table.actorId, table.at, table.id).where(sql`${table.actorKind} = 'user'`),
    index("audit_log_actor").on(table.actorName, table.at, table.id),
    index("audit_log_actor_kind").on(table.actorKind, table.at, table.id),
    index("audit_log_action").on(table.action, table.at, table.id),
  ],
);
