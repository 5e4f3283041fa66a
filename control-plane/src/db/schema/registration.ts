import { sql } from "drizzle-orm";
import { check, index, integer, pgTable, smallint, text, uniqueIndex } from "drizzle-orm/pg-core";
import { bytes, id, lifecycle, moment, quota, reference } from "../columns.ts";
import { userProfile } from "./accounts.ts";
import { userGroup } from "./groups.ts";

/** Who may register, and what for. It has one row, whose lock also serializes decisions about free credit. */
export const registrationRules = pgTable(
  "registration_rules",
  {
    id: smallint("id").primaryKey().default(1),
    mode: text("mode", { enum: ["open", "domains", "invitation", "closed"] })
      .notNull()
      .default("open"),
    domains: text("domains").array().notNull().default([]),
    refusedDomains: text("refused_domains").array().notNull().default([]),
    /** How many zero bits the proof of work needs; 0 switches it off. */
    proofBits: integer("proof_bits").notNull().default(0),
    /** What a person gets once the address is verified. */
    creditQuota: quota("credit_quota").notNull().default(sql`0`),
    /** How often that is paid; 0 means unlimited. Days are days of UTC. */
    creditsPerNetworkDay: integer("credits_per_network_day").notNull().default(3),
    creditsPerNetwork: integer("credits_per_network").notNull().default(20),
    creditsPerDeviceDay: integer("credits_per_device_day").notNull().default(1),
    creditsPerDevice: integer("credits_per_device").notNull().default(1),
    creditsPerDay: integer("credits_per_day").notNull().default(100),
    updatedAt: lifecycle.updatedAt,
  },
  (table) => [
    check("registration_rules_once", sql`${table.id} = 1`),
    check("registration_rules_credit", sql`${table.creditQuota} >= 0`),
  ],
);

/** A code with which some people may register, made by an admin. */
export const registrationInvitation = pgTable(
  "registration_invitation",
  {
    id: id(),
    /** For the operator alone: whom it is for. */
    name: text("name").notNull(),
    /** By which a code that somebody brings is found. */
    digest: bytes("digest").notNull().unique(),
    /** The code, encrypted under the master key, so that admins can pass it on again; null only while it is being made. */
    sealedCode: bytes("sealed_code"),
    uses: integer("uses").notNull().default(0),
    usesMax: integer("uses_max").notNull(),
    expiresAt: moment("expires_at"),
    /** The group in which its accounts start; null for the usual one. */
    groupName: text("group_name").references(() => userGroup.name),
    /** What each of its accounts gets; null for the usual credit. */
    creditQuota: quota("credit_quota"),
    createdBy: text("created_by").notNull(),
    /** Of the request that made it. */
    idempotencyKey: text("idempotency_key").unique(),
    revokedAt: moment("revoked_at"),
    ...lifecycle,
  },
  (table) => [
    check("registration_invitation_uses", sql`${table.uses} between 0 and ${table.usesMax}`),
    check("registration_invitation_credit", sql`${table.creditQuota} >= 0`),
  ],
);

/** How a user registered, and whether that was paid with free credit. */
export const userRegistration = pgTable(
  "user_registration",
  {
    userId: reference("user_id")
      .primaryKey()
      .references(() => userProfile.id),
    invitationId: reference("invitation_id").references(() => registrationInvitation.id),
    /** The /24 or /48 from which the request came. */
    network: text("network").notNull(),
    /** The random name in the browser's cookie; null for programs. */
    device: text("device"),
    /** The digest of the address without what many providers ignore. */
    addressKey: bytes("address_key").notNull(),
    registeredAt: moment("registered_at").notNull().defaultNow(),
    /** When the address was verified: the invitation was used then, and credit paid or refused. */
    decidedAt: moment("decided_at"),
    /** What was paid. */
    creditQuota: quota("credit_quota").notNull().default(sql`0`),
    /** Why nothing was paid, if something would have been. */
    creditRefusal: text("credit_refusal", {
      enum: ["address", "network_day", "network", "device_day", "device", "day"],
    }),
  },
  (table) => [
    uniqueIndex("user_registration_paid_address").on(table.addressKey).where(sql`${table.creditQuota} > 0`),
    index("user_registration_paid_network").on(table.network, table.decidedAt).where(sql`${table.creditQuota} > 0`),
    index("user_registration_paid_device").on(table.device, table.decidedAt).where(sql`${table.creditQuota} > 0`),
    index("user_registration_decided")
      .on(table.decidedAt, table.userId)
      .where(sql`${table.creditQuota} > 0 or ${table.creditRefusal} is not null`),
    index("user_registration_invitation").on(table.invitationId),
    check(
      "user_registration_credit",
      sql`${table.creditQuota} >= 0 and (${table.creditQuota} = 0 or (${table.decidedAt} is not null and ${table.creditRefusal} is null))`,
    ),
  ],
);
