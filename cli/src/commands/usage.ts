import type { usageList } from "@sluice/contracts/admin-lists/gateway";
import type { RowOf } from "@sluice/contracts/lists";
import type { usageReport } from "@sluice/contracts/reports";
import type { usageListResponse, usageSummaryResponse } from "@sluice/contracts/usage";
import type { ZodType } from "zod";
import type { Api } from "../api.ts";
import type { Call, Command, Option, Output } from "../command.ts";
import { type Page, pageOptions, printPages } from "../read-pages.ts";
import { type Column, tableOf } from "../show.ts";
import { toUsd } from "./to-usd.ts";

type AdminCall = RowOf<typeof usageList>;
type Sums = { readonly calls: number | string; readonly settled_quota: number | string };

/** The options of every command about a span of days. */
export const dayOptions = {
  from: { type: "string", text: "The first day, such as 2026-11-01." },
  to: { type: "string", text: "The last day." },
} as const satisfies Readonly<Record<string, Option>>;

export const daysOf = ({ options }: Pick<Call, "options">) => ({ from_day: options["from"], to_day: options["to"] });

const sums: readonly Column<Sums>[] = [
  ["CALLS", (row) => row.calls],
  ["USD", (row) => toUsd(row.settled_quota)],
];

const textOf = (total: Sums): string => `${total.calls} calls, ${toUsd(total.settled_quota)} USD`;

async function summary(call: Call): Promise<Output> {
  const api = await call.connect();
  const days = daysOf(call);
  if ((await api.owner()).kind === "user") {
    const own = await api.get<typeof usageSummaryResponse>("/backend/usage/summary/", days);
    const table = tableOf(own.by_model, [["MODEL", (row) => row.model], ...sums]);
    return { json: own, text: `${table}\n\n${textOf(own.total)}` };
  }
  const report = await api.get<typeof usageReport>("/backend/admin/report/usage/", { ...days, by: "model" });
  const table = tableOf(report.rows, [["MODEL", (row) => row.name ?? row.key], ...sums]);
  return { json: report, text: `${table}\n\n${textOf(report.total)}` };
}

type ShownCall = Pick<
  AdminCall,
  "started_at" | "model" | "key_id" | "outcome" | "http_status" | "settled_quota" | "request_id"
>;

const columns: readonly Column<ShownCall>[] = [
  ["STARTED", (row) => row.started_at],
  ["MODEL", (row) => row.model],
  ["KEY", (row) => row.key_id],
  ["OUTCOME", (row) => row.outcome],
  ["STATUS", (row) => row.http_status],
  ["USD", (row) => toUsd(row.settled_quota)],
  ["REQUEST", (row) => row.request_id],
];

async function calls(call: Call): Promise<Output> {
  const api = await call.connect();
  const { key, model, user } = call.options;
  const filters = { ...daysOf(call), key_id: key, model };
  return (await api.owner()).kind === "user"
    ? await printPages(call, (query) => readOwn(api, { ...query, ...filters }), columns)
    : await printPages(call, (query) => readAsAdmin(api, { ...query, ...filters, user_id: user }), [
        ...columns,
        ["USER", (row) => row.user_id],
        ["CHANNEL", (row) => row.channel_name],
      ]);
}

const readOwn = (api: Api, query: object) => api.get<typeof usageListResponse>("/backend/usage/list/", { ...query });

const readAsAdmin = (api: Api, query: object): Promise<Page<AdminCall>> =>
  api.get<ZodType<Page<AdminCall>>>("/backend/admin/usage/list/", { ...query });

export const usageCommands: readonly Command[] = [
  {
    name: "usage",
    text: "Sums your calls by model; for admins those of all users.",
    options: dayOptions,
    run: summary,
  },
  {
    name: "usage calls",
    text: "Lists calls, newest first: your own, or for admins those of all users.",
    options: {
      ...dayOptions,
      key: { type: "string", text: "The ID of an API key." },
      model: { type: "string", text: "The name of a model." },
      user: { type: "string", text: "For admins: the ID of a user." },
      ...pageOptions,
    },
    run: calls,
  },
];
