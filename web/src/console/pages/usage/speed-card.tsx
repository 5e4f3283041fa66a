import type { usagePerformanceResponse } from "@sluice/contracts/usage";
import type { ResponseOf } from "@sluice/contracts/wire";
import { createQuery } from "@tanstack/solid-query";
import { type JSX, Match, Show, Switch } from "solid-js";
import { apiGet } from "../../../api/client.ts";
import { successShare } from "../../../i18n/success-share.ts";
import { Card } from "../../../kit/card.tsx";
import { ErrorState, LoadingPart } from "../../../kit/states.tsx";
import type { Column } from "../../../table/model.ts";
import { formats } from "../../formats.ts";
import { PlainTable } from "../../parts/plain-table.tsx";
import type { UsageSummary } from "../../parts/queries.ts";
import { usageArea } from "./messages/messages.ts";

type Model = ResponseOf<typeof usagePerformanceResponse>["models"][number];

const path = "/backend/usage/performance/";
/** What there are no sums of times for. */
const otherFilters = ["outcome", "asked_model", "end_user", "tag"];

/** How soon each model answered, and how many of its calls succeeded. */
export function SpeedCard(props: {
  readonly summary: UsageSummary;
  readonly filter: () => Readonly<Record<string, string>>;
}): JSX.Element {
  const texts = usageArea.texts();
  const asked = (): Record<string, string> => {
    const { zone: _, ...query } = props.filter();
    return query;
  };
  const isCounted = (): boolean => otherFilters.every((name) => !(name in props.filter()));
  const query = createQuery(() => ({
    queryKey: [path, asked()],
    enabled: isCounted(),
    queryFn: ({ signal }) => apiGet<typeof usagePerformanceResponse>(path, { signal, query: asked() }),
  }));
  // The card has the name of the whole.
  const timesLabel = (): string => `${texts.firstByte}, ${texts.duration}`;
  return (
    <Show when={isCounted()}>
      <Card title={texts.speed}>
        <Switch fallback={<LoadingPart size="card" />}>
          <Match when={query.isError && query.data === undefined}>
            <ErrorState error={query.error} onRetry={() => void query.refetch()} />
          </Match>
          <Match when={query.data}>
            {(data) => (
              <>
                <Show when={data().models.length > 0} fallback={<p class="muted">{texts.speedNone}</p>}>
                  <PlainTable label={timesLabel()} columns={columnsOf(() => props.summary)} rows={data().models} />
                </Show>
                <p class="muted">{texts.speedText}</p>
              </>
            )}
          </Match>
        </Switch>
      </Card>
    </Show>
  );
}

const shownMs = (value: number | null): string => (value === null ? "–" : formats.milliseconds(value));

function columnsOf(summary: () => UsageSummary): readonly Column<Model>[] {
  const texts = usageArea.texts();
  const success = (model: string): string => {
    const sums = summary().by_model.find((each) => each.model === model);
    const share = sums === undefined ? null : successShare(sums.completed_calls, sums.failed_calls);
    return share === null ? "–" : formats.percent(share);
  };
  const figure = (id: string, label: string, cell: (row: Model) => string): Column<Model> => ({
    ...{ id, label, cell },
    align: "end",
  });
  return [
    { id: "model", label: texts.model, card: "title", cell: (row) => <bdi>{row.model}</bdi> },
    figure("success", texts.success, (row) => success(row.model)),
    figure("first_p50", `${texts.firstByte}, p50`, (row) => shownMs(row.first_byte_ms.p50)),
    figure("first_p95", `${texts.firstByte}, p95`, (row) => shownMs(row.first_byte_ms.p95)),
    figure("total_p50", `${texts.duration}, p50`, (row) => shownMs(row.total_ms.p50)),
    figure("total_p95", `${texts.duration}, p95`, (row) => shownMs(row.total_ms.p95)),
    figure("speed", texts.tokensPerSecond, (row) =>
      row.tokens_per_second === null ? "–" : formats.number(row.tokens_per_second),
    ),
  ];
}
