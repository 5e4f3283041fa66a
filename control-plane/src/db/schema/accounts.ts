import { sql } from "drizzle-orm";
import { pgTable, text, uniqueIndex } from "drizzle-orm/pg-core";
import { id, lifecycle, moment, reference } from "../columns.ts";
import { gatewayUser } from "./gateway-keys.ts";

/** The business profile. One-to-one with the user of the upstream gateway, which carries group, state and multiplier. */
export const userProfile = pgTable(
  "user_profile",
  {
    id: id(),
    gatewayUserId: reference("gateway_user_id")
      .notNull()
      .unique()
      .references(() => gatewayUser.id),
    email: text("email").notNull(),
    passwordHash: text("password_hash"),
    displayName: text("display_name"),
    userType: text("user_type", { enum: ["personal", "business", "internal"] })
      .notNull()
      .default("personal"),
    status: text("status", { enum: ["email_pending", "active", "suspended", "closed"] })
      .notNull()
      .default("email_pending"),
    emailVerifiedAt: moment("email_verified_at"),
    ...lifecycle,
  },
  (table) => [uniqueIndex("user_profile_email").on(sql`lower(${table.email})`)],
);
