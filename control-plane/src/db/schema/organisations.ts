import { organisationRoles, organisationStatuses, projectStatuses } from "@sluice/contracts/organisation-rights";
import { sql } from "drizzle-orm";
import { index, pgTable, text, uniqueIndex } from "drizzle-orm/pg-core";
import { bytes, id, lifecycle, moment, reference } from "../columns.ts";
import { userProfile } from "./accounts.ts";
import { gatewayUser } from "./gateway-keys.ts";

/** Several people with one wallet. One-to-one with a gateway user, as a user's profile is: that has keys, quota and ledger. */
export const organisation = pgTable(
  "organisation",
  {
    id: id(),
    gatewayUserId: reference("gateway_user_id")
      .notNull()
      .unique()
      .references(() => gatewayUser.id),
    name: text("name").notNull(),
    status: text("status", { enum: organisationStatuses }).notNull().default("active"),
    ...lifecycle,
  },
  (table) => [
    index("organisation_created").on(table.createdAt, table.id),
    index("organisation_status").on(table.status, table.createdAt, table.id),
    index("organisation_name").on(sql`lower(${table.name})`, table.id),
    index("organisation_name_start").on(sql`lower(${table.name}) text_pattern_ops`),
  ],
);

/** Who belongs to an organisation. A member who left keeps the row: keys and usage name it. */
export const organisationMember = pgTable(
  "organisation_member",
  {
    id: id(),
    organisationId: reference("organisation_id")
      .notNull()
      .references(() => organisation.id),
    userId: reference("user_id")
      .notNull()
      .references(() => userProfile.id),
    role: text("role", { enum: organisationRoles }).notNull(),
    leftAt: moment("left_at"),
    ...lifecycle,
  },
  (table) => [
    uniqueIndex("organisation_member_once").on(table.organisationId, table.userId).where(sql`${table.leftAt} is null`),
    index("organisation_member_user").on(table.userId),
    index("organisation_member_of").on(table.organisationId, table.id),
  ],
);

/** A part of an organisation's work, with keys and a budget of its own. */
export const organisationProject = pgTable(
  "organisation_project",
  {
    id: id(),
    organisationId: reference("organisation_id")
      .notNull()
      .references(() => organisation.id),
    name: text("name").notNull(),
    /** Keys of an archived project are refused. */
    status: text("status", { enum: projectStatuses }).notNull().default("active"),
    ...lifecycle,
  },
  (table) => [uniqueIndex("organisation_project_name").on(table.organisationId, sql`lower(${table.name})`)],
);

/** An invitation by email. Only the SHA-256 of its token is stored; it works once, for this address. */
export const organisationInvitation = pgTable(
  "organisation_invitation",
  {
    id: id(),
    organisationId: reference("organisation_id")
      .notNull()
      .references(() => organisation.id),
    email: text("email").notNull(),
    role: text("role", { enum: organisationRoles }).notNull(),
    tokenHash: bytes("token_hash").notNull().unique(),
    invitedById: reference("invited_by_id")
      .notNull()
      .references(() => userProfile.id),
    expiresAt: moment("expires_at").notNull(),
    acceptedAt: moment("accepted_at"),
    revokedAt: moment("revoked_at"),
    createdAt: moment("created_at").notNull().defaultNow(),
  },
  (table) => [
    uniqueIndex("organisation_invitation_open")
      .on(table.organisationId, sql`lower(${table.email})`)
      .where(sql`${table.acceptedAt} is null and ${table.revokedAt} is null`),
    index("organisation_invitation_by").on(table.invitedById, table.createdAt),
  ],
);
