import type { groupOfUser } from "@sluice/contracts/groups";
import type { ResponseOf } from "@sluice/contracts/wire";
import { listMoment } from "../../columns/list-moment.tsx";
import { formats } from "../../formats.ts";
import { PageLink } from "../../parts/page-link.tsx";
import type { SimpleColumn } from "../../parts/simple-table.tsx";
import { t } from "../../translate.ts";

type Row = ResponseOf<typeof groupOfUser>;

const sourceNames: Readonly<Record<Row["source"], string>> = {
  account: t("the account’s own"),
  admin: t("added by an admin"),
  plan: t("bought with a plan"),
  public: t("open to every user"),
};

/** A group that an account may use, and where from. */
export const groupColumns: readonly SimpleColumn<Row>[] = [
  { label: t("Group"), cell: (row) => <PageLink href={`/admin/groups/${row.name}/`}>{row.name}</PageLink> },
  { label: t("From"), cell: (row) => sourceNames[row.source] },
  { label: t("Multiplier"), cell: (row) => `× ${formats.decimal(row.multiplier)}`, align: "end" },
  { label: t("Rank"), cell: (row) => formats.number(row.rank), align: "end" },
  { label: t("Until"), cell: (row) => listMoment(row.ends_at, t("no end")) },
  { label: t("Used by calls"), cell: (row) => (row.is_chosen ? t("yes") : t("keys that name it")) },
];
