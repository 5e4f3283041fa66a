import type { auditList } from "@sluice/contracts/admin-lists/accounts";
import type { RowOf } from "@sluice/contracts/lists";
import type { ZodType } from "zod";
import type { Call, Command, Output } from "../command.ts";
import { type Page, pageOptions, printPages } from "../read-pages.ts";
import { dayOptions, daysOf } from "./usage.ts";

type Entry = RowOf<typeof auditList>;

async function list(call: Call): Promise<Output> {
  const api = await call.connect();
  const { action, actor, user } = call.options;
  const filters = { ...daysOf(call), action, actor_name: actor, about_user_id: user };
  const readPage = (query: object): Promise<Page<Entry>> =>
    api.get<ZodType<Page<Entry>>>("/backend/admin/audit/list/", { ...query, ...filters });
  return await printPages(call, readPage, [
    ["AT", (row) => row.at],
    ["WHO", (row) => row.actor_name],
    ["TOKEN", (row) => row.actor_token],
    ["ACTION", (row) => row.action],
    ["ABOUT", (row) => `${row.subject_kind} ${row.subject_id}`],
    ["REASON", (row) => row.reason],
  ]);
}

export const auditCommands: readonly Command[] = [
  {
    name: "audit-log",
    text: "Lists what was changed, newest first. For admins.",
    options: {
      ...dayOptions,
      action: { type: "string", text: "What was done, such as channel.save." },
      actor: { type: "string", text: "Who did it." },
      user: { type: "string", text: "The ID of a user who did it, or to whom it was done." },
      ...pageOptions,
    },
    run: list,
  },
];
