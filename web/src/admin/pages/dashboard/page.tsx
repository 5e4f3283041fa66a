import { callFigures, figureKinds } from "@sluice/contracts/figure-kinds";
import type { Overview, overviewResponse } from "@sluice/contracts/overview";
import type { ResponseOf } from "@sluice/contracts/wire";
import { createQuery, keepPreviousData } from "@tanstack/solid-query";
import { type JSX, Match, Show, Switch } from "solid-js";
import { apiGet } from "../../../api/client.ts";
import { BarList } from "../../../charts/bar-list.tsx";
import { Card, Facts } from "../../../kit/card.tsx";
import { DrawnLater } from "../../../kit/drawn-later.tsx";
import { EmptyState, ErrorState, LoadingPart } from "../../../kit/states.tsx";
import { PageHead } from "../../../shell/shell.tsx";
import { useAdminTitle } from "../../admin-title.ts";
import { gatewayName } from "../../columns/billing-columns.tsx";
import { listMoment } from "../../columns/list-moment.tsx";
import { formats } from "../../formats.ts";
import { ErrorCode } from "../../parts/error-code.tsx";
import { HowCounted } from "../../parts/how-counted.tsx";
import { PageLink } from "../../parts/page-link.tsx";
import { createRangeState, RangeBar, type RangeState } from "../../parts/range-bar.tsx";
import { createMe, IfReads } from "../../parts/rights.tsx";
import { SimpleTable } from "../../parts/simple-table.tsx";
import { dash, shownCount, shownText, shownWord } from "../../shown.ts";
import { known, t } from "../../translate.ts";
import { FigureRow, LoadingFigures } from "./figure-row.tsx";
import { NodeCard } from "./node-card.tsx";
import { PayloadCard } from "./payload-card.tsx";
import { createSetup, SetupCard } from "./setup-card.tsx";
import { Trends } from "./trends.tsx";

type Answer = ResponseOf<typeof overviewResponse>;

const path = "/backend/admin/overview/";
const refreshMs = 60_000;

type Row = { readonly label: string; readonly keys: readonly string[] };

/** How it goes, and what waits for someone; the other figures are below the course of the days. */
const headRows: readonly Row[] = [
  {
    label: t("Key figures"),
    keys: ["net_revenue_usd", "payments", "requests", "success_rate", "quota", "active_users"],
  },
  { label: t("Needs attention"), keys: ["pending_orders", "orders_in_review", "pending_leads", "mail_failures"] },
];

const moreRows: readonly Row[] = [
  { label: t("Money"), keys: ["revenue_usd", "refunds_usd", "mock_usd"] },
  {
    label: t("Users and tokens"),
    keys: ["new_users", "repeat_users", "tokens", "input_tokens", "output_tokens"],
  },
];

/** The service at a glance: money, traffic, people, nodes, and what needs attention. */
export function Page(): JSX.Element {
  useAdminTitle(() => t("Dashboard"));
  const setup = createSetup(createMe());
  const range = createRangeState();
  const query = createQuery(() => ({
    queryKey: [path, range.query()],
    queryFn: ({ signal }: { signal: AbortSignal }) =>
      apiGet<typeof overviewResponse>(path, { query: range.query(), signal }),
    placeholderData: keepPreviousData,
    refetchInterval: refreshMs,
  }));
  return (
    <>
      <PageHead title={t("Dashboard")} />
      <Show when={setup.isSettled()} fallback={<LoadingPart size="page" />}>
        <SetupCard setup={setup} />
        <RangeBar state={range} />
        <Switch fallback={<LoadingFigures rows={headRows} />}>
          <Match when={query.isError && query.data === undefined}>
            <ErrorState error={query.error} onRetry={() => void query.refetch()} />
          </Match>
          <Match when={query.data}>{(answer) => <Overviews answer={answer()} range={range} />}</Match>
        </Switch>
        <Show when={!query.isPending}>
          <DrawnLater>
            <div class="card-grid">
              <IfReads path="/backend/admin/exit-node/list/">
                <NodeCard />
              </IfReads>
              <IfReads path="/backend/admin/trace/payload/count/">
                <PayloadCard />
              </IfReads>
            </div>
          </DrawnLater>
        </Show>
        <Show when={query.data}>
          {(answer) => (
            <DrawnLater>
              <Lists answer={answer()} />
            </DrawnLater>
          )}
        </Show>
      </Show>
    </>
  );
}

/** Which days and calls the figures cover. */
function coverText({ range, usage_as_of, read_at }: Answer): string {
  const calls =
    usage_as_of === null
      ? t("No calls counted yet")
      : t("Calls up to {usage_as_of}", { usage_as_of: formats.dateTime(usage_as_of) });
  return t("{from_day} to {to_day}, days in {zone}. {calls}; everything else as of {read_at}.", {
    from_day: range.from_day,
    to_day: range.to_day,
    zone: range.zone,
    calls,
    read_at: formats.dateTime(read_at),
  });
}

