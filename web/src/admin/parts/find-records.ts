import type { ListResponse } from "@sluice/contracts/lists";
import { ApiError, apiGet } from "../../api/client.ts";
import { findDocs } from "../../shell/find-docs.ts";
import type { PaletteEntry } from "../../shell/palette-entries.ts";
import { t } from "../translate.ts";

type Row = Readonly<Record<string, unknown>>;

type Source = {
  /** The kind of its records, as the palette shows it. */
  readonly kind: string;
  /** The path of its list. */
  readonly path: string;
  /** The filter of the list that finds the words, or null if they can't be of this kind. */
  readonly filterOf: (words: string) => Readonly<Record<string, string>> | null;
  readonly labelOf: (row: Row) => string;
  readonly hrefOf: (row: Row) => string;
};

const shownOfKind = 5;
/** The smallest page of a list. */
const pageSize = 25;
const wordsMin = 2;
const orderNo = /^[A-Za-z0-9_-]{8,64}$/;
const requestId = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

const startsWith = (q: string): Readonly<Record<string, string>> => ({ q });
const text = (row: Row, name: string): string => String(row[name] ?? "");
const address = (path: string, query: Readonly<Record<string, string>>): string =>
  `${path}?${new URLSearchParams(query).toString()}`;

const sources: readonly Source[] = [
  {
    kind: t("User"),
    path: "/backend/admin/user/list/",
    filterOf: startsWith,
    labelOf: (row) => text(row, "email"),
    hrefOf: (row) => `/admin/users/${text(row, "user_id")}/`,
  },
  {
    kind: t("Organisation"),
    path: "/backend/admin/organisation/list/",
    filterOf: startsWith,
    labelOf: (row) => text(row, "name"),
    hrefOf: (row) => `/admin/organisations/${text(row, "organisation_id")}/`,
  },
  {
    kind: t("Order"),
    path: "/backend/admin/order/list/",
    filterOf: (words) => (words.includes("@") ? { email: words } : orderNo.test(words) ? { order_no: words } : null),
    labelOf: (row) => text(row, "order_no"),
    hrefOf: (row) => address("/admin/orders/", { order_no: text(row, "order_no"), open: text(row, "order_no") }),
  },
  {
    kind: t("Model"),
    path: "/backend/admin/model/list/",
    filterOf: startsWith,
    labelOf: (row) => text(row, "name"),
    hrefOf: (row) => address("/admin/models/", { q: text(row, "name"), open: text(row, "name") }),
  },
  {
    kind: t("Channel"),
    path: "/backend/admin/channel/list/",
    filterOf: startsWith,
    labelOf: (row) => text(row, "name"),
    hrefOf: (row) => address("/admin/upstreams/", { q: text(row, "name"), open: text(row, "channel_id") }),
  },
  {
    kind: t("Group"),
    path: "/backend/admin/group/list/",
    filterOf: startsWith,
    labelOf: (row) => text(row, "name"),
    hrefOf: (row) => `/admin/groups/${encodeURIComponent(text(row, "name"))}/`,
  },
];

/**
 * The records whose name starts with the words, a few of each kind: users (also by API key or id), organisations, orders,
 * models, channels and groups; the trace of a request id; sections of the docs. Lists that the role of the admin may not read are left out.
 * @throws ApiError
 */
export async function findRecords(
  words: string,
  open: (path: string) => void,
  signal: AbortSignal,
): Promise<readonly PaletteEntry[]> {
  if (requestId.test(words)) {
    return [{ label: words, kind: t("Call"), onSelect: () => open(`/admin/trace/${words.toLowerCase()}/`) }];
  }
  if (words.length < wordsMin) {
    return [];
  }
  const [docs, ...found] = await Promise.all([
    findDocs(words, { locale: "en", kind: "Docs", open, signal }),
    ...sources.map((source) => findIn(source, words, open, signal)),
  ]);
  return [...found.flat(), ...docs];
}

async function findIn(
  source: Source,
  words: string,
  open: (path: string) => void,
  signal: AbortSignal,
): Promise<readonly PaletteEntry[]> {
  const filter = source.filterOf(words);
  if (filter === null) {
    return [];
  }
  try {
    const query = { ...filter, limit: pageSize };
    const { rows } = (await apiGet(source.path, { query, signal })) as ListResponse<Row>;
    return rows.slice(0, shownOfKind).map((row) => ({
      label: source.labelOf(row),
      kind: source.kind,
      onSelect: () => open(source.hrefOf(row)),
    }));
  } catch (error) {
    if (error instanceof ApiError && error.status === 403) {
      return [];
    }
    throw error;
  }
}
