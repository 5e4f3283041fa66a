import type { groupOfUser } from "@sluice/contracts/groups";
import type { ResponseOf } from "@sluice/contracts/wire";
import { createSignal, type JSX, Show } from "solid-js";
import { Button } from "../../../kit/button.tsx";
import { Card } from "../../../kit/card.tsx";
import { Dialog } from "../../../kit/dialog.tsx";
import { latePart } from "../../../shell/loaded-page.tsx";
import { IfAllowed } from "../../parts/rights.tsx";
import { SimpleTable } from "../../parts/simple-table.tsx";
import { known, t } from "../../translate.ts";
import type { GroupMember } from "../groups/group.ts";
import { groupColumns } from "./group-columns.tsx";

const RemoveForm = latePart(async () => (await import("../group/remove-form.tsx")).RemoveForm);
const AssignForm = latePart(async () => (await import("../groups/assign-form.tsx")).AssignForm);

/** The groups that an account may use, where from, and ways to change them. */
export function AccountGroups(props: {
  readonly groups: ResponseOf<typeof groupOfUser>[];
  readonly member: GroupMember;
}): JSX.Element {
  const [isAssigning, setIsAssigning] = createSignal(false);
  const [removed, setRemoved] = createSignal<string | null>(null);
  return (
    <Card title={t("Groups")}>
      <SimpleTable
        label={t("Groups")}
        rows={props.groups}
        columns={[
          ...groupColumns,
          {
            label: t("Actions"),
            cell: (row) => (
              <Show when={row.source === "admin"}>
                <IfAllowed operation="/backend/admin/group/remove/">
                  <Button onClick={() => setRemoved(row.name)}>{t("Remove")}</Button>
                </IfAllowed>
              </Show>
            ),
          },
        ]}
      />
      <IfAllowed operation="/backend/admin/group/assign/">
        <div class="button-row">
          <Button onClick={() => setIsAssigning(true)}>{t("Add to a group")}</Button>
        </div>
      </IfAllowed>
      <Dialog
        isOpen={isAssigning()}
        onClose={() => setIsAssigning(false)}
        title={t("Add this {kind} to a group", { kind: known(props.member.kind) })}
      >
        <AssignForm group={null} member={props.member} onDone={() => setIsAssigning(false)} />
      </Dialog>
      <Dialog
        isOpen={removed() !== null}
        onClose={() => setRemoved(null)}
        title={t("Remove this {kind} from the group", { kind: known(props.member.kind) })}
      >
        <Show when={removed()} keyed>
          {(group) => <RemoveForm group={group} member={props.member} onDone={() => setRemoved(null)} />}
        </Show>
      </Dialog>
    </Card>
  );
}
