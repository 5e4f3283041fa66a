import { bigint, date, index, pgTable, text, unique } from "drizzle-orm/pg-core";
import { bytes, id, lifecycle, moment, quota, reference } from "../columns.ts";
import { gatewayUser } from "./gateway-keys.ts";

/** Another gateway that customers are moved from. */
export const importSource = pgTable("import_source", {
  /** What the operator calls it; several databases can be moved into one Sluice. */
  instance: text("instance").primaryKey(),
  program: text("program", { enum: ["one-api", "new-api", "litellm"] }).notNull(),
  /** Since when customers call Sluice instead: balances are not read again. */
  cutOverAt: moment("cut_over_at"),
  ...lifecycle,
});

/** A row of another gateway, and what was made of it. The next run finds it here. */
export const importItem = pgTable(
  "import_item",
  {
    id: id(),
    instance: text("instance")
      .notNull()
      .references(() => importSource.instance),
    kind: text("kind", {
      enum: ["group", "user", "organisation", "member", "project", "key", "model", "channel", "code"],
    }).notNull(),
    sourceId: text("source_id").notNull(),
    /** The SHA-256 of what was read: the row has not changed there while it is the same. */
    digest: bytes("digest").notNull(),
    /** The id or name here. */
    target: text("target").notNull(),
    /** The gateway user whose balance was moved, for users, organisations and keys. */
    gatewayUserId: reference("gateway_user_id"),
    /** Of a user or an organisation: the balance that was moved so far. */
    movedQuota: quota("moved_quota"),
    /** When its target was last written by an import: a later change was made here and stays. */
    writtenAt: moment("written_at").notNull(),
  },
  (table) => [
    unique("import_item_once").on(table.instance, table.kind, table.sourceId),
    index("import_item_target").on(table.kind, table.target),
  ],
);

const count = (name: string) => bigint(name, { mode: "bigint" }).notNull();

/** What an account used in another gateway before it was moved, by day. History alone: nothing is charged or limited by it. */
export const importedUsage = pgTable(
  "imported_usage",
  {
    id: id(),
    gatewayUserId: reference("gateway_user_id")
      .notNull()
      .references(() => gatewayUser.id),
    instance: text("instance")
      .notNull()
      .references(() => importSource.instance),
    /** In UTC. */
    day: date("day", { mode: "string" }).notNull(),
    /** As the other gateway calls it. */
    model: text("model").notNull(),
    calls: count("calls"),
    inputTokens: count("input_tokens"),
    outputTokens: count("output_tokens"),
    quota: quota("quota").notNull(),
  },
  (table) => [
    unique("imported_usage_once").on(table.gatewayUserId, table.instance, table.day, table.model),
    index("imported_usage_instance").on(table.instance),
  ],
);

/** A call in another gateway before its account was moved, if the operator wants single ones. History alone, like their sums. */
export const importedCall = pgTable(
  "imported_call",
  {
    id: id(),
    gatewayUserId: reference("gateway_user_id")
      .notNull()
      .references(() => gatewayUser.id),
    instance: text("instance")
      .notNull()
      .references(() => importSource.instance),
    /** The id of its row there. */
    sourceId: text("source_id").notNull(),
    madeAt: moment("made_at").notNull(),
    /** As the other gateway calls it. */
    model: text("model").notNull(),
    keyName: text("key_name").notNull(),
    inputTokens: count("input_tokens"),
    outputTokens: count("output_tokens"),
    quota: quota("quota").notNull(),
  },
  (table) => [
    unique("imported_call_once").on(table.instance, table.sourceId),
    index("imported_call_user").on(table.gatewayUserId, table.madeAt, table.id),
  ],
);
