import { createSignal, type JSX, Show } from "solid-js";
import { Button } from "../../../kit/button.tsx";
import { Card } from "../../../kit/card.tsx";
import { Dialog } from "../../../kit/dialog.tsx";
import { formats } from "../../formats.ts";
import { SimpleTable } from "../../parts/simple-table.tsx";
import { shownMoment } from "../../shown.ts";
import { RemoveForm } from "../group/remove-form.tsx";
import { AssignForm } from "../groups/assign-form.tsx";
import type { UserDetail } from "./detail.ts";

type Row = UserDetail["groups"][number];

const sourceNames: Readonly<Record<Row["source"], string>> = {
  account: "the account’s own",
  admin: "added by an admin",
  plan: "bought with a plan",
  public: "open to every user",
};

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
          { label: "Group", cell: (row) => <a href={`/admin/groups/${row.name}/`}>{row.name}</a> },
          { label: "From", cell: (row) => sourceNames[row.source] },
          { label: "Multiplier", cell: (row) => `× ${formats.decimal(row.multiplier)}`, align: "end" },
          { label: "Rank", cell: (row) => formats.number(row.rank), align: "end" },
          { label: "Until", cell: (row) => shownMoment(row.ends_at, "no end") },
          { label: "Used by calls", cell: (row) => (row.is_chosen ? "yes" : "keys that name it") },
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
