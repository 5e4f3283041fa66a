import type { modelPerformanceResponse, Performance } from "@sluice/contracts/model-performance";
import { type PerformanceSpan, performanceSpans } from "@sluice/contracts/performance-spans";
import type { ResponseOf } from "@sluice/contracts/wire";
import { useSearchParams } from "@solidjs/router";
import { createQuery, keepPreviousData } from "@tanstack/solid-query";
import { type JSX, Match, Show, Switch } from "solid-js";
import { apiGet } from "../../../api/client.ts";
import { TimeChart } from "../../../charts/time-chart.tsx";
import { Card } from "../../../kit/card.tsx";
import { EmptyState, ErrorState, LoadingPart } from "../../../kit/states.tsx";
import { PageHead } from "../../../shell/shell.tsx";
import { useAdminTitle } from "../../admin-title.ts";
import { formats } from "../../formats.ts";
import { ChoiceField } from "../../parts/choice-field.tsx";
import { FieldRow } from "../../parts/form-parts.tsx";
import { HowCounted } from "../../parts/how-counted.tsx";
import { PageLink } from "../../parts/page-link.tsx";
import { SimpleTable } from "../../parts/simple-table.tsx";
import { dash, shownMs } from "../../shown.ts";
import { t } from "../../translate.ts";

type Answer = ResponseOf<typeof modelPerformanceResponse>;
type Model = Answer["models"][number];
type Channel = Model["channels"][number];

const path = "/backend/admin/model/performance/";
const spanTexts: Readonly<Record<PerformanceSpan, string>> = {
  "24h": t("Last 24 hours"),
  "7d": t("Last 7 days (UTC)"),
  "30d": t("Last 30 days (UTC)"),
  "90d": t("Last 90 days (UTC)"),
};
const isSpan = (text: unknown): text is PerformanceSpan => performanceSpans.some((span) => span === text);

/** To a tenth of a percent, and never rounded up to a whole. */
const shownShare = (share: number | null): string =>
  share === null ? dash : `${formats.number(Math.floor(share * 1_000) / 10)} %`;
const shownSpeed = ({ tokens_per_second: speed }: Performance): string =>
  speed === null ? dash : formats.number(speed);

/** The change against the span before, such as "+12 %"; nothing where one of the two is unknown. */
function changeOf(now: number | null, before: number | null | undefined): string {
  if (now === null || before === null || before === undefined || before === 0) {
    return "";
  }
  const percent = Math.round((now / before - 1) * 100);
  return `${percent > 0 ? "+" : ""}${formats.number(percent)} %`;
}

/** How soon and how well each model answers, and each of its channels. */
export function Page(): JSX.Element {
  useAdminTitle(() => t("Performance"));
  const [params, setParams] = useSearchParams();
  const span = (): PerformanceSpan => (isSpan(params["span"]) ? params["span"] : "7d");
  const model = (): string => (typeof params["model"] === "string" ? params["model"] : "");
  const query = createQuery(() => ({
    queryKey: [path, span(), model()],
    queryFn: ({ signal }: { signal: AbortSignal }) =>
      apiGet<typeof modelPerformanceResponse>(
        `${path}?span=${span()}${model() === "" ? "" : `&model=${encodeURIComponent(model())}`}`,
        { signal },
      ),
    placeholderData: keepPreviousData,
  }));
  return (
    <>
      <PageHead
        title={t("Performance")}
        text={t(
          "Of calls that a provider answered: how soon and how fast, and how many failed. Percentiles are estimated from sums, and accurate to about 10%.",
        )}
      />
      <HowCounted />
      <FieldRow>
        <ChoiceField
          label={t("Period")}
          name="span"
          value={span()}
          options={performanceSpans.map((value) => ({ value, label: spanTexts[value] }))}
          onInput={({ currentTarget: { value } }) => setParams({ span: value }, { scroll: false })}
        />
        <ChoiceField
          label={t("Model")}
          name="model"
          value={model()}
          options={[
            { value: "", label: t("All models") },
            ...[...new Set([model(), ...(query.data?.models.map((each) => each.model) ?? [])])]
              .filter((value) => value !== "")
              .map((value) => ({ value, label: value })),
          ]}
          onInput={({ currentTarget: { value } }) => setParams({ model: value || null }, { scroll: false })}
        />
      </FieldRow>
      <Switch fallback={<LoadingPart size="page" />}>
        <Match when={query.isError && query.data === undefined}>
          <ErrorState error={query.error} onRetry={() => void query.refetch()} />
        </Match>
        <Match when={query.data?.models.length === 0}>
          <EmptyState title={t("No calls yet")}>
            {t("Calls appear here a minute or two after they have ended.")}
          </EmptyState>
        </Match>
        <Match when={query.data}>
          {(data) => (
            <Show when={model() !== ""} fallback={<AllModels answer={data()} />}>
              <OneModel answer={data()} name={model()} />
            </Show>
          )}
        </Match>
      </Switch>
    </>
  );
}

