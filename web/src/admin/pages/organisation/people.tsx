import { type JSX, Show } from "solid-js";
import { Card } from "../../../kit/card.tsx";
import { EmptyState } from "../../../kit/states.tsx";
import { listMoment } from "../../columns/list-moment.tsx";
import { UserLink } from "../../columns/user-link.tsx";
import { formats } from "../../formats.ts";
import { SimpleTable } from "../../parts/simple-table.tsx";
import { StateWord } from "../../parts/state-word.tsx";
import { shownCount } from "../../shown.ts";
import { known, t } from "../../translate.ts";
import type { OrganisationDetail } from "../organisations/organisation.ts";

type Budget = Pick<OrganisationDetail["projects"][number], "spend_per_month" | "spent_this_month">;

const budget = (row: Budget): string =>
  row.spend_per_month === null
    ? t("no limit")
    : t("{spent_this_month} of {spend_per_month}", {
        spent_this_month: formats.quota(row.spent_this_month ?? 0),
        spend_per_month: formats.quota(row.spend_per_month),
      });

/** Who belongs to the organisation, whom it has invited, and its projects. */
export function People(props: { readonly detail: OrganisationDetail }): JSX.Element {
  return (
    <div class="section-stack">
      <Card title={t("Members")}>
        <SimpleTable
          label={t("Members")}
          rows={props.detail.members}
          columns={[
            { label: t("Member"), cell: (row) => <UserLink userId={row.user_id} email={row.email} /> },
            { label: t("Role"), cell: (row) => known(row.role) },
            { label: t("Status"), cell: (row) => <StateWord state={row.status} /> },
            { label: t("Keys"), cell: (row) => shownCount(row.live_keys), align: "end" },
            { label: t("Budget this month, USD"), cell: budget, align: "end" },
            { label: t("Joined"), cell: (row) => listMoment(row.joined_at) },
          ]}
        />
      </Card>
      <Card title={t("Projects")}>
        <Show
          when={props.detail.projects.length > 0}
          fallback={
            <EmptyState title={t("No projects")}>{t("Its members can create some in the console.")}</EmptyState>
          }
        >
          <SimpleTable
            label={t("Projects")}
            rows={props.detail.projects}
            columns={[
              { label: t("Project"), cell: (row) => row.name },
              { label: t("Status"), cell: (row) => <StateWord state={row.status} /> },
              { label: t("Keys"), cell: (row) => shownCount(row.live_keys), align: "end" },
              { label: t("Budget this month, USD"), cell: budget, align: "end" },
              { label: t("Created"), cell: (row) => listMoment(row.created_at) },
            ]}
          />
        </Show>
      </Card>
      <Show when={props.detail.invitations.length > 0}>
        <Card title={t("Open invitations")}>
          <SimpleTable
            label={t("Open invitations")}
            rows={props.detail.invitations}
            columns={[
              { label: t("Address"), cell: (row) => row.email },
              { label: t("Role"), cell: (row) => known(row.role) },
              { label: t("Ends"), cell: (row) => listMoment(row.expires_at) },
            ]}
          />
        </Card>
      </Show>
    </div>
  );
}
