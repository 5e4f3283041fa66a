import type { exitNodeDetailResponse } from "@sluice/contracts/exit-nodes";
import type { ResponseOf } from "@sluice/contracts/wire";
import { useParams } from "@solidjs/router";
import { createQuery } from "@tanstack/solid-query";
import { type JSX, Match, Show, Switch } from "solid-js";
import { apiGet } from "../../../api/client.ts";
import { Card, Facts } from "../../../kit/card.tsx";
import { ErrorState, LoadingPart, Notice } from "../../../kit/states.tsx";
import { Status } from "../../../kit/status.tsx";
import { PageHead } from "../../../shell/shell.tsx";
import { useAdminTitle } from "../../admin-title.ts";
import { formats } from "../../formats.ts";
import { ArchiveButton, ArchivedNotice } from "../../parts/archive.tsx";
import { PageLink } from "../../parts/page-link.tsx";
import { IfAllowed } from "../../parts/rights.tsx";
import { SimpleTable } from "../../parts/simple-table.tsx";
import { StateWord } from "../../parts/state-word.tsx";
import { shownCount, shownMoment, shownMs, shownText, shownWord } from "../../shown.ts";
import { t } from "../../translate.ts";
import { AccountCard } from "./account-card.tsx";
import { CheckCard } from "./check-card.tsx";
import { NodeForm } from "./node-form.tsx";
import { RouteCard } from "./route-card.tsx";

type Detail = ResponseOf<typeof exitNodeDetailResponse>;
type Node = Detail["node"];
type Reported = NonNullable<Node["report"]>["accounts"][number];

const path = "/backend/admin/exit-node/detail/";

/** One exit node: its health, where its calls go, what it may use, and whose calls it serves. */
export function Page(): JSX.Element {
  const params = useParams<{ code: string }>();
  const query = createQuery(() => ({
    queryKey: [path, params.code],
    queryFn: ({ signal }: { signal: AbortSignal }) =>
      apiGet<typeof exitNodeDetailResponse>(path, { query: { node_code: params.code }, signal }),
    refetchInterval: 30_000,
  }));
  useAdminTitle(() => query.data?.node.name ?? params.code);
  return (
    <>
      <PageHead
        title={query.data?.node.name ?? params.code}
        text={t("Nodes are checked regularly, and whenever you ask.")}
        actions={<PageLink href="/admin/exit-nodes/">{t("All exit nodes")}</PageLink>}
      />
      <Switch fallback={<LoadingNode />}>
        <Match when={query.isError && query.data === undefined}>
          <ErrorState error={query.error} onRetry={() => void query.refetch()} />
        </Match>
        <Match when={query.data}>{(detail) => <NodeDetail detail={detail()} />}</Match>
      </Switch>
    </>
  );
}

function LoadingNode(): JSX.Element {
  return (
    <Card title={t("Exit node")}>
      <LoadingPart size="page" />
    </Card>
  );
}

function NodeDetail(props: { readonly detail: Detail }): JSX.Element {
  const node = (): Node => props.detail.node;
  return (
    <>
      <div class="card-grid">
        <StateCard node={node()} />
        <CheckCard node={node()} />
      </div>
      <ReportCard node={node()} />
      <Card title={t("Edit")}>
        <ArchivedNotice archivedAt={node().archived_at} />
        <IfAllowed operation="/backend/admin/archive/add/">
          <div class="button-row">
            <ArchiveButton
              kind="node"
              id={node().node_code}
              name={node().name}
              archivedAt={node().archived_at}
              paths={[path, "/backend/admin/exit-node/list/"]}
            />
          </div>
        </IfAllowed>
        {/* A new version starts a new form; earlier input was for another state. */}
        <Show when={node().archived_at === null ? `${node().node_code} ${node().version}` : null} keyed>
          <NodeForm node={node()} />
        </Show>
      </Card>
      <AccountCard nodeCode={node().node_code} accounts={props.detail.accounts} />
      <RouteCard nodeCode={node().node_code} routes={props.detail.routes} />
    </>
  );
}

function StateCard(props: { readonly node: Node }): JSX.Element {
  const node = (): Node => props.node;
  const traffic = (): Node["traffic"] => node().traffic;
  return (
    <Card title={t("State")}>
      <Facts
        facts={[
          { name: t("Status"), value: <StateWord state={node().status} /> },
          {
            name: t("Takes calls"),
            value: (
              <Status tone={node().is_serving ? "ok" : "neutral"}>
                {node().is_serving ? t("in the group node-test") : t("none")}
              </Status>
            ),
          },
          {
            name: t("Relay key"),
            value: node().is_proven
              ? t("proven by the node")
              : node().has_relay_key
                ? t("saved, not proven")
                : t("none saved"),
          },
          { name: t("Relay address"), value: <code>{shownText(node().relay_url)}</code> },
          { name: t("Host form"), value: node().is_host_form ? t("in use") : <code>{node().host_url}</code> },
          { name: t("Switched"), value: shownMoment(node().switched_at, t("not yet")) },
          { name: t("Calls"), value: shownCount(traffic().calls) },
          { name: t("Failed"), value: shownCount(traffic().failures) },
          {
            name: t("Circuit"),
            value: (
              <Status tone={traffic().circuit === "closed" ? "ok" : "bad"}>
                {traffic().circuit === "closed" ? t("closed, calls pass") : t("open, calls are held back")}
              </Status>
            ),
          },
          {
            name: t("Last failure"),
            value:
              traffic().last_failure === null
                ? t("none")
                : `${traffic().last_failure}, ${shownMoment(traffic().last_failure_at)}`,
          },
        ]}
      />
    </Card>
  );
}

const reportedColumns = [
  { label: t("Account"), cell: (row: Reported) => <code>{row.account}</code> },
  { label: t("Provider"), cell: (row: Reported) => row.provider },
  { label: t("Login method"), cell: (row: Reported) => shownWord(row.auth_type) },
  { label: t("Status"), cell: (row: Reported) => <StateWord state={row.status} /> },
];

function ReportCard(props: { readonly node: Node }): JSX.Element {
  return (
    <Card title={t("Reported by the node")}>
      <Show
        when={props.node.report}
        fallback={<Notice tone="info">{t("Nothing yet: reported with a successful health check.")}</Notice>}
      >
        {(report) => (
          <>
            <Facts
              facts={[
                { name: t("Version"), value: report().version },
                { name: t("Uptime"), value: `${formats.number(Math.round(report().uptime_seconds))} s` },
                { name: t("Running calls"), value: formats.number(report().in_flight) },
                { name: t("Clock offset"), value: shownMs(report().clock_offset_ms) },
                { name: t("Exit address"), value: <code>{shownText(report().egress_address)}</code> },
              ]}
            />
            <Show when={report().accounts.length > 0} fallback={<p class="muted">{t("It has no accounts.")}</p>}>
              <SimpleTable label={t("Accounts on the node")} rows={report().accounts} columns={reportedColumns} />
            </Show>
          </>
        )}
      </Show>
    </Card>
  );
}
