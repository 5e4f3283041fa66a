import type { exitNodesResponse } from "@sluice/contracts/exit-nodes";
import { createQuery } from "@tanstack/solid-query";
import { type JSX, Match, Switch } from "solid-js";
import { apiGet } from "../../../api/client.ts";
import { Card } from "../../../kit/card.tsx";
import { EmptyState, ErrorState, LoadingPart } from "../../../kit/states.tsx";
import { listMoment } from "../../columns/list-moment.tsx";
import { PageLink } from "../../parts/page-link.tsx";
import { SimpleTable } from "../../parts/simple-table.tsx";
import { StateWord } from "../../parts/state-word.tsx";
import { shownMs } from "../../shown.ts";
import { t } from "../../translate.ts";
import { healthWord } from "../exit-node/check-words.tsx";

const path = "/backend/admin/exit-node/list/";
const refreshMs = 30_000;

/** Each exit node: its state, its last response, and whether calls go there. Fails by itself. */
export function NodeCard(): JSX.Element {
  const query = createQuery(() => ({
    queryKey: [path],
    queryFn: ({ signal }: { signal: AbortSignal }) => apiGet<typeof exitNodesResponse>(path, { signal }),
    refetchInterval: refreshMs,
  }));
  return (
    <Card
      title={t("Node health")}
      actions={
        <PageLink otherwise="nothing" href="/admin/exit-nodes/">
          {t("Exit nodes")}
        </PageLink>
      }
    >
      <Switch fallback={<LoadingPart />}>
        <Match when={query.isError && query.data === undefined}>
          <ErrorState error={query.error} onRetry={() => void query.refetch()} />
        </Match>
        <Match when={query.data?.nodes.length === 0}>
          <EmptyState title={t("No exit nodes yet")}>{t("Without one, calls leave from this machine.")}</EmptyState>
        </Match>
        <Match when={query.data?.nodes}>
          {(nodes) => (
            <SimpleTable
              label={t("Node health")}
              rows={nodes()}
              columns={[
                {
                  label: t("Node"),
                  cell: (node) => <PageLink href={`/admin/exit-nodes/${node.node_code}/`}>{node.name}</PageLink>,
                },
                { label: t("State"), cell: (node) => <StateWord state={node.status} /> },
                {
                  label: t("Health"),
                  cell: (node) => healthWord(node.health),
                },
                { label: t("Latency"), cell: (node) => shownMs(node.health?.latency_ms ?? null), align: "end" },
                { label: t("Last check"), cell: (node) => listMoment(node.health?.checked_at ?? null) },
              ]}
            />
          )}
        </Match>
      </Switch>
    </Card>
  );
}
