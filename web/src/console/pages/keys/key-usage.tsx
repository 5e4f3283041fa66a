import { type JSX, Match, Show, Switch } from "solid-js";
import { TimeChart } from "../../../charts/time-chart.tsx";
import { fill } from "../../../i18n/messages.ts";
import { usdNumber } from "../../../i18n/quota.ts";
import { Figure, Figures } from "../../../kit/card.tsx";
import { ErrorState, LoadingPart } from "../../../kit/states.tsx";
import { formats } from "../../formats.ts";
import { browserZone, dayFormats, secondsOfDay } from "../../parts/days.ts";
import { createSummaryQuery } from "../../parts/queries.ts";
import { keysArea } from "./messages/messages.ts";

/** What a key cost in the last 30 days. */
export function KeyUsage(props: { readonly keyId: string }): JSX.Element {
  const texts = keysArea.texts();
  const query = createSummaryQuery(() => ({ key_id: props.keyId, zone: browserZone() }));
  return (
    <Switch fallback={<LoadingPart size="chart" />}>
      <Match when={query.isError && query.data === undefined}>
        <ErrorState error={query.error} onRetry={() => void query.refetch()} />
      </Match>
      <Match when={query.data}>
        {(summary) => (
          <>
            <Figures label={texts.usage}>
              <Figure
                label={texts.cost}
                value={formats.quotaRounded(summary().total.settled_quota)}
                exact={formats.quota(summary().total.settled_quota)}
              />
              <Figure label={texts.calls} value={formats.number(Number(summary().total.calls))} />
              <Figure
                label={texts.tokens}
                value={formats.compact(Number(summary().total.input_tokens) + Number(summary().total.output_tokens))}
              />
            </Figures>
            <Show when={Number(summary().total.calls) > 0} fallback={<p class="muted">{texts.noUsage}</p>}>
              <TimeChart
                label={texts.usage}
                kind="bars"
                chart={{
                  times: summary().by_day.map(({ day }) => secondsOfDay(day)),
                  series: [
                    {
                      name: texts.cost,
                      id: "cost",
                      values: summary().by_day.map(({ settled_quota }) => usdNumber(settled_quota)),
                    },
                  ],
                }}
                format={(value) => formats.usd(value.toFixed(6))}
                timeText={dayFormats.ofSeconds}
                timeZone="UTC"
                zone={fill(texts.days, { zone: browserZone() })}
                isLastUnfinished
              />
              <a href={`/console/usage/?key_id=${props.keyId}`}>{texts.allUsage}</a>
            </Show>
          </>
        )}
      </Match>
    </Switch>
  );
}
