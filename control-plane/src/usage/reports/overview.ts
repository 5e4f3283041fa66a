import { figureKinds } from "@sluice/contracts/figure-kinds";
import type { OverviewInput } from "@sluice/contracts/overview";
import type { Clock } from "../../platform/clock.ts";
import type { Database, Queryable } from "../../platform/db.ts";
import { countActiveUsers, type FreshCount, keepCounts } from "./active-users-store.ts";
import {
  countDeadMails,
  countNewUsers,
  countNewUsersByBar,
  listNodeStates,
  type NodeState,
  readState,
  type StateOfNow,
} from "./counts-store.ts";
import { changeOf, type FigureKey, successRate } from "./figures.ts";
import { noMoney, selectRecentPayments, sumMock, sumMoney, sumMoneyByBar } from "./money-sums-store.ts";
import { type Bars, barsOf, type ReportRange, readReportRange, type Span } from "./range.ts";
import { addMoney, addUsage, groupProviders, groupRoutes, type RoutePart } from "./sums.ts";
import {
  noUsage,
  readUsageAsOf,
  sumAttempts,
  sumByBar,
  sumCauses,
  sumRoutes,
  sumTotal,
  type UsageSums,
} from "./usage-sums-store.ts";

const recentPaymentsMax = 10;
const causesMax = 20;

type Figures = Partial<Record<FigureKey, string | bigint | null>>;

/** Everything on the first admin page, in one response. @throws AppError `invalid_parameter` for an invalid range */
export async function readOverview(db: Database, clock: Pick<Clock, "now">, input: OverviewInput) {
  const now = new Date(clock.now());
  const range = readReportRange(input, now.getTime());
  const bars = barsOf(range, input.bucket);
  const options = { isolation: "repeatable read", isPageRead: true } as const;
  // The whole range is read at one moment, so that figures, bars and parts agree whatever is written meanwhile. Earlier
  // data hardly changes any more, so it is read by a concurrent query.
  const [{ counted, state, ...shown }, before] = await Promise.all([
    db.withTransaction((tx) => readAll(tx, { range, bars, now }), options),
    db.withTransaction((tx) => readBefore(tx, range.previous, now), options),
  ]);
  await keepCounts(db, [counted.freshUsers, before.freshUsers]);
  const figures = figureAnswers(counted.figures, before.figures, { range, usageAsOf: shown.usage_as_of, state });
  return { range: reportedRangeOf(range), previous_range: range.previous, read_at: state.read_at, figures, ...shown };
}

type Counted = { readonly figures: Figures; readonly freshUsers: FreshCount | null };

async function readBefore(tx: Queryable, previous: Span, now: Date): Promise<Counted> {
  const counted = await countedFigures(tx, previous, now);
  const figures: Figures = {
    ...usageFigures(await sumTotal(tx, previous)),
    ...moneyFigures(await sumMoney(tx, previous)),
    ...counted.figures,
    new_users: await countNewUsers(tx, previous),
  };
  return { ...counted, figures };
}

type Asked = { readonly range: ReportRange; readonly bars: Bars; readonly now: Date };

async function readAll(tx: Queryable, { range, bars, now }: Asked) {
  const state = await readState(tx);
  const usageAsOf = await readUsageAsOf(tx);
  const trends = await readTrends(tx, range, bars, state.read_at);
  const routes = await sumRoutes(tx, range);
  const byNode = groupRoutes(routes, "node");
  const counted = await countedFigures(tx, range, now);
  const figures: Figures = {
    ...usageFigures(addUsage(trends.bars)),
    ...moneyFigures(addMoney(trends.bars)),
    ...counted.figures,
    new_users: trends.bars.reduce((sum, bar) => sum + bar.new_users, 0n),
    ...stateFigures(state),
  };
  return {
    counted: { ...counted, figures },
    state,
    usage_as_of: usageAsOf,
    trends,
    by_model: groupRoutes(routes, "model"),
    by_provider: groupProviders(routes, await sumAttempts(tx, range)),
    by_node: byNode,
    nodes: withTraffic(await listNodeStates(tx), byNode),
    recent_payments: await selectRecentPayments(tx, recentPaymentsMax),
    errors: await sumCauses(tx, range, causesMax),
    channels: state.channels,
    keys: state.keys,
  };
}

function withTraffic(nodes: readonly NodeState[], byNode: readonly RoutePart[]) {
  const parts = new Map(byNode.map((part) => [part.key, part]));
  return nodes.map((node) => {
    const part = parts.get(node.node_code);
    return { ...node, calls: part?.calls ?? 0n, success_rate: part?.success_rate ?? null };
  });
}

