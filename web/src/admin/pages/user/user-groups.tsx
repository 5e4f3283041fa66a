import { createSignal, type JSX, Show } from "solid-js";
import { Button } from "../../../kit/button.tsx";
import { Card } from "../../../kit/card.tsx";
import { Dialog } from "../../../kit/dialog.tsx";
import { SimpleTable } from "../../parts/simple-table.tsx";
import { RemoveForm } from "../group/remove-form.tsx";
import { AssignForm } from "../groups/assign-form.tsx";
import type { UserDetail } from "./detail.ts";
import { groupColumns } from "./group-columns.tsx";

/** The groups that the user may use, and where from. */
export function UserGroups(props: { readonly detail: UserDetail }): JSX.Element {
  const [isAssigning, setIsAssigning] = createSignal(false);
  const [removed, setRemoved] = createSignal<string | null>(null);
  const userId = (): string => String(props.detail.user.user_id);
  return (
    <Card title="Groups">
      <SimpleTable
        label="Groups"
        rows={props.detail.groups}
        columns={[
          ...groupColumns,
          {
            label: "Change",
            cell: (row) => (
              <Show when={row.source === "admin"}>
                <Button onClick={() => setRemoved(row.name)}>Remove</Button>
              </Show>
            ),
          },
        ]}
      />
      <div class="button-row">
        <Button onClick={() => setIsAssigning(true)}>Add to a group</Button>
      </div>
      <Dialog isOpen={isAssigning()} onClose={() => setIsAssigning(false)} title="Put this user into a group">
        <AssignForm group={null} user={userId()} onDone={() => setIsAssigning(false)} />
      </Dialog>
      <Dialog isOpen={removed() !== null} onClose={() => setRemoved(null)} title="Take this user out of the group">
        <Show when={removed()} keyed>
          {(group) => <RemoveForm group={group} user={userId()} onDone={() => setRemoved(null)} />}
        </Show>
      </Dialog>
    </Card>
  );
}
