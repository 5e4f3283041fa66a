import { index, pgTable, text, unique } from "drizzle-orm/pg-core";
import { id, lifecycle, moment, reference } from "../columns.ts";
import { gatewayUser } from "./gateway-keys.ts";
import { userGroup } from "./groups.ts";

/** A group that admins have given a user besides the account's own. */
export const userGroupMember = pgTable(
  "user_group_member",
  {
    id: id(),
    gatewayUserId: reference("gateway_user_id")
      .notNull()
      .references(() => gatewayUser.id),
    groupName: text("group_name")
      .notNull()
      .references(() => userGroup.name),
    /** Null for a membership without an end. */
    endsAt: moment("ends_at"),
    ...lifecycle,
  },
  (table) => [
    unique("user_group_member_once").on(table.gatewayUserId, table.groupName),
    index("user_group_member_group").on(table.groupName),
  ],
);
