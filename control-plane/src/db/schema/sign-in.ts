import { boolean, index, pgTable, text, unique } from "drizzle-orm/pg-core";
import { bytes, id, lifecycle, moment, reference } from "../columns.ts";
import { userProfile } from "./accounts.ts";

/** Where users can sign in other than here. */
export const signInProvider = pgTable("sign_in_provider", {
  id: id(),
  /** Part of the callback address; each provider has its own, so that one can't answer for another. */
  slug: text("slug").notNull().unique(),
  kind: text("kind", { enum: ["oidc", "github"] }).notNull(),
  label: text("label").notNull(),
  issuer: text("issuer").notNull(),
  clientId: text("client_id").notNull(),
  /** Encrypted under the master key, bound to this provider. */
  secretSealed: bytes("secret_sealed").notNull(),
  isEnabled: boolean("is_enabled").notNull(),
  mayRegister: boolean("may_register").notNull(),
  ...lifecycle,
});

/** An account at an issuer with which a user signs in. The issuer's subject identifies it, never its e-mail address. */
export const userIdentity = pgTable(
  "user_identity",
  {
    id: id(),
    userId: reference("user_id")
      .notNull()
      .references(() => userProfile.id),
    issuer: text("issuer").notNull(),
    subject: text("subject").notNull(),
    /** The address that the issuer named last, to show to the user; it decides nothing. */
    email: text("email"),
    createdAt: moment("created_at").notNull().defaultNow(),
    lastUsedAt: moment("last_used_at"),
  },
  (table) => [
    unique("user_identity_subject").on(table.issuer, table.subject),
    index("user_identity_user").on(table.userId),
  ],
);

/** Digests of random values that work once and were used, until they would have expired anyway. */
export const usedChallenge = pgTable(
  "used_challenge",
  { digest: bytes("digest").primaryKey(), expiresAt: moment("expires_at").notNull() },
  (table) => [index("used_challenge_end").on(table.expiresAt)],
);
