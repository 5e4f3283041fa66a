import { createSignal, type JSX } from "solid-js";
import { Button } from "../../../kit/button.tsx";
import { Dialog } from "../../../kit/dialog.tsx";
import { Icon } from "../../../kit/icon.tsx";
import { latePart } from "../../../shell/loaded-page.tsx";
import { onAskedToCreate } from "../../../shell/on-asked-to-create.ts";
import { PageHead } from "../../../shell/shell.tsx";
import { DataTable } from "../../../table/data-table.tsx";
import { createListQuery } from "../../../table/list-query.ts";
import type { Column } from "../../../table/model.ts";
import { createTableState } from "../../../table/table-state.ts";
import { useAdminTitle } from "../../admin-title.ts";
import { listMoment } from "../../columns/list-moment.tsx";
import { formats } from "../../formats.ts";
import { archivedFilter } from "../../parts/archive.tsx";
import { selectionOf } from "../../parts/bulk-actions.tsx";
import { optionsOf } from "../../parts/choice-field.tsx";
import { PageLink } from "../../parts/page-link.tsx";
import { IfAllowed } from "../../parts/rights.tsx";
import { shownCount, shownText } from "../../shown.ts";
import { t } from "../../translate.ts";
import { groupVisibilities } from "../../values.ts";
import { type Group, groupsPath, visibilityNames } from "./group.ts";

const GroupForm = latePart(async () => (await import("./group-form.tsx")).GroupForm);

const columns: readonly Column<Group>[] = [
  {
    id: "name",
    label: t("Group"),
    cell: (group) => <PageLink href={`/admin/groups/${group.name}/`}>{group.name}</PageLink>,
    card: "title",
    isSortable: true,
  },
  { id: "description", label: t("Description"), cell: (group) => shownText(group.description) },
  { id: "multiplier", label: t("Multiplier"), cell: (group) => `× ${formats.decimal(group.multiplier)}`, align: "end" },
  { id: "visibility", label: t("Who may use it"), cell: (group) => visibilityNames[group.visibility] },
  { id: "rank", label: t("Rank"), cell: (group) => formats.number(group.rank), align: "end", isSortable: true },
  {
    id: "is_start",
    label: t("New accounts"),
    cell: (group) => (group.is_start ? t("all others") : group.email_domains.join(", ") || t("none")),
  },
  { id: "accounts", label: t("Accounts"), cell: (group) => shownCount(group.accounts), align: "end" },
  { id: "members", label: t("Added users"), cell: (group) => shownCount(group.members), align: "end" },
  { id: "keys", label: t("Keys"), cell: (group) => shownCount(group.keys), align: "end" },
  { id: "models", label: t("Models"), cell: (group) => shownCount(group.models), align: "end" },
  { id: "updated_at", label: t("Updated"), cell: (group) => listMoment(group.updated_at), isHiddenAtFirst: true },
];

const selection = selectionOf("groups", groupsPath);

/** All groups; each has a page of its own. */
export function Page(): JSX.Element {
  useAdminTitle(() => t("Groups"));
  const state = createTableState({ filters: ["q", "visibility", "is_archived"] });
  const list = createListQuery<Group>({ path: groupsPath, state });
  const [isCreating, setIsCreating] = createSignal(false);
  onAskedToCreate(() => setIsCreating(true));
  const close = (): void => {
    setIsCreating(false);
  };
  return (
    <>
      <PageHead
        title={t("Groups")}
        text={t("A group decides which channels serve its users, and what they pay: each price times its multiplier.")}
      />
      <DataTable
        {...list}
        name="admin-groups"
        label={t("Groups")}
        columns={columns}
        state={state}
        rowId={(group) => group.name}
        selection={selection}
        filters={[
          { id: "q", label: t("Name starts with"), isSearch: true },
          { id: "visibility", label: t("Who may use it"), options: optionsOf(groupVisibilities) },
          archivedFilter,
        ]}
        actions={
          <IfAllowed operation="/backend/admin/group/save/">
            <Button variant="primary" onClick={() => setIsCreating(true)}>
              <Icon name="plus" />
              {t("New group")}
            </Button>
          </IfAllowed>
        }
        empty={{ title: t("No groups yet") }}
      />
      <Dialog isOpen={isCreating()} onClose={close} title={t("New group")} size="wide">
        <GroupForm group={null} onDone={close} />
      </Dialog>
    </>
  );
}
