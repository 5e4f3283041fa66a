import type { ownAccessListOutput } from "@sluice/contracts/own-payloads";
import { createQuery } from "@tanstack/solid-query";
import { type JSX, Match, Switch } from "solid-js";
import { apiGet } from "../../../api/client.ts";
import { Card } from "../../../kit/card.tsx";
import { EmptyState, ErrorState, LoadingPart } from "../../../kit/states.tsx";
import { listMoment } from "../../columns/list-moment.tsx";
import { UserLink } from "../../columns/user-link.tsx";
import { PageLink } from "../../parts/page-link.tsx";
import { IfReads } from "../../parts/rights.tsx";
import { SimpleTable } from "../../parts/simple-table.tsx";
import { dash } from "../../shown.ts";
import { t } from "../../translate.ts";

const path = "/backend/admin/trace/own-access/list/";
const shownMax = 25;

/** Which users have read the payloads of their own calls, of all calls or of one, for admins who may know. */
export function OwnAccesses(props: { readonly requestId?: string }): JSX.Element {
  return (
    <IfReads path={path}>
      <AccessCard requestId={props.requestId} />
    </IfReads>
  );
}

function AccessCard(props: { readonly requestId: string | undefined }): JSX.Element {
  const list = createQuery(() => ({
    queryKey: [path, props.requestId],
    queryFn: ({ signal }: { signal: AbortSignal }) =>
      apiGet<typeof ownAccessListOutput>(path, { query: { request_id: props.requestId, limit: shownMax }, signal }),
  }));
  return (
    <Card title={t("Users who have read their own payloads")}>
      <Switch fallback={<LoadingPart />}>
        <Match when={list.isError && list.data === undefined}>
          <ErrorState error={list.error} onRetry={() => void list.refetch()} />
        </Match>
        <Match when={list.data?.accesses.length === 0}>
          <EmptyState title={t("No user has read one")}>
            {t("Users can, if the settings allow it and their account has switched it on.")}
          </EmptyState>
        </Match>
        <Match when={list.data?.accesses}>
          {(accesses) => (
            <SimpleTable
              label={t("The last {max} times that users read payloads", { max: shownMax })}
              rows={accesses()}
              columns={[
                { label: t("At"), cell: (row) => listMoment(row.at) },
                { label: t("User"), cell: (row) => <UserLink userId={row.user_id} email={row.email} /> },
                {
                  label: t("Request"),
                  cell: (row) => (
                    <PageLink href={`/admin/trace/${row.request_id}/?day=${row.day}`}>
                      <code>{row.request_id.slice(0, 13)}…</code>
                    </PageLink>
                  ),
                },
                { label: t("Access token"), cell: (row) => row.token_name ?? dash },
                { label: t("From"), cell: (row) => row.ip },
              ]}
            />
          )}
        </Match>
      </Switch>
    </Card>
  );
}