const figures = <Row extends { readonly now: Performance }>() => [
  { label: t("Calls"), cell: (row: Row) => formats.number(row.now.calls), align: "end" as const },
  { label: t("Availability"), cell: (row: Row) => shownShare(row.now.success_rate), align: "end" as const },
  { label: t("First byte, p50"), cell: (row: Row) => shownMs(row.now.first_byte_ms.p50), align: "end" as const },
  { label: "p95", cell: (row: Row) => shownMs(row.now.first_byte_ms.p95), align: "end" as const },
  { label: "p99", cell: (row: Row) => shownMs(row.now.first_byte_ms.p99), align: "end" as const },
  { label: t("Total, p50"), cell: (row: Row) => shownMs(row.now.total_ms.p50), align: "end" as const },
  { label: "p95 ", cell: (row: Row) => shownMs(row.now.total_ms.p95), align: "end" as const },
  { label: "p99 ", cell: (row: Row) => shownMs(row.now.total_ms.p99), align: "end" as const },
  { label: t("Tokens/s"), cell: (row: Row) => shownSpeed(row.now), align: "end" as const },
];

const modelColumns = [
  {
    label: t("Model"),
    cell: (row: Model) => (
      <PageLink href={`/admin/performance/?model=${encodeURIComponent(row.model)}`}>{row.model}</PageLink>
    ),
  },
  ...figures<Model>(),
  {
    label: t("First byte, change"),
    cell: (row: Model) => changeOf(row.now.first_byte_ms.p95, row.before?.first_byte_ms.p95),
    align: "end" as const,
  },
  {
    label: t("Speed, change"),
    cell: (row: Model) => changeOf(row.now.tokens_per_second, row.before?.tokens_per_second),
    align: "end" as const,
  },
];

const channelColumns = [
  { label: t("Channel"), cell: (row: Channel) => <bdi>{row.channel_name ?? t("none was reached")}</bdi> },
  ...figures<Channel>(),
];

function AllModels(props: { readonly answer: Answer }): JSX.Element {
  return (
    <Card title={t("Models")}>
      <SimpleTable label={t("Models")} columns={modelColumns} rows={props.answer.models} />
    </Card>
  );
}

const secondMs = 1_000;

function OneModel(props: { readonly answer: Answer; readonly name: string }): JSX.Element {
  const found = (): Model | undefined => props.answer.models.find(({ model }) => model === props.name);
  const times = (): number[] => props.answer.course.map(({ starts_at }) => Date.parse(starts_at) / secondMs);
  const timeText = (seconds: number): string => `${formats.dateTime(new Date(seconds * secondMs))}`;
  return (
    <Show
      when={found()}
      fallback={<EmptyState title={t("No calls in this period")}>{t("Choose a longer one.")}</EmptyState>}
    >
      {(model) => (
        <>
          <Card title={t("Latency")}>
            <TimeChart
              label={t("Latency")}
              kind="lines"
              chart={{
                times: times(),
                series: [
                  {
                    name: t("First byte, p50"),
                    values: props.answer.course.map((step) => step.first_byte_ms_p50 ?? 0),
                  },
                  {
                    name: t("First byte, p95"),
                    values: props.answer.course.map((step) => step.first_byte_ms_p95 ?? 0),
                  },
                  { name: t("Total, p95"), values: props.answer.course.map((step) => step.total_ms_p95 ?? 0) },
                ],
              }}
              format={(value) => shownMs(Math.round(value))}
              timeText={timeText}
              timeZone="UTC"
              zone="UTC"
            />
          </Card>
          <Card title={t("Channels")}>
            <SimpleTable label={t("Channels")} columns={channelColumns} rows={model().channels} />
          </Card>
          <Card title={t("Compared with the previous period")}>
            <SimpleTable
              label={t("Both periods")}
              columns={[{ label: t("Period"), cell: (row: { readonly name: string }) => row.name }, ...figures()]}
              rows={[
                { name: t("This period"), now: model().now },
                ...(model().before === null
                  ? []
                  : [{ name: t("Previous period"), now: model().before as Performance }]),
              ]}
            />
          </Card>
        </>
      )}
    </Show>
  );
}
