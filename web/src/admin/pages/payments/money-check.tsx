import type { moneyCheckResponse } from "@sluice/contracts/billing";
import { createQuery } from "@tanstack/solid-query";
import { type JSX, Match, Show, Switch } from "solid-js";
import { apiGet } from "../../../api/client.ts";
import { Button } from "../../../kit/button.tsx";
import { Card } from "../../../kit/card.tsx";
import { ErrorState, LoadingPart, Notice } from "../../../kit/states.tsx";
import { SimpleTable } from "../../parts/simple-table.tsx";
import { rich, t } from "../../translate.ts";

const path = "/backend/admin/money-check/";

/** Whether all invariants of the money hold now. */
export function MoneyCheck(): JSX.Element {
  const query = createQuery(() => ({
    queryKey: [path],
    queryFn: ({ signal }: { signal: AbortSignal }) => apiGet<typeof moneyCheckResponse>(path, { signal }),
    staleTime: 0,
  }));
  return (
    <Card
      title={t("Money check")}
      actions={
        <Button isBusy={query.isFetching} onClick={() => void query.refetch()}>
          {t("Check again")}
        </Button>
      }
    >
      <Switch fallback={<LoadingPart />}>
        <Match when={query.isError && query.data === undefined}>
          <ErrorState error={query.error} onRetry={() => void query.refetch()} />
        </Match>
        <Match when={query.data}>
          {(check) => (
            <Show
              when={!check().holds}
              fallback={<Notice tone="ok">{t("Orders, payments, refunds, budgets and the ledger agree.")}</Notice>}
            >
              <Notice tone="bad">
                {rich("{count} mismatches. Follow the runbook before anything else.", { count: check().count })}
              </Notice>
              <SimpleTable
                label={t("Mismatches")}
                rows={check().violations}
                columns={[
                  { label: t("Invariant"), cell: (row) => row.invariant },
                  { label: t("About"), cell: (row) => <code>{row.subject}</code> },
                  { label: t("Detail"), cell: (row) => row.detail },
                ]}
              />
            </Show>
          )}
        </Match>
      </Switch>
    </Card>
  );
}
