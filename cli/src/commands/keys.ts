import type { keyList } from "@sluice/contracts/admin-lists/accounts";
import type { adminKeyDetail } from "@sluice/contracts/key-admin";
import type { keyListResponse, keyResponse, madeKeyResponse } from "@sluice/contracts/keys";
import type { RowOf } from "@sluice/contracts/lists";
import type { ZodType } from "zod";
import type { Api } from "../api.ts";
import type { Call, Command, Option, Output } from "../command.ts";
import { Failure } from "../failure.ts";
import { listOf, numberOf } from "../parse-command.ts";
import { type Page, pageOptions, printPages, readAll } from "../read-pages.ts";
import type { Column } from "../show.ts";
import { reasonOf, reasonOption } from "./reason.ts";

type AdminKey = RowOf<typeof keyList>;
type Key = {
  readonly key_id: string | number;
  readonly name: string;
  readonly key_last_four: string;
  readonly status: string;
  readonly updated_at: string;
  readonly last_used_at: string | null;
};

const limits = {
  "quota-limit": { type: "string", text: "The most quota that it may use; 500000 are worth 1 USD." },
  rpm: { type: "string", text: "Requests per minute." },
  models: { type: "string", text: "The models that it may use, separated by commas." },
  expires: { type: "string", text: "When it ends, such as 2027-01-31T00:00:00Z." },
} as const satisfies Readonly<Record<string, Option>>;

function fieldsOf(options: Call["options"]): object {
  const fields = {
    quota_limit: numberOf(options, "quota-limit"),
    requests_per_minute: numberOf(options, "rpm"),
    allowed_models: listOf(options["models"]),
    expires_at: options["expires"],
    name: options["name"],
  };
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined));
}

const columns: readonly Column<Key>[] = [
  ["ID", (row) => row.key_id],
  ["NAME", (row) => row.name],
  ["ENDS IN", (row) => row.key_last_four],
  ["STATUS", (row) => row.status],
  ["LAST USED", (row) => row.last_used_at],
];

const readOwn =
  (api: Api) =>
  async (query: {
    readonly limit: number;
    readonly cursor: string | number | null | undefined | boolean;
  }): Promise<Page<Key>> => {
    const { keys, next_cursor } = await api.get<typeof keyListResponse>("/backend/keys/list/", query);
    return { rows: keys, next_cursor };
  };

async function list(call: Call): Promise<Output> {
  const api = await call.connect();
  if ((await api.owner()).kind === "user") {
    return await printPages(call, readOwn(api), columns);
  }
  const { user } = call.options;
  const readPage = (query: object): Promise<Page<AdminKey>> =>
    api.get<ZodType<Page<AdminKey>>>("/backend/admin/key/list/", { ...query, user_id: user });
  return await printPages(call, readPage, [
    ...columns,
    ["USER", (row) => row.user_id],
    ["GROUP", (row) => row.group_name],
  ]);
}

async function create({ connect, options }: Call): Promise<Output> {
  const api = await connect();
  if ((await api.owner()).kind === "admin") {
    throw new Failure("refused", "Keys belong to users: log in with a user's token.");
  }
  const made = await api.post<typeof madeKeyResponse>("/backend/keys/create/", fieldsOf(options));
  return {
    json: made,
    // Null only for a repetition, and every key that is made here is another one.
    text: made.secret ?? "",
    note: `This is key ${made.key.key_id}. It is shown only once.`,
  };
}

async function edit({ connect, options, words: [id = ""] }: Call): Promise<Output> {
  const api = await connect();
  const isAdmin = (await api.owner()).kind === "admin";
  const fields = { ...fieldsOf(options), ...(isAdmin ? { reason: reasonOf(options) } : {}) };
  const { updated_at } = isAdmin ? await findAsAdmin(api, id) : await findOwn(api, id);
  const change = { key_id: id, updated_at, ...fields };
  const { key } = isAdmin
    ? await api.post<typeof adminKeyDetail>("/backend/admin/key/save/", change)
    : await api.post<typeof keyResponse>("/backend/keys/save/", change);
  return { json: key, text: `Key ${id} was changed.` };
}

const findAsAdmin = async (api: Api, id: string): Promise<Key> =>
  (await api.get<typeof adminKeyDetail>("/backend/admin/key/detail/", { key_id: id })).key;

/** The key as it is now, whose version a change names. @throws Failure */
async function findOwn(api: Api, id: string): Promise<Key> {
  const found = (await readAll(readOwn(api))).find(({ key_id }) => String(key_id) === id);
  if (found === undefined) {
    throw new Failure("refused", "This API key does not exist.");
  }
  return found;
}

async function revoke({ connect, options, words: [id = ""] }: Call): Promise<Output> {
  const api = await connect();
  const isAdmin = (await api.owner()).kind === "admin";
  const { key } = isAdmin
    ? await api.post<typeof adminKeyDetail>("/backend/admin/key/revoke/", { key_id: id, reason: reasonOf(options) })
    : await api.post<typeof keyResponse>("/backend/keys/revoke/", { key_id: id });
  return { json: key, text: `Key ${id} was revoked.` };
}

const switching =
  (action: "lock" | "unlock") =>
  async ({ connect, options, words: [id = ""] }: Call): Promise<Output> => {
    const input = { key_id: id, reason: reasonOf(options) };
    const api = await connect();
    const { key } =
      action === "lock"
        ? await api.post<typeof adminKeyDetail>("/backend/admin/key/lock/", input)
        : await api.post<typeof adminKeyDetail>("/backend/admin/key/unlock/", input);
    return { json: key, text: `Key ${id} was ${action}ed.` };
  };

export const keyCommands: readonly Command[] = [
  {
    name: "keys list",
    text: "Lists API keys, newest first: your own, or for admins those of all users.",
    options: { user: { type: "string", text: "For admins: the ID of a user." }, ...pageOptions },
    run: list,
  },
  {
    name: "keys create",
    text: "Creates an API key and prints it once.",
    options: { name: { type: "string", text: "Its name.", isRequired: true }, ...limits },
    run: create,
  },
  {
    name: "keys edit",
    words: ["<id>"],
    text: "Changes an API key. Settings that you do not name stay the same.",
    options: { name: { type: "string", text: "Its name." }, ...limits, reason: reasonOption },
    run: edit,
  },
  {
    name: "keys revoke",
    words: ["<id>"],
    text: "Revokes an API key permanently.",
    options: { reason: reasonOption },
    run: revoke,
  },
  {
    name: "keys lock",
    words: ["<id>"],
    text: "Locks an API key until it is unlocked; its user sees the reason. For admins.",
    options: { reason: reasonOption },
    run: switching("lock"),
  },
  {
    name: "keys unlock",
    words: ["<id>"],
    text: "Unlocks a locked API key. For admins.",
    options: { reason: reasonOption },
    run: switching("unlock"),
  },
];
