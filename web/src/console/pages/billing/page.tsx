import { useSearchParams } from "@solidjs/router";
import { For, type JSX, lazy, Match, Show, Suspense, Switch } from "solid-js";
import { fill } from "../../../i18n/messages.ts";
import { Figure, Figures } from "../../../kit/card.tsx";
import { DrawnLater } from "../../../kit/drawn-later.tsx";
import { ErrorState, LoadingPart, Skeleton } from "../../../kit/states.tsx";
import { Tabs } from "../../../kit/tabs.tsx";
import { ConsoleHead } from "../../console-head.tsx";
import { formats } from "../../formats.ts";
import { createBalanceQuery } from "../../parts/queries.ts";
import styles from "./billing.module.css";
import { billingArea } from "./messages/messages.ts";
import { createPlansQuery, Plans } from "./plans.tsx";

// The first tab has no list above the fold.
const Orders = lazy(async () => ({ default: (await import("./orders.tsx")).Orders }));
const Invoices = lazy(async () => ({ default: (await import("./invoices.tsx")).Invoices }));
const Ledger = lazy(async () => ({ default: (await import("./ledger.tsx")).Ledger }));
const BelowPlans = lazy(async () => ({ default: (await import("./below-plans.tsx")).BelowPlans }));
const Statements = lazy(async () => ({ default: (await import("./statements.tsx")).Statements }));

const parts = ["overview", "orders", "invoices", "entries", "statements"] as const;
type Part = (typeof parts)[number];

/** The balance, the plans, and every change of the balance. */
export function Page(): JSX.Element {
  const texts = billingArea.texts();
  const [params, setParams] = useSearchParams();
  const shown = (): Part => parts.find((part) => part === params["tab"]) ?? "overview";
  // The lists share parameter names in the URL, so each tab starts without those of another.
  const show = (part: Part): void =>
    setParams(
      { tab: part === "overview" ? null : part, cursor: null, open: null, limit: null, sort: null },
      { scroll: false },
    );
  return (
    <>
      <ConsoleHead texts={texts} />
      <Balance />
      <Tabs label={texts.tabs} tabs={parts.map((id) => ({ id, label: texts[id] }))} selected={shown()} onSelect={show}>
        <Suspense fallback={<LoadingPart size="page" />}>
          <Switch>
            <Match when={shown() === "overview"}>
              <Overview />
            </Match>
            <Match when={shown() === "orders"}>
              <Orders />
            </Match>
            <Match when={shown() === "invoices"}>
              <Invoices />
            </Match>
            <Match when={shown() === "entries"}>
              <Ledger />
            </Match>
            <Match when={shown() === "statements"}>
              <Statements />
            </Match>
          </Switch>
        </Suspense>
      </Tabs>
    </>
  );
}

function Overview(): JSX.Element {
  const plans = createPlansQuery();
  return (
    <div class={styles["stack"]}>
      <Plans query={plans} />
      <Show when={!plans.isPending}>
        <DrawnLater>
          <Suspense fallback={<LoadingPart />}>
            <BelowPlans />
          </Suspense>
        </DrawnLater>
      </Show>
    </div>
  );
}

function Balance(): JSX.Element {
  const texts = billingArea.texts();
  const query = createBalanceQuery();
  const amounts = () => {
    const balance = query.data?.balance;
    // Only those who may not open this page get no sums.
    const { used_quota: used, ledger_balance_quota: booked } = balance ?? {};
    return balance === undefined || used == null || booked == null
      ? undefined
      : {
          remaining_quota: balance.remaining_quota,
          used_quota: used,
          // What is neither in the balance nor spent in the books.
          held_quota: BigInt(booked) - BigInt(balance.remaining_quota),
        };
  };
  const figure = (name: "remaining_quota" | "used_quota" | "held_quota") => ({
    value: ((all) => (all === undefined ? <Skeleton width="6rem" /> : formats.quotaRounded(all[name])))(amounts()),
    exact: ((all) => (all === undefined ? undefined : formats.quota(all[name])))(amounts()),
  });
  return (
    <Switch
      fallback={
        <Figures label={texts.figures} isLoading={query.isPending}>
          <Figure label={texts.balance} {...figure("remaining_quota")} note={texts.balanceNote} />
          <Figure label={texts.used} {...figure("used_quota")} />
          <Figure label={texts.held} {...figure("held_quota")} note={texts.heldNote} />
          <For each={query.data?.spend_limits ?? []}>
            {(spend) => (
              <Figure
                label={spend.period === "daily" ? texts.spentToday : texts.spentThisMonth}
                value={formats.quotaRounded(spend.spent_quota)}
                exact={formats.quota(spend.spent_quota)}
                note={fill(texts.spendLimit, {
                  limit: formats.quotaRounded(spend.limit_quota),
                  time: formats.dateTime(spend.resets_at),
                })}
              />
            )}
          </For>
        </Figures>
      }
    >
      <Match when={query.isError && query.data === undefined}>
        <ErrorState error={query.error} onRetry={() => void query.refetch()} />
      </Match>
    </Switch>
  );
}
