import type { userSaveResponse } from "@sluice/contracts/accounts";
import type { userList } from "@sluice/contracts/admin-lists/accounts";
import type { RowOf } from "@sluice/contracts/lists";
import type { userDetail } from "@sluice/contracts/user-admin";
import type { ZodType } from "zod";
import type { Call, Command, Output } from "../command.ts";
import { type Page, pageOptions, printPages } from "../read-pages.ts";
import { reasonOf, reasonOption } from "./reason.ts";
import { toUsd } from "./to-usd.ts";

type User = RowOf<typeof userList>;

async function list(call: Call): Promise<Output> {
  const api = await call.connect();
  const { status, q } = call.options;
  const readPage = (query: object): Promise<Page<User>> =>
    api.get<ZodType<Page<User>>>("/backend/admin/user/list/", { ...query, status, q });
  return await printPages(call, readPage, [
    ["ID", (row) => row.user_id],
    ["EMAIL", (row) => row.email],
    ["STATUS", (row) => row.status],
    ["GROUP", (row) => row.group_name],
    ["BALANCE USD", (row) => toUsd(row.remaining)],
    ["KEYS", (row) => row.live_keys],
    ["LAST CALL", (row) => row.last_call_at],
  ]);
}

async function show({ connect, words: [id = ""] }: Call): Promise<Output> {
  const found = await (await connect()).get<typeof userDetail>("/backend/admin/user/detail/", { user_id: id });
  const { user, balance, spent } = found;
  const lines = [
    `${user.email} (user ${user.user_id})`,
    `Status   ${user.status}`,
    `Group    ${user.group_name}`,
    `Balance  ${toUsd(balance.remaining)} USD`,
    `Spent    ${toUsd(spent.last_30_days.settled_quota)} USD in 30 days, ${spent.last_30_days.calls} calls`,
    `Keys     ${user.live_keys}`,
  ];
  return { json: found, text: lines.join("\n") };
}

const changing =
  (status: "active" | "suspended") =>
  async ({ connect, options, words: [id = ""] }: Call): Promise<Output> => {
    const reason = reasonOf(options);
    const saved = await (await connect()).post<typeof userSaveResponse>("/backend/admin/user/save/", {
      user_id: id,
      status,
      reason,
    });
    return "approval" in saved
      ? { json: saved, text: `A second person must approve this: ${saved.approval.approval_id}.` }
      : { json: saved.user, text: `User ${id} is ${status} now.` };
  };

export const userCommands: readonly Command[] = [
  {
    name: "users list",
    text: "Lists users, newest first. For admins.",
    options: {
      q: { type: "string", text: "The beginning of an address or of an API key." },
      status: { type: "string", text: "Selects users.", values: ["email_pending", "active", "suspended", "closed"] },
      ...pageOptions,
    },
    run: list,
  },
  { name: "users show", words: ["<id>"], text: "Shows a user with balance and usage. For admins.", run: show },
  {
    name: "users suspend",
    words: ["<id>"],
    text: "Ends the sessions of a user and refuses calls. For admins.",
    options: { reason: reasonOption },
    run: changing("suspended"),
  },
  {
    name: "users activate",
    words: ["<id>"],
    text: "Reactivates a suspended user. For admins.",
    options: { reason: reasonOption },
    run: changing("active"),
  },
];