export function reportedRangeOf({ fromDay, toDay, zone, from, to }: ReportRange) {
  return { from_day: fromDay, to_day: toDay, zone, from, to };
}

async function readTrends(tx: Queryable, range: ReportRange, { bucket, starts }: Bars, now: Date) {
  const moments = starts.map(({ startsAt }) => startsAt);
  const usage = new Map((await sumByBar(tx, range, moments)).map(({ bar, ...sums }) => [bar, sums]));
  const money = new Map((await sumMoneyByBar(tx, range, moments)).map(({ bar, ...sums }) => [bar, sums]));
  const users = new Map((await countNewUsersByBar(tx, range, moments)).map((each) => [each.bar, each.users]));
  const bars = starts.map(({ day, startsAt }, index) => {
    const { payments, revenue_usd, refunds_usd } = money.get(index) ?? noMoney;
    return {
      starts_at: startsAt,
      day,
      is_unfinished: (moments[index + 1] ?? range.to) > now,
      revenue_usd,
      refunds_usd,
      payments,
      new_users: users.get(index) ?? 0n,
      ...(usage.get(index) ?? noUsage),
    };
  });
  return { bucket, bars };
}

function usageFigures(sums: UsageSums): Figures {
  return {
    requests: sums.calls,
    tokens: sums.input_tokens + sums.output_tokens,
    input_tokens: sums.input_tokens,
    output_tokens: sums.output_tokens,
    quota: sums.settled_quota,
    base_quota: sums.quota,
    success_rate: successRate(sums),
  };
}

function moneyFigures(sums: { revenue_usd: string; refunds_usd: string; net_usd: string; payments: bigint }): Figures {
  const { revenue_usd, refunds_usd, net_usd, payments } = sums;
  return { revenue_usd, refunds_usd, net_revenue_usd: net_usd, payments };
}

async function countedFigures(tx: Queryable, span: Span, now: Date): Promise<Counted> {
  const { active, repeat, fresh } = await countActiveUsers(tx, span, now);
  const mails = await countDeadMails(tx, span);
  const mock = await sumMock(tx, span);
  const figures = { active_users: active, repeat_users: repeat, mail_failures: mails, mock_usd: mock };
  return { figures, freshUsers: fresh };
}

function stateFigures(state: StateOfNow): Figures {
  return {
    pending_orders: state.pending_orders,
    orders_in_review: state.orders_in_review,
    pending_leads: state.pending_leads,
    nodes: state.nodes,
    healthy_nodes: state.healthy_nodes,
    decryptable_payloads: state.payloads,
  };
}

/** A job counts these figures, later than the calls themselves. */
const ofUsage: ReadonlySet<FigureKey> = new Set([
  "requests",
  "tokens",
  "input_tokens",
  "output_tokens",
  "quota",
  "base_quota",
  "success_rate",
  "active_users",
  "repeat_users",
]);

type ReportInputs = { readonly range: ReportRange; readonly usageAsOf: Date | null; readonly state: StateOfNow };

function figureAnswers(now: Figures, before: Figures, { range, usageAsOf, state }: ReportInputs) {
  const asOf = (key: FigureKey): Date | null =>
    ofUsage.has(key) ? usageAsOf : key === "decryptable_payloads" ? state.payloads_at : state.read_at;
  return (Object.keys(figureKinds) as FigureKey[]).map((key) => {
    const [label, unit, kind, definition] = figureKinds[key];
    const value = now[key] ?? null;
    const previous = before[key] ?? null;
    return {
      key,
      label,
      unit,
      value,
      previous,
      change: changeOf(value, previous),
      definition,
      range: kind === "range" ? reportedRangeOf(range) : null,
      as_of: asOf(key),
    };
  });
}

const coreStats: readonly FigureKey[] = [
  "revenue_usd",
  "requests",
  "tokens",
  "quota",
  "active_users",
  "new_users",
  "success_rate",
  "pending_leads",
];

/** The eight most important figures. @throws AppError `invalid_parameter` for an invalid range */
export async function readDashboard(db: Database, clock: Pick<Clock, "now">, input: Omit<OverviewInput, "bucket">) {
  const overview = await readOverview(db, clock, { ...input, bucket: "day" });
  const stats = coreStats.flatMap((key) => overview.figures.filter((figure) => figure.key === key));
  return { stats, range: overview.range, as_of: overview.usage_as_of };
}
