import type { ListResponse } from "@sluice/contracts/lists";
import { createQuery } from "@tanstack/solid-query";
import { type JSX, Show } from "solid-js";
import { apiGet } from "../../../api/client.ts";
import { Card } from "../../../kit/card.tsx";
import { ErrorState } from "../../../kit/states.tsx";
import { PageLink } from "../../parts/page-link.tsx";
import { SimpleTable } from "../../parts/simple-table.tsx";
import { StateWord } from "../../parts/state-word.tsx";
import { shownCount } from "../../shown.ts";
import { t } from "../../translate.ts";
import { type Organisation, organisationsPath } from "../organisations/organisation.ts";

/** The organisations that a user is a member of; nothing without one. */
export function UserOrganisations(props: { readonly userId: string }): JSX.Element {
  const query = createQuery(() => ({
    queryKey: [organisationsPath, "of", props.userId],
    queryFn: ({ signal }: { signal: AbortSignal }) =>
      // The row type is that of the list at this path.
      apiGet(`${organisationsPath}list/`, { query: { user_id: props.userId }, signal }) as Promise<
        ListResponse<Organisation>
      >,
  }));
  const rows = (): readonly Organisation[] => query.data?.rows ?? [];
  return (
    <Show when={rows().length > 0 || query.isError}>
      <Card title={t("Organisations")}>
        <Show when={query.isError && query.data === undefined}>
          <ErrorState error={query.error} onRetry={() => void query.refetch()} />
        </Show>
        <Show when={rows().length > 0}>
          <SimpleTable
            label={t("Organisations")}
            rows={rows()}
            columns={[
              {
                label: t("Organisation"),
                cell: (row) => <PageLink href={`/admin/organisations/${row.organisation_id}/`}>{row.name}</PageLink>,
              },
              { label: t("Status"), cell: (row) => <StateWord state={row.status} /> },
              { label: t("Owners"), cell: (row) => row.owners.join(", ") },
              { label: t("Members"), cell: (row) => shownCount(row.members), align: "end" },
            ]}
          />
        </Show>
      </Card>
    </Show>
  );
}
