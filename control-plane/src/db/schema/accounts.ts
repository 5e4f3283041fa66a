import { loginMethods } from "@sluice/contracts/login-methods";
import { sql } from "drizzle-orm";
import { bigint, check, index, pgTable, text, uniqueIndex } from "drizzle-orm/pg-core";
import { bytes, id, lifecycle, moment, quota, reference } from "../columns.ts";
import { sharedAdminCredentials } from "./admins.ts";
import { gatewayUser } from "./gateway-keys.ts";

/** The business profile. One-to-one with the user of the upstream gateway, which holds group, status and multiplier. */
export const userProfile = pgTable(
  "user_profile",
  {
    id: id(),
    gatewayUserId: reference("gateway_user_id")
      .notNull()
      .unique()
      .references(() => gatewayUser.id),
    email: text("email").notNull(),
    /** The name by which a user of another gateway logged in there; it works here as well. */
    username: text("username"),
    passwordHash: text("password_hash"),
    displayName: text("display_name"),
    userType: text("user_type", { enum: ["personal", "business", "internal"] })
      .notNull()
      .default("personal"),
    status: text("status", { enum: ["email_pending", "active", "suspended", "closed"] })
      .notNull()
      .default("email_pending"),
    emailVerifiedAt: moment("email_verified_at"),
    verificationEmailSentAt: moment("verification_email_sent_at"),
    /** The error that kept the verification email from being sent, or null. */
    verificationEmailError: text("verification_email_error"),
    /** The language of the user's emails and pages. */
    locale: text("locale").notNull().default("en"),
    /** Encrypted under the master key, bound to this row; null while no second factor is set up. */
    totpSealed: bytes("totp_sealed"),
    /** Null until a first code has proved that the authenticator has the secret. */
    totpEnabledAt: moment("totp_enabled_at"),
    /** The time step of the last accepted code; no code is accepted twice. */
    totpLastStep: bigint("totp_last_step", { mode: "number" }),
    /** Random bytes by which authenticators know the account; null until a passkey is added. */
    passkeyHandle: bytes("passkey_handle").unique(),
    /**
     * What lists of users are sorted by, at most a minute old: the balance, what was used, and the last call, 1970 without
     * one. The budget itself changes with every call, and an index on it would make each change dearer.
     */
    sortedRemaining: quota("sorted_remaining").notNull().default(sql`0`),
    sortedUsed: quota("sorted_used").notNull().default(sql`0`),
    sortedCallAt: moment("sorted_call_at").notNull().default(sql`'epoch'`),
    ...lifecycle,
  },
  (table) => [
    uniqueIndex("user_profile_email").on(sql`lower(${table.email})`),
    uniqueIndex("user_profile_username").on(sql`lower(${table.username})`).where(sql`${table.username} is not null`),
    // This index serves searches by the beginning of an address, which the other index's collation does not support.
    index("user_profile_email_start").on(sql`lower(${table.email}) text_pattern_ops`),
    index("user_profile_created").on(table.createdAt, table.id),
    index("user_profile_status").on(table.status, table.createdAt, table.id),
    index("user_profile_sorted_remaining").on(table.sortedRemaining, table.id),
    index("user_profile_sorted_used").on(table.sortedUsed, table.id),
    index("user_profile_sorted_call_at").on(table.sortedCallAt, table.id),
  ],
);

/** A token that is sent by email and works once. Only its SHA-256 is stored. */
export const accountToken = pgTable(
  "account_token",
  {
    id: id(),
    userId: reference("user_id").references(() => userProfile.id),
    adminId: reference("admin_id").references(() => sharedAdminCredentials.id),
    purpose: text("purpose", {
      enum: ["email_verify", "password_reset", "admin_password", "email_change", "email_undo"],
    }).notNull(),
    tokenHash: bytes("token_hash").notNull().unique(),
    /** The address that the account gets by it. */
    address: text("address"),
    expiresAt: moment("expires_at").notNull(),
    usedAt: moment("used_at"),
    createdAt: moment("created_at").notNull().defaultNow(),
  },
  (table) => [
    index("account_token_user").on(table.userId, table.purpose),
    index("account_token_admin").on(table.adminId),
    check("account_token_is_of_one", sql`num_nonnulls(${table.userId}, ${table.adminId}) = 1`),
  ],
);

/** One-time codes that replace a lost authenticator. Only the SHA-256 of the code and its owner is stored. */
export const recoveryCode = pgTable(
  "recovery_code",
  {
    id: id(),
    userId: reference("user_id").references(() => userProfile.id),
    adminId: reference("admin_id").references(() => sharedAdminCredentials.id),
    codeHash: bytes("code_hash").notNull().unique(),
    usedAt: moment("used_at"),
    createdAt: moment("created_at").notNull().defaultNow(),
  },
  (table) => [
    index("recovery_code_user").on(table.userId),
    index("recovery_code_admin").on(table.adminId),
    check("recovery_code_is_of_one", sql`num_nonnulls(${table.userId}, ${table.adminId}) = 1`),
  ],
);

/** A login of a user or of an admin. The cookie carries 256 random bits; only their SHA-256 is stored. */
export const session = pgTable(
  "session",
  {
    id: id(),
    tokenHash: bytes("token_hash").notNull().unique(),
    userId: reference("user_id").references(() => userProfile.id),
    adminId: reference("admin_id").references(() => sharedAdminCredentials.id),
    ip: text("ip").notNull(),
    userAgent: text("user_agent").notNull(),
    /** Null for logins of earlier releases. */
    loginMethod: text("login_method", { enum: loginMethods }),
    createdAt: moment("created_at").notNull().defaultNow(),
    seenAt: moment("seen_at").notNull().defaultNow(),
    expiresAt: moment("expires_at").notNull(),
    revokedAt: moment("revoked_at"),
  },
  (table) => [
    index("session_user").on(table.userId),
    index("session_admin").on(table.adminId),
    check("session_is_of_one", sql`num_nonnulls(${table.userId}, ${table.adminId}) = 1`),
  ],
);

/**
 * An access token, with which a program does what its owner may do, as far as its scopes go. Only the SHA-256 is stored.
 */
export const managementToken = pgTable(
  "management_token",
  {
    id: id(),
    userId: reference("user_id").references(() => userProfile.id),
    adminId: reference("admin_id").references(() => sharedAdminCredentials.id),
    /** The organisation that the user's token acts for; null for the user's own account. The migration has the foreign key. */
    organisationId: reference("organisation_id"),
    name: text("name").notNull(),
    tokenHash: bytes("token_hash").notNull().unique(),
    /** The last four characters. */
    hint: text("hint").notNull(),
    scopes: text("scopes").array().notNull(),
    createdAt: moment("created_at").notNull().defaultNow(),
    expiresAt: moment("expires_at").notNull(),
    revokedAt: moment("revoked_at"),
    lastUsedAt: moment("last_used_at"),
    lastUsedIp: text("last_used_ip"),
  },
  (table) => [
    index("management_token_user").on(table.userId),
    index("management_token_admin").on(table.adminId),
    check("management_token_is_of_one", sql`num_nonnulls(${table.userId}, ${table.adminId}) = 1`),
  ],
);

/** Failed attempts of one kind from one origin, by time window. The key is a digest and identifies nobody. */
export const attemptCounter = pgTable(
  "attempt_counter",
  {
    key: text("key").primaryKey(),
    count: bigint("count", { mode: "number" }).notNull(),
    windowEndsAt: moment("window_ends_at").notNull(),
  },
  (table) => [index("attempt_counter_end").on(table.windowEndsAt)],
);
