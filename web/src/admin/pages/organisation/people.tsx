import { type JSX, Show } from "solid-js";
import { Card } from "../../../kit/card.tsx";
import { EmptyState } from "../../../kit/states.tsx";
import { UserLink } from "../../columns/user-link.tsx";
import { formats } from "../../formats.ts";
import { SimpleTable } from "../../parts/simple-table.tsx";
import { StateWord } from "../../parts/state-word.tsx";
import { shownCount, shownMoment } from "../../shown.ts";
import type { OrganisationDetail } from "../organisations/organisation.ts";

type Budget = Pick<OrganisationDetail["projects"][number], "spend_per_month" | "spent_this_month">;

const budget = (row: Budget): string =>
  row.spend_per_month === null
    ? "no limit"
    : `${formats.quota(row.spent_this_month ?? 0)} of ${formats.quota(row.spend_per_month)}`;

/** Who belongs to the organisation, whom it has invited, and its projects. */
export function People(props: { readonly detail: OrganisationDetail }): JSX.Element {
  return (
    <div class="section-stack">
      <Card title="Members">
        <SimpleTable
          label="Members"
          rows={props.detail.members}
          columns={[
            { label: "Member", cell: (row) => <UserLink userId={row.user_id} email={row.email} /> },
            { label: "Role", cell: (row) => row.role },
            { label: "Status", cell: (row) => <StateWord state={row.status} /> },
            { label: "Keys", cell: (row) => shownCount(row.live_keys), align: "end" },
            { label: "Budget this month, USD", cell: budget, align: "end" },
            { label: "Joined", cell: (row) => shownMoment(row.joined_at) },
          ]}
        />
      </Card>
      <Card title="Projects">
        <Show
          when={props.detail.projects.length > 0}
          fallback={<EmptyState title="No projects">Its members can create some in the console.</EmptyState>}
        >
          <SimpleTable
            label="Projects"
            rows={props.detail.projects}
            columns={[
              { label: "Project", cell: (row) => row.name },
              { label: "Status", cell: (row) => <StateWord state={row.status} /> },
              { label: "Keys", cell: (row) => shownCount(row.live_keys), align: "end" },
              { label: "Budget this month, USD", cell: budget, align: "end" },
              { label: "Created", cell: (row) => shownMoment(row.created_at) },
            ]}
          />
        </Show>
      </Card>
      <Show when={props.detail.invitations.length > 0}>
        <Card title="Open invitations">
          <SimpleTable
            label="Open invitations"
            rows={props.detail.invitations}
            columns={[
              { label: "Address", cell: (row) => row.email },
              { label: "Role", cell: (row) => row.role },
              { label: "Ends", cell: (row) => shownMoment(row.expires_at) },
            ]}
          />
        </Card>
      </Show>
    </div>
  );
}
