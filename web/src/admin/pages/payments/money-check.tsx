import type { moneyCheckResponse } from "@sluice/contracts/billing";
import { createQuery } from "@tanstack/solid-query";
import { type JSX, Match, Show, Switch } from "solid-js";
import { apiGet } from "../../../api/client.ts";
import { Button } from "../../../kit/button.tsx";
import { Card } from "../../../kit/card.tsx";
import { ErrorState, LoadingPart, Notice } from "../../../kit/states.tsx";
import { SimpleTable } from "../../parts/simple-table.tsx";

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
      title="Money check"
      actions={
        <Button isBusy={query.isFetching} onClick={() => void query.refetch()}>
          Check again
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
              fallback={<Notice tone="ok">Orders, payments, refunds, budgets and the ledger agree.</Notice>}
            >
              <Notice tone="bad">{check().count} mismatches. Follow the runbook before anything else.</Notice>
              <SimpleTable
                label="Mismatches"
                rows={check().violations}
                columns={[
                  { label: "Invariant", cell: (row) => row.invariant },
                  { label: "About", cell: (row) => <code>{row.subject}</code> },
                  { label: "Detail", cell: (row) => row.detail },
                ]}
              />
            </Show>
          )}
        </Match>
      </Switch>
    </Card>
  );
}
