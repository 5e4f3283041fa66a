import type { exitNodeEntry, exitNodesResponse } from "@sluice/contracts/exit-nodes";
import type { ResponseOf } from "@sluice/contracts/wire";
import { useNavigate } from "@solidjs/router";
import { createQuery, keepPreviousData } from "@tanstack/solid-query";
import { createSignal, type JSX } from "solid-js";
import { apiGet } from "../../../api/client.ts";
import { Button } from "../../../kit/button.tsx";
import { Dialog } from "../../../kit/dialog.tsx";
import { Status } from "../../../kit/status.tsx";
import { PageHead } from "../../../shell/shell.tsx";
import { DataTable } from "../../../table/data-table.tsx";
import { exportsOf } from "../../../table/list-query.ts";
import type { Column } from "../../../table/model.ts";
import { createTableState } from "../../../table/table-state.ts";
import { useAdminTitle } from "../../admin-title.ts";
import { listMoment } from "../../columns/list-moment.tsx";
import { formats } from "../../formats.ts";
import { ActButton } from "../../parts/act-button.tsx";
import { archivedFilter } from "../../parts/archive.tsx";
import { selectionOf } from "../../parts/bulk-actions.tsx";
import { PageLink } from "../../parts/page-link.tsx";
import { IfAllowed } from "../../parts/rights.tsx";
import { createRowActions } from "../../parts/row-actions.tsx";
import { StateWord } from "../../parts/state-word.tsx";
import { shownCount, shownMs, shownText } from "../../shown.ts";
import { t } from "../../translate.ts";
import { dnsWord, healthWord } from "../exit-node/check-words.tsx";
import { NodeForm } from "../exit-node/node-form.tsx";

type Node = ResponseOf<typeof exitNodeEntry>;

const base = "/backend/admin/exit-node/";
const path = `${base}list/`;

const columns: readonly Column<Node>[] = [
  {
    id: "name",
    label: t("Node"),
    cell: (node) => <PageLink href={`/admin/exit-nodes/${node.node_code}/`}>{node.name}</PageLink>,
    card: "title",
    isSortable: true,
  },
  { id: "node_code", label: t("Code"), cell: (node) => <code>{node.node_code}</code>, isSortable: true },
  {
    id: "status",
    label: t("Status"),
    cell: (node) => <StateWord state={node.status} />,
    card: "badge",
    isSortable: true,
  },
  { id: "is_serving", label: t("Takes calls"), cell: (node) => <ServingWord node={node} /> },
  { id: "health", label: t("Health"), cell: (node) => healthWord(node.health) },
  {
    id: "latency",
    label: t("Latency"),
    cell: (node) => shownMs(node.health?.latency_ms ?? null),
    align: "end",
  },
  { id: "dns", label: t("DNS"), cell: (node) => dnsWord(node.dns) },
  { id: "ip", label: t("Address"), cell: (node) => <code>{node.ip}</code> },
  { id: "region", label: t("Region"), cell: (node) => shownText(node.region) },
  { id: "weight", label: t("Weight"), cell: (node) => formats.number(node.weight), align: "end" },
  { id: "calls", label: t("Calls"), cell: (node) => shownCount(node.traffic.calls), align: "end" },
  { id: "failures", label: t("Failed"), cell: (node) => shownCount(node.traffic.failures), align: "end" },
  {
    id: "checked_at",
    label: t("Checked"),
    cell: (node) => listMoment(node.health?.checked_at ?? null, t("never")),
    isHiddenAtFirst: true,
  },
  {
    id: "created_at",
    label: t("Added"),
    cell: (node) => listMoment(node.created_at),
    isSortable: true,
    isHiddenAtFirst: true,
  },
];

const selection = selectionOf("exit-nodes", base);

/** All exit nodes, with the last observations of checks and calls. */
export function Page(): JSX.Element {
  useAdminTitle(() => t("Exit nodes"));
  const navigate = useNavigate();
  const [isAdding, setIsAdding] = createSignal(false);
  const state = createTableState({ filters: ["is_archived"] });
  const query = createQuery(() => ({
    queryKey: [path, state.query()["sort"], state.filter("is_archived")],
    queryFn: ({ signal }: { signal: AbortSignal }) => {
      const { sort } = state.query();
      const isArchived = state.filter("is_archived");
      const asked = {
        ...(sort === undefined ? {} : { sort }),
        ...(isArchived === "" ? {} : { is_archived: isArchived }),
      };
      return apiGet<typeof exitNodesResponse>(path, { query: asked, signal });
    },
    placeholderData: keepPreviousData,
    refetchInterval: 30_000,
  }));
  const ofRow = createRowActions<Node>({
    path: base,
    id: (node) => node.node_code,
    name: (node) => node.name,
    action: ({ status }) => (status === "disabled" ? "exit-nodes.enable" : "exit-nodes.disable"),
  });
  return (
    <>
      <PageHead
        title={t("Exit nodes")}
        text={t(
          "Agents on other hosts that send calls of the group node-test from their own addresses. Calls of the default group never go there.",
        )}
      />
      <DataTable
        name="admin-exit-nodes"
        label={t("Exit nodes")}
        columns={columns}
        state={state}
        rows={query.data?.nodes}
        rowId={(node) => node.node_code}
        selection={selection}
        rowActions={ofRow.actions}
        isLoading={query.isPending}
        error={query.error}
        onRetry={() => void query.refetch()}
        exports={exportsOf(base, state)}
        filters={[archivedFilter]}
        empty={{
          title: t("No exit nodes yet"),
          text: t("Install the agent on a host, then add the host here with the agent's relay key."),
          actions: (
            <ActButton operation="/backend/admin/exit-node/save/" onClick={() => setIsAdding(true)}>
              {t("Add the first node")}
            </ActButton>
          ),
        }}
        actions={
          <IfAllowed operation="/backend/admin/exit-node/save/">
            <Button variant="primary" onClick={() => setIsAdding(true)}>
              {t("Add node")}
            </Button>
          </IfAllowed>
        }
      />
      {ofRow.dialog()}
      <Dialog isOpen={isAdding()} onClose={() => setIsAdding(false)} title={t("Add an exit node")} size="wide">
        <NodeForm
          node={null}
          onCancel={() => setIsAdding(false)}
          onSaved={(node) => {
            setIsAdding(false);
            navigate(`/exit-nodes/${node.node_code}/`);
          }}
        />
      </Dialog>
    </>
  );
}

function ServingWord(props: { readonly node: Node }): JSX.Element {
  return <Status tone={props.node.is_serving ? "ok" : "neutral"}>{props.node.is_serving ? t("yes") : t("no")}</Status>;
}
