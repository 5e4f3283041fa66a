import type { groupOfUser } from "@sluice/contracts/groups";
import type { ResponseOf } from "@sluice/contracts/wire";
import { formats } from "../../formats.ts";
import { PageLink } from "../../parts/page-link.tsx";
import type { SimpleColumn } from "../../parts/simple-table.tsx";
import { shownMoment } from "../../shown.ts";

type Row = ResponseOf<typeof groupOfUser>;

const sourceNames: Readonly<Record<Row["source"], string>> = {
  account: "the account’s own",
  admin: "added by an admin",
  plan: "bought with a plan",
  public: "open to every user",
};

/** A group that an account may use, and where from. */
export const groupColumns: readonly SimpleColumn<Row>[] = [
  { label: "Group", cell: (row) => <PageLink href={`/admin/groups/${row.name}/`}>{row.name}</PageLink> },
  { label: "From", cell: (row) => sourceNames[row.source] },
  { label: "Multiplier", cell: (row) => `× ${formats.decimal(row.multiplier)}`, align: "end" },
  { label: "Rank", cell: (row) => formats.number(row.rank), align: "end" },
  { label: "Until", cell: (row) => shownMoment(row.ends_at, "no end") },
  { label: "Used by calls", cell: (row) => (row.is_chosen ? "yes" : "keys that name it") },
];
