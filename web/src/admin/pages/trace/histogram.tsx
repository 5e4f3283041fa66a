import type { callHistogram } from "@sluice/contracts/call-histogram";
import type { ResponseOf } from "@sluice/contracts/wire";
import { createQuery, keepPreviousData } from "@tanstack/solid-query";
import { type JSX, Match, Show, Switch } from "solid-js";
import { apiGet } from "../../../api/client.ts";
import { TimeChart } from "../../../charts/time-chart.tsx";
import { Button } from "../../../kit/button.tsx";
import { Card } from "../../../kit/card.tsx";
import { ErrorState, LoadingPart } from "../../../kit/states.tsx";
import type { TableState } from "../../../table/table-state.ts";
import { formats } from "../../formats.ts";
import { shownMoment } from "../../shown.ts";
import { t } from "../../translate.ts";

type Answer = ResponseOf<typeof callHistogram>;
type Bar = Answer["bars"][number];

const path = "/backend/admin/trace/histogram/";
const secondMs = 1_000;
/** What the sums can know of a filter of the list. */
const names = ["gateway_user_id", "email", "model", "channel_id", "error_code"] as const;

/** Calls over time by outcome; a bar or a range of bars becomes the time of the list. */
export function Histogram(props: { readonly state: TableState; readonly refreshMs: () => number }): JSX.Element {
  const asked = (): Record<string, string> =>
    Object.fromEntries(
      [...names, "from", "to"].flatMap((name) => {
        const value = props.state.filter(name);
        return value === "" ? [] : [[name, value]];
      }),
    );
  const query = createQuery(() => ({
    queryKey: [path, asked()],
    queryFn: ({ signal }: { signal: AbortSignal }) => apiGet<typeof callHistogram>(path, { query: asked(), signal }),
    placeholderData: keepPreviousData,
    refetchInterval: props.refreshMs(),
  }));
  const select = (from: number, to: number): void =>
    props.state.setFilters({
      from: new Date(from * secondMs).toISOString(),
      to: new Date(to * secondMs + (query.data?.bar_ms ?? 0)).toISOString(),
    });
  const reset = (): void => props.state.setFilters({ from: "", to: "" });
  const isNarrowed = (): boolean => props.state.filter("from") !== "" || props.state.filter("to") !== "";
  /** Filters of the list that the bars don't have. */
  const uncounted = (): boolean =>
    props.state.activeFilters().some((name) => name !== "from" && name !== "to" && !query.data?.filters.includes(name));
  return (
    <Card
      title={t("Calls over time")}
      actions={
        <Show when={isNarrowed()}>
          <Button onClick={reset}>{t("Last 24 hours")}</Button>
        </Show>
      }
    >
      <Switch fallback={<LoadingPart size="chart" />}>
        <Match when={query.isError && query.data === undefined}>
          <ErrorState error={query.error} onRetry={() => void query.refetch()} />
        </Match>
        <Match when={query.data}>
          {(answer) => (
            <>
              <TimeChart
                label={t("Calls over time")}
                kind="bars"
                chart={{
                  times: answer().bars.map(({ starts_at: at }) => Date.parse(at) / secondMs),
                  series: seriesOf(answer().bars),
                }}
                format={formats.compact}
                timeText={(seconds) => formats.dateTime(new Date(seconds * secondMs))}
                timeZone={zone}
                zone={t("{zone}. Click a bar or drag over several to see their calls below.", { zone })}
                isSelectedByClick
                onRange={select}
                onReset={reset}
              />
              <p class="muted">
                {answer().as_of === null
                  ? t("No calls counted yet.")
                  : t("Includes calls up to {as_of}, with a valid key.", { as_of: shownMoment(answer().as_of) })}
                {uncounted() ? t(" The bars do not have all filters of the list.") : ""}
              </p>
            </>
          )}
        </Match>
      </Switch>
    </Card>
  );
}

const zone = new Intl.DateTimeFormat().resolvedOptions().timeZone || "UTC";

function seriesOf(bars: readonly Bar[]) {
  return [
    { name: t("Completed"), tone: "ok", values: bars.map((bar) => Number(bar.completed)) },
    { name: t("Aborted"), isOther: true, values: bars.map((bar) => Number(bar.aborted)) },
    { name: t("Failed"), tone: "bad", values: bars.map((bar) => Number(bar.failed)) },
    { name: t("Refused"), tone: "warn", values: bars.map((bar) => Number(bar.refused)) },
  ] as const;
}
