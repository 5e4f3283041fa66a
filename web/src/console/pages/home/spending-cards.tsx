import type { JSX } from "solid-js";
import { BarList } from "../../../charts/bar-list.tsx";
import { TimeChart } from "../../../charts/time-chart.tsx";
import { fill } from "../../../i18n/messages.ts";
import { usdNumber } from "../../../i18n/quota.ts";
import { Card } from "../../../kit/card.tsx";
import { formats } from "../../formats.ts";
import { dayFormats, secondsOfDay } from "../../parts/days.ts";
import type { UsageSummary } from "../../parts/queries.ts";
import { homeArea } from "./messages/messages.ts";

const keysShown = 5;

/** What was spent on each day. */
export function SpentCard(props: { readonly summary: UsageSummary }): JSX.Element {
  const texts = homeArea.texts();
  return (
    <Card title={texts.chart}>
      <TimeChart
        label={texts.chart}
        kind="bars"
        chart={{
          times: props.summary.by_day.map(({ day }) => secondsOfDay(day)),
          series: [
            {
              name: texts.cost,
              id: "cost",
              values: props.summary.by_day.map(({ settled_quota }) => usdNumber(settled_quota)),
            },
          ],
        }}
        format={(value) => formats.usd(value.toFixed(6))}
        timeText={dayFormats.ofSeconds}
        timeZone="UTC"
        zone={fill(texts.days, { zone: props.summary.zone })}
        isLastUnfinished
      />
    </Card>
  );
}

/** The keys that spent most. */
export function TopKeys(props: { readonly summary: UsageSummary }): JSX.Element {
  const texts = homeArea.texts();
  return (
    <Card title={texts.topKeys}>
      <BarList
        label={texts.topKeys}
        bars={props.summary.by_key.slice(0, keysShown).map((sums) => ({
          name: sums.key_name || fill(texts.noKey, { id: String(sums.key_id) }),
          value: usdNumber(sums.settled_quota),
          text: formats.quotaRounded(sums.settled_quota),
          href: `/console/usage/?key_id=${sums.key_id}`,
        }))}
      />
    </Card>
  );
}
