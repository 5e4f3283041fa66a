import { type JSX, lazy, Match, Show, Suspense, Switch } from "solid-js";
import { apiUrl } from "../../../api/client.ts";
import { fill } from "../../../i18n/messages.ts";
import { successShare } from "../../../i18n/success-share.ts";
import { Card, Figure, Figures } from "../../../kit/card.tsx";
import { DrawnNear } from "../../../kit/drawn-near.tsx";
import { ErrorState, LoadingPart, ShownAfter, Skeleton } from "../../../kit/states.tsx";
import { createTableState } from "../../../table/table-state.ts";
import { ConsoleHead } from "../../console-head.tsx";
import { formats } from "../../formats.ts";
import { HowCounted } from "../../parts/how-counted.tsx";
import { createSummaryQuery, type Sums } from "../../parts/queries.ts";
import { DayChart } from "./day-chart.tsx";
import { createDivision } from "./divisions.ts";
import { EarlierUsage } from "./earlier-usage.tsx";
import { usageArea } from "./messages/messages.ts";
import { createRange } from "./range.ts";
import { RangeBar } from "./range-bar.tsx";

const Breakdown = lazy(async () => ({ default: (await import("./breakdown.tsx")).Breakdown }));
const SpeedCard = lazy(async () => ({ default: (await import("./speed-card.tsx")).SpeedCard }));
const CallLog = lazy(async () => ({ default: (await import("./call-log.tsx")).CallLog }));
const ReadingCard = lazy(async () => ({ default: (await import("./reading-card.tsx")).ReadingCard }));

/** What was called and what it cost. */
export function Page(): JSX.Element {
  const texts = usageArea.texts();
  const range = createRange();
  const state = createTableState({ filters: ["key_id", "model", "asked_model", "end_user", "tag", "outcome"] });
  const filter = (): Record<string, string> => ({
    ...range.query(),
    ...Object.fromEntries(state.activeFilters().map((id) => [id, state.filter(id)])),
  });
  const division = createDivision();
  const summary = createSummaryQuery(filter);
  return (
    <>
      <ConsoleHead
        texts={texts}
        actions={
          <a class="button" href={apiUrl("/backend/usage/export/", filter())} download="">
            {texts.exportCsv}
          </a>
        }
      />
      <RangeBar range={range} />
      <Switch>
        <Match when={summary.isError && summary.data === undefined}>
          <ErrorState error={summary.error} onRetry={() => void summary.refetch()} />
        </Match>
        <Match when={true}>
          <SumFigures sums={summary.data?.total ?? null} />
          <HowCounted />
          <Show when={summary.data} fallback={<LoadingCard title={texts.chart} size="chart" />}>
            {(data) => (
              <>
                <DrawnNear fallback={<LoadingCard title={texts.chart} size="chart" />}>
                  <DayChart division={division} filter={filter} range={range} />
                </DrawnNear>
                <Show when={data().by_model.length > 0}>
                  <DrawnNear fallback={<LoadingCard title={texts.breakdown} />}>
                    <Suspense fallback={<LoadingCard title={texts.breakdown} />}>
                      <Breakdown summary={data()} division={division} filter={filter} />
                    </Suspense>
                  </DrawnNear>
                  <DrawnNear fallback={<LoadingCard title={texts.speed} />}>
                    <Suspense fallback={<LoadingCard title={texts.speed} />}>
                      <SpeedCard summary={data()} filter={filter} />
                    </Suspense>
                  </DrawnNear>
                </Show>
              </>
            )}
          </Show>
        </Match>
      </Switch>
      <EarlierUsage />
      <ShownAfter isReady={!summary.isPending}>
        <DrawnNear fallback={<LoadingPart size="page" />} isWanted={state.openId() !== ""}>
          <Suspense fallback={<LoadingPart size="page" />}>
            <CallLog range={range} state={state} filter={filter} />
          </Suspense>
        </DrawnNear>
        <DrawnNear>
          <Suspense>
            <ReadingCard />
          </Suspense>
        </DrawnNear>
      </ShownAfter>
    </>
  );
}

/** The place of a part that is not drawn yet, under its heading. */
function LoadingCard(props: { readonly title: string; readonly size?: "card" | "chart" }): JSX.Element {
  return (
    <Card title={props.title}>
      <LoadingPart size={props.size ?? "card"} />
    </Card>
  );
}

function SumFigures(props: { readonly sums: Sums | null }): JSX.Element {
  const texts = usageArea.texts();
  const shown = (write: (sums: Sums) => string): JSX.Element =>
    props.sums === null ? <Skeleton width="5rem" /> : write(props.sums);
  const rate = (sums: Sums): string =>
    ((share) => (share === null ? "–" : formats.percent(share)))(successShare(sums.completed_calls, sums.failed_calls));
  return (
    <Figures label={texts.figures} isLoading={props.sums === null}>
      <Figure
        label={texts.cost}
        value={shown((sums) => formats.quotaRounded(sums.settled_quota))}
        exact={props.sums === null ? undefined : formats.quota(props.sums.settled_quota)}
      />
      <Figure label={texts.calls} value={shown((sums) => formats.number(Number(sums.calls)))} />
      <Figure
        label={texts.success}
        value={shown(rate)}
        note={shown((sums) =>
          fill(texts.successNote, {
            count: formats.number(Number(sums.completed_calls)),
            all: formats.number(Number(sums.completed_calls) + Number(sums.failed_calls)),
          }),
        )}
      />
      <Figure
        label={texts.input}
        value={shown((sums) => formats.compact(Number(sums.input_tokens)))}
        note={shown((sums) => fill(texts.cached, { count: formats.compact(Number(sums.cache_read_tokens)) }))}
      />
      <Figure
        label={texts.output}
        value={shown((sums) => formats.compact(Number(sums.output_tokens)))}
        note={shown((sums) => fill(texts.reasoning, { count: formats.compact(Number(sums.reasoning_tokens)) }))}
      />
    </Figures>
  );
}
