import { For, type JSX, lazy, Match, Show, Suspense, Switch } from "solid-js";
import { fill, plural } from "../../../i18n/messages.ts";
import { successShare } from "../../../i18n/success-share.ts";
import { Card, Figure, Figures } from "../../../kit/card.tsx";
import { DrawnLater } from "../../../kit/drawn-later.tsx";
import { ErrorState, LoadingPart, Skeleton } from "../../../kit/states.tsx";
import { mayDo } from "../../acting-for.ts";
import { ConsoleHead } from "../../console-head.tsx";
import { formats } from "../../formats.ts";
import { consoleLocale } from "../../locales.ts";
import { browserZone } from "../../parts/days.ts";
import { HowCounted } from "../../parts/how-counted.tsx";
import {
  createBalanceQuery,
  createFirstRequestQuery,
  createSummaryQuery,
  type Sums,
  type UsageSummary,
} from "../../parts/queries.ts";
import styles from "./home.module.css";
import { homeArea } from "./messages/messages.ts";
import { SetupCard } from "./setup-card.tsx";

// With the code of charts, after the figures.
const SpentCard = lazy(async () => ({ default: (await import("./spending-cards.tsx")).SpentCard }));
const TopKeys = lazy(async () => ({ default: (await import("./spending-cards.tsx")).TopKeys }));
const RecentErrors = lazy(async () => ({ default: (await import("./recent-errors.tsx")).RecentErrors }));

const daysOfPace = 30;
/** If the balance lasts for more days than this, the pace says nothing. */
const daysCountedMax = 1_000;
const daysOfWeek = 7;

/** The account at a glance; before the first call, the steps that lead to it. */
export function Page(): JSX.Element {
  const texts = homeArea.texts();
  const summary = createSummaryQuery(() => ({ zone: browserZone() }));
  const balance = createBalanceQuery();
  const keys = createFirstRequestQuery();
  const isNew = (): boolean => keys.data?.keys.every((key) => key.first_request_at === null) === true;
  return (
    <>
      <ConsoleHead texts={texts} actions={isNew() ? null : <AddBalance />} />
      <Show when={balance.isError && balance.data === undefined ? balance.error : null}>
        {(error) => <ErrorState error={error()} onRetry={() => void balance.refetch()} />}
      </Show>
      <Switch fallback={<LoadingAccount />}>
        <Match when={summary.isError && summary.data === undefined}>
          <ErrorState error={summary.error} onRetry={() => void summary.refetch()} />
        </Match>
        {/* Whether the user is new decides what is below the figures. */}
        <Match when={keys.isPending ? undefined : summary.data}>
          {(data) => (
            <>
              <AccountFigures
                remaining={balance.data?.balance.remaining_quota ?? (balance.isError ? null : undefined)}
                summary={data()}
              />
              <HowCounted />
              <Show when={isNew()}>
                <SetupCard
                  hasKey={keys.data?.keys.some(({ status }) => status === "active") === true}
                  isEmpty={Number(balance.data?.balance.remaining_quota ?? 1) <= 0}
                />
              </Show>
              <DrawnLater fallback={<LoadingChart />}>
                <Suspense fallback={<LoadingChart />}>
                  <SpentCard summary={data()} />
                </Suspense>
              </DrawnLater>
            </>
          )}
        </Match>
      </Switch>
      <Show when={!isNew()}>
        <div class={styles["pair"]}>
          <Show when={summary.data} fallback={summary.isError ? null : <LoadingKeys />}>
            {(data) => (
              <Show when={data().by_key.length > 0}>
                <DrawnLater fallback={<LoadingKeys />}>
                  <Suspense fallback={<LoadingKeys />}>
                    <TopKeys summary={data()} />
                  </Suspense>
                </DrawnLater>
              </Show>
            )}
          </Show>
          <Show when={!summary.isPending} fallback={<LoadingErrors />}>
            <DrawnLater fallback={<LoadingErrors />}>
              <Suspense fallback={<LoadingErrors />}>
                <RecentErrors />
              </Suspense>
            </DrawnLater>
          </Show>
        </div>
      </Show>
    </>
  );
}

/** The way to more balance, for members who may pay; a new account has it among its steps. */
function AddBalance(): JSX.Element {
  return (
    <Show when={mayDo("billing")}>
      <a class="button" href="/console/billing/">
        {homeArea.texts().toBilling}
      </a>
    </Show>
  );
}

function LoadingKeys(): JSX.Element {
  return (
    <Card title={homeArea.texts().topKeys}>
      <LoadingPart />
    </Card>
  );
}

function LoadingErrors(): JSX.Element {
  return (
    <Card title={homeArea.texts().errors}>
      <LoadingPart />
    </Card>
  );
}

function LoadingChart(): JSX.Element {
  return (
    <Card>
      <LoadingPart size="chart" />
    </Card>
  );
}

function LoadingAccount(): JSX.Element {
  return (
    <>
      <AccountFigures remaining={undefined} summary={null} />
      <HowCounted />
      <LoadingChart />
    </>
  );
}

function quotaOf(days: readonly Sums[]): bigint {
  return days.reduce((sum, day) => sum + BigInt(day.settled_quota), 0n);
}

function AccountFigures(props: {
  /** The remaining quota; null when it could not be read, undefined while it loads. */
  readonly remaining: number | string | null | undefined;
  readonly summary: UsageSummary | null;
}): JSX.Element {
  const texts = homeArea.texts();
  const shown = (write: (summary: UsageSummary) => string): JSX.Element =>
    props.summary === null ? <Skeleton width="5rem" /> : write(props.summary);
  const calls = (days: readonly Sums[]): string =>
    plural(
      consoleLocale,
      texts.requests,
      days.reduce((sum, day) => sum + Number(day.calls), 0),
    );
  const left = (summary: UsageSummary): string => {
    const spent = Number(summary.total.settled_quota);
    if (spent === 0 || props.remaining == null) {
      return texts.noPace;
    }
    const days = Math.floor((Number(props.remaining) / spent) * daysOfPace);
    return days > daysCountedMax
      ? fill(texts.manyDaysLeft, { count: formats.number(daysCountedMax) })
      : plural(consoleLocale, texts.daysLeft, days);
  };
  const remaining = (): JSX.Element => {
    const { remaining: quota } = props;
    return quota === undefined ? <Skeleton width="5rem" /> : quota === null ? "–" : formats.quotaRounded(quota);
  };
  const exactly = (days: number): string | undefined =>
    props.summary === null ? undefined : formats.quota(quotaOf(props.summary.by_day.slice(-days)));
  const rate = ({ total }: UsageSummary): string =>
    ((share) => (share === null ? "–" : formats.percent(share)))(
      successShare(total.completed_calls, total.failed_calls),
    );
  return (
    <Figures label={texts.figures} isLoading={props.summary === null || props.remaining === undefined}>
      <Figure
        label={texts.balance}
        value={remaining()}
        exact={props.remaining == null ? undefined : formats.quota(props.remaining)}
        note={shown(left)}
      />
      <For each={[1, daysOfWeek, daysOfPace]}>
        {(days) => (
          <Figure
            label={days === 1 ? texts.today : days === daysOfWeek ? texts.week : texts.month}
            value={shown(({ by_day }) => formats.quotaRounded(quotaOf(by_day.slice(-days))))}
            exact={exactly(days)}
            note={shown(({ by_day }) => calls(by_day.slice(-days)))}
          />
        )}
      </For>
      <Figure label={texts.success} value={shown(rate)} />
    </Figures>
  );
}
