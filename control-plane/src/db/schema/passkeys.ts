import { bigint, boolean, index, pgTable, text } from "drizzle-orm/pg-core";
import { bytes, id, moment, reference } from "../columns.ts";
import { userProfile } from "./accounts.ts";

/** A key pair of an authenticator (WebAuthn) with which a user logs in. Only the public key is known here. */
export const passkey = pgTable(
  "passkey",
  {
    id: id(),
    userId: reference("user_id")
      .notNull()
      .references(() => userProfile.id),
    /** What its owner calls it. */
    name: text("name").notNull(),
    /** Base64url, as browsers name it. */
    credentialId: text("credential_id").notNull().unique(),
    /** In the form of COSE. */
    publicKey: bytes("public_key").notNull(),
    /** How often the authenticator says that it has signed; those that copy their keys stay at 0. */
    counter: bigint("counter", { mode: "number" }).notNull(),
    /** Hints for browsers how the authenticator is reached. */
    transports: text("transports").array().notNull(),
    /** Whether the authenticator may copy the key to other devices of its owner. This never changes. */
    isSynced: boolean("is_synced").notNull(),
    isBackedUp: boolean("is_backed_up").notNull(),
    /** The model of the authenticator; zeros if it does not say. */
    aaguid: text("aaguid").notNull(),
    createdAt: moment("created_at").notNull().defaultNow(),
    lastUsedAt: moment("last_used_at"),
  },
  (table) => [index("passkey_user").on(table.userId)],
);