function Overviews(props: { readonly answer: Answer; readonly range: RangeState }): JSX.Element {
  return (
    <>
      {headRows.map((row) => (
        <FigureRow {...row} figures={props.answer.figures} />
      ))}
      <p class="muted">{coverText(props.answer)}</p>
      <DrawnLater fallback={<LoadingPart size="chart" />}>
        <Trends trends={props.answer.trends} range={props.range} zone={props.answer.range.zone} />
      </DrawnLater>
      <DrawnLater>
        <div class="card-grid" data-columns="three">
          <PartCard title={t("By model")} parts={props.answer.by_model} />
          <PartCard title={t("By channel")} parts={props.answer.by_provider} success={callFigures.attempts[0]} />
          <PartCard title={t("By exit node")} parts={props.answer.by_node} otherwise={t("no exit node")} />
        </div>
      </DrawnLater>
      <DrawnLater>
        {moreRows.map((row) => (
          <FigureRow {...row} figures={props.answer.figures} />
        ))}
        <HowCounted />
      </DrawnLater>
    </>
  );
}

function PartCard(props: {
  readonly title: string;
  readonly parts: Answer["by_model"];
  readonly otherwise?: string;
  /** What the share of the parts is, if not the success rate. */
  readonly success?: string;
}): JSX.Element {
  const success = (): string => known(props.success ?? figureKinds.success_rate[0]).toLowerCase();
  const bars = () =>
    props.parts
      .filter(({ calls }) => BigInt(calls) > 0n)
      .sort((one, other) => Number(BigInt(other.calls) - BigInt(one.calls)))
      .slice(0, 8)
      .map((part) => ({
        name: part.name ?? part.key ?? props.otherwise ?? t("none"),
        value: Number(part.calls),
        text: t("{calls} calls, {settled_quota}{rate}", {
          calls: shownCount(part.calls),
          settled_quota: formats.quotaRounded(part.settled_quota),
          rate:
            part.success_rate === null
              ? ""
              : t(", {success} {rate}", { success: success(), rate: formats.percent(Number(part.success_rate)) }),
        }),
      }));
  return (
    <Card title={props.title}>
      <Show when={bars().length > 0} fallback={<p class="muted">{t("No calls in this range.")}</p>}>
        <BarList label={props.title} bars={bars()} />
      </Show>
    </Card>
  );
}

function Lists(props: { readonly answer: Answer }): JSX.Element {
  return (
    <>
      <Card
        title={t("Recent payments")}
        actions={
          <PageLink otherwise="nothing" href="/admin/payments/">
            {t("All payments")}
          </PageLink>
        }
      >
        <Show when={props.answer.recent_payments.length > 0} fallback={<NoPayments />}>
          <SimpleTable label={t("Recent payments")} rows={props.answer.recent_payments} columns={paymentColumns} />
        </Show>
      </Card>
      <Card
        title={t("Errors by cause")}
        actions={
          <PageLink otherwise="nothing" href="/admin/trace/?status=failed">
            {t("Failed calls")}
          </PageLink>
        }
      >
        <Show
          when={props.answer.errors.length > 0}
          fallback={<EmptyState title={t("No failed calls in this range")} />}
        >
          <SimpleTable label={t("Errors by cause")} rows={props.answer.errors} columns={errorColumns} />
        </Show>
      </Card>
      <div class="card-grid">
        <CountCard title={t("Channels")} counts={props.answer.channels} href="/admin/upstreams/" />
        <CountCard title={t("API keys")} counts={props.answer.keys} href="/admin/users/" />
      </div>
    </>
  );
}

function NoPayments(): JSX.Element {
  return <EmptyState title={t("No payments yet")}>{t("They appear here once an order is settled.")}</EmptyState>;
}

function CountCard(props: {
  readonly title: string;
  readonly counts: Overview["channels"];
  readonly href: string;
}): JSX.Element {
  const facts = () =>
    Object.entries(props.counts).map(([name, count]) => ({ name: shownWord(name), value: shownCount(count) }));
  return (
    <Card
      title={props.title}
      actions={
        <PageLink otherwise="nothing" href={props.href}>
          {t("Open")}
        </PageLink>
      }
    >
      <Show when={facts().length > 0} fallback={<p class="muted">{t("None yet.")}</p>}>
        <Facts facts={facts()} />
      </Show>
    </Card>
  );
}

type Payment = Answer["recent_payments"][number];
const paymentColumns = [
  {
    label: t("Order"),
    cell: (row: Payment) => (
      <PageLink href={`/admin/orders/?order_no=${row.order_no}&open=${row.order_no}`}>{row.order_no}</PageLink>
    ),
  },
  { label: t("Plan"), cell: (row: Payment) => row.plan_name },
  { label: t("Payer"), cell: (row: Payment) => shownText(row.email) },
  { label: t("Gateway"), cell: (row: Payment) => gatewayName(row.gateway) },
  { label: t("Amount, USD"), cell: (row: Payment) => formats.usd(row.amount_usd), align: "end" as const },
  { label: t("At"), cell: (row: Payment) => listMoment(row.at) },
];

type Cause = Answer["errors"][number];
function causeLink({ code }: Cause): JSX.Element {
  return (
    <ErrorCode code={code}>
      <PageLink href={`/admin/trace/?${new URLSearchParams({ error_code: code }).toString()}`}>
        <code>{code}</code>
      </PageLink>
    </ErrorCode>
  );
}

const errorColumns = [
  { label: t("Cause"), cell: causeLink },
  { label: t("Calls"), cell: (row: Cause) => shownCount(row.calls), align: "end" as const },
  { label: t("Main channel"), cell: (row: Cause) => row.provider ?? dash },
  { label: t("First"), cell: (row: Cause) => listMoment(row.first_at) },
  { label: t("Last"), cell: (row: Cause) => listMoment(row.last_at) },
];
