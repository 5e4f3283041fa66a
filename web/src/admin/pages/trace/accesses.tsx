import type { accessCheckOutput, accessListOutput } from "@sluice/contracts/traces";
import type { ResponseOf } from "@sluice/contracts/wire";
import { createQuery } from "@tanstack/solid-query";
import { type JSX, Match, Show, Switch } from "solid-js";
import { apiGet } from "../../../api/client.ts";
import { Card } from "../../../kit/card.tsx";
import { EmptyState, ErrorState, LoadingPart, Notice } from "../../../kit/states.tsx";
import { listMoment } from "../../columns/list-moment.tsx";
import { PageLink } from "../../parts/page-link.tsx";
import { SimpleTable } from "../../parts/simple-table.tsx";
import { rich, t } from "../../translate.ts";

const listPath = "/backend/admin/trace/access/list/";
const checkPath = "/backend/admin/trace/access/check/";
const shownMax = 25;

/** Who has read payloads and why, and whether that record is intact. */
export function Accesses(): JSX.Element {
  const list = createQuery(() => ({
    queryKey: [listPath],
    queryFn: ({ signal }: { signal: AbortSignal }) =>
      apiGet<typeof accessListOutput>(listPath, { query: { limit: shownMax }, signal }),
  }));
  return (
    <Card title={t("Who has read payloads")}>
      <ChainCheck />
      <Switch fallback={<LoadingPart />}>
        <Match when={list.isError && list.data === undefined}>
          <ErrorState error={list.error} onRetry={() => void list.refetch()} />
        </Match>
        <Match when={list.data?.accesses.length === 0}>
          <EmptyState title={t("Nobody has read a payload")}>
            {t("Every access is recorded here with its reason and can't be removed.")}
          </EmptyState>
        </Match>
        <Match when={list.data?.accesses}>
          {(accesses) => (
            <SimpleTable
              label={t("The last {max} accesses", { max: shownMax })}
              rows={accesses()}
              columns={[
                { label: t("At"), cell: (row) => listMoment(row.at) },
                { label: t("Admin"), cell: (row) => row.admin_name },
                {
                  label: t("Request"),
                  cell: (row) => (
                    <PageLink href={`/admin/trace/${row.request_id}/?day=${row.day}`}>
                      <code>{row.request_id.slice(0, 13)}…</code>
                    </PageLink>
                  ),
                },
                { label: t("Reason"), cell: (row) => row.reason },
                { label: t("From"), cell: (row) => row.ip },
              ]}
            />
          )}
        </Match>
      </Switch>
    </Card>
  );
}

function ChainCheck(): JSX.Element {
  const check = createQuery(() => ({
    queryKey: [checkPath],
    queryFn: ({ signal }: { signal: AbortSignal }) => apiGet<typeof accessCheckOutput>(checkPath, { signal }),
  }));
  return (
    <Switch fallback={<LoadingPart size="line" />}>
      <Match when={check.isError && check.data === undefined}>
        <ErrorState
          title={t("The record could not be checked")}
          error={check.error}
          onRetry={() => void check.refetch()}
        />
      </Match>
      <Match when={check.data}>{(answer) => <Checked answer={answer()} />}</Match>
    </Switch>
  );
}

function Checked(props: { readonly answer: ResponseOf<typeof accessCheckOutput> }): JSX.Element {
  return (
    <Notice tone={props.answer.holds ? "ok" : "bad"}>
      <Show
        when={!props.answer.holds}
        fallback={<span>{t("The record is intact: each entry matches the one before it.")}</span>}
      >
        <span>
          {rich("The record was altered: {findings}", {
            findings: props.answer.findings.map(({ finding }) => finding).join("; "),
          })}
        </span>
      </Show>
    </Notice>
  );
}
