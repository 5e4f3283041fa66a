import { type marginBy, type revenueBy, type usageBy, usageCoursePartsMax } from "@sluice/contracts/reports";
import { tagDaysMax } from "@sluice/contracts/usage-label-limits";
import type { Database, Queryable } from "../../platform/db.ts";
import { DatabaseTimeoutError } from "../../platform/db-errors.ts";
import { AppError } from "../../platform/errors.ts";
import { countBotEvents, sumAllCampaigns, sumCampaigns } from "./campaign-store.ts";
import { type MarginPart, type MarginSums, sumMargin } from "./cost-store.ts";
import { readNow } from "./counts-store.ts";
import { type MoneyPart, noMoney, sumMoneyBy, sumMoneyByBar } from "./money-sums-store.ts";
import type { ReportRange } from "./range.ts";
import { listMismatches, sumGateways } from "./reconciliation-store.ts";
import { addDecimals, addMoney, addUsage, groupRoutes, subtractUsage } from "./sums.ts";
import { sumTags, sumTagsByBar } from "./tag-sums-store.ts";
import {
  noUsage,
  readUsageAsOf,
  sumByBar,
  sumRoutes,
  sumRoutesByBar,
  sumTotal,
  sumUsers,
  sumUsersByBar,
  type UsageSums,
} from "./usage-sums-store.ts";

const reportMsMax = 30_000;
const mismatchesMax = 1_000;
const campaignsMax = 1_000;

/**
 * Reads a report as of one moment. Totals are the sums of the rows that are shown, so that bars add up to them.
 * @throws AppError `temporarily_unavailable` for one that takes too long
 */
async function readAtOnce<T>(db: Database, read: (tx: Queryable) => Promise<T>): Promise<T> {
  try {
    return await db.withTransaction(read, {
      isolation: "repeatable read",
      statementTimeoutMs: reportMsMax,
      isPageRead: true,
    });
  } catch (error) {
    if (error instanceof DatabaseTimeoutError) {
      const message = "This covers too much. Choose fewer days.";
      throw new AppError("temporarily_unavailable", { message, cause: error });
    }
    throw error;
  }
}

const startsOf = ({ days }: ReportRange): Date[] => days.map(({ startsAt }) => startsAt);

/** A row for every day of the range, including empty ones. */
function byDay<Sums extends object>({ days }: ReportRange, found: readonly (Sums & { bar: number })[], nothing: Sums) {
  const ofBar = new Map(found.map(({ bar, ...sums }) => [bar, sums as Sums]));
  return days.map(({ day }, bar) => ({ key: day, name: day, ...(ofBar.get(bar) ?? nothing) }));
}

/** What came in and what went back. */
export async function reportRevenue(db: Database, range: ReportRange, by: (typeof revenueBy)[number]) {
  return await readAtOnce(db, async (tx) => {
    const rows: MoneyPart[] =
      by === "day"
        ? byDay(range, await sumMoneyByBar(tx, range, startsOf(range)), noMoney)
        : await sumMoneyBy(tx, range, by);
    const refunds = rows.reduce((sum, row) => sum + row.refunds, 0n);
    return { as_of: await readNow(tx), by, rows, total: { ...addMoney(rows), refunds } };
  });
}

type UsagePart = UsageSums & { readonly key: string | null; readonly name: string | null };

/** What was called. @throws AppError `invalid_parameter` for too many days by tag */
export async function reportUsage(db: Database, range: ReportRange, by: (typeof usageBy)[number]) {
  checkDays(range, by);
  return await readAtOnce(db, async (tx) => {
    const rows = await usageRows(tx, range, by);
    const total = by === "tag" ? await sumTotal(tx, range) : addUsage(rows);
    return { as_of: await readAsOf(tx, by), by, rows, total };
  });
}

function readAsOf(tx: Queryable, by: (typeof usageBy)[number]): Promise<Date | null> {
  return readUsageAsOf(tx, by === "tag" ? "usage_user_sum" : "usage_settlement");
}

function checkDays({ days }: ReportRange, by: (typeof usageBy)[number]): void {
  if (by === "tag" && days.length > tagDaysMax) {
    const message = `By tag, choose at most ${tagDaysMax} days.`;
    throw new AppError("invalid_parameter", { message, fields: { from_day: message } });
  }
}

async function usageRows(tx: Queryable, range: ReportRange, by: (typeof usageBy)[number]): Promise<UsagePart[]> {
  if (by === "day") {
    return byDay(range, await sumByBar(tx, range, startsOf(range)), noUsage);
  }
  if (by === "user") {
    const users = await sumUsers(tx, range);
    return users.map(({ gateway_user_id: id, email, ...sums }) => ({ key: id.toString(), name: email, ...sums }));
  }
  if (by === "tag") {
    return (await sumTags(tx, range)).map(({ tag, ...sums }) => ({ key: tag, name: tag, ...sums }));
  }
  const parts = groupRoutes(await sumRoutes(tx, range), by);
  return parts.map(({ success_rate: _, ...part }) => part);
}

type CourseDay = { readonly day: string } & Pick<UsageSums, (typeof courseSums)[number]>;
const courseSums = ["calls", "completed", "failed", "input_tokens", "output_tokens", "settled_quota"] as const;
type Keyed = { readonly key: string | null; readonly name: string | null };
type KeyedBar = Keyed & { readonly bar: number; readonly sums: UsageSums };

/** The sums of each day that has calls. */
function courseDays({ days }: ReportRange, bars: readonly (UsageSums & { readonly bar: number })[]): CourseDay[] {
  return [...Map.groupBy(bars, ({ bar }) => bar)]
    .sort(([one], [other]) => one - other)
    .map(([bar, parts]) => {
      const sums = addUsage(parts);
      return { day: days[bar]?.day ?? "", ...picked(sums) };
    })
    .filter(({ calls }) => calls > 0n);
}

const picked = (sums: UsageSums): Omit<CourseDay, "day"> =>
  Object.fromEntries(courseSums.map((name) => [name, sums[name]])) as Omit<CourseDay, "day">;

/** The days of the most expensive tags, and those of all other tags. The days before have other calls than those with a tag. */
async function tagCourse(tx: Queryable, range: ReportRange) {
  const bars = await sumTagsByBar(tx, range, { starts: startsOf(range), most: usageCoursePartsMax });
  const { named = [], others = [] } = Object.groupBy(bars, ({ tag }) => (tag === null ? "others" : "named"));
  return {
    parts: [...Map.groupBy(named, ({ tag }) => tag)].map(([tag, of]) => ({
      id: tag,
      name: tag,
      days: courseDays(range, of),
    })),
    others: courseDays(range, others),
    previous: null,
  };
}

/**
 * What was called on each day, by what it is divided by, and on the days before.
 * @throws AppError `invalid_parameter` for too many days by tag
 */
export async function reportUsageCourse(
  db: Database,
  { range, before }: { readonly range: ReportRange; readonly before: ReportRange },
  by: (typeof usageBy)[number],
) {
  checkDays(range, by);
  return await readAtOnce(db, async (tx) => {
    if (by === "tag") {
      return { as_of: await readAsOf(tx, by), by, ...(await tagCourse(tx, range)) };
    }
    const all = await sumByBar(tx, range, startsOf(range));
    const bars = await courseBars(tx, range, by);
    const named = [...Map.groupBy(bars, ({ key }) => key)]
      .map(([id, of]) => ({ id, name: of[0]?.name ?? null, of, whole: addUsage(of.map(({ sums }) => sums)) }))
      .sort(
        (one, other) =>
          Number(other.whole.settled_quota - one.whole.settled_quota) || Number(other.whole.calls - one.whole.calls),
      )
      .slice(0, usageCoursePartsMax);
    const taken = Map.groupBy(
      named.flatMap(({ of }) => of),
      ({ bar }) => bar,
    );
    return {
      as_of: await readUsageAsOf(tx),
      by,
      parts: named.map(({ id, name, of }) => ({
        id,
        name,
        days: courseDays(
          range,
          of.map(({ bar, sums }) => ({ bar, ...sums })),
        ),
      })),
      others: courseDays(
        range,
        all.map((sums) => ({
          bar: sums.bar,
          ...subtractUsage(
            sums,
            (taken.get(sums.bar) ?? []).map((each) => each.sums),
          ),
        })),
      ),
      previous: {
        from_day: before.fromDay,
        to_day: before.toDay,
        days: courseDays(before, await sumByBar(tx, before, startsOf(before))),
      },
    };
  });
}

async function courseBars(
  tx: Queryable,
  range: ReportRange,
  by: Exclude<(typeof usageBy)[number], "tag">,
): Promise<KeyedBar[]> {
  if (by === "day") {
    return [];
  }
  const spans = range.days.map(({ startsAt: from }, bar) => ({ from, to: range.days[bar + 1]?.startsAt ?? range.to }));
  if (by === "user") {
    const users = (await sumUsers(tx, range)).slice(0, usageCoursePartsMax);
    const emails = new Map(users.map(({ gateway_user_id: id, email }) => [id, email]));
    const found = await sumUsersByBar(tx, [...emails.keys()], spans);
    return found.map(({ bar, gateway_user_id: id, ...sums }) => ({
      key: id.toString(),
      name: emails.get(id) ?? null,
      bar,
      sums,
    }));
  }
  const routes = Map.groupBy(await sumRoutesByBar(tx, spans), ({ bar }) => bar);
  return [...routes].flatMap(([bar, rows]) =>
    groupRoutes(rows, by).map(({ key, name, success_rate: _, ...sums }) => ({ key, name, bar, sums })),
  );
}

const noMargin: MarginSums = {
  calls: 0n,
  charged_usd: "0.00000000",
  cost_usd: "0.00000000",
  margin_usd: "0.00000000",
  calls_without_cost: 0n,
  charged_without_cost_usd: "0.00000000",
  calls_with_reported_cost: 0n,
  reported_cost_usd: "0.00000000",
  charged_beyond_reported_usd: "0.00000000",
};

/** What calls were charged compared with what their providers charge. */
export async function reportMargin(db: Database, range: ReportRange, by: (typeof marginBy)[number]) {
  return await readAtOnce(db, async (tx) => {
    const found = await sumMargin(tx, range, { by, starts: startsOf(range) });
    const rows: (MarginSums & { key: string | null; name: string | null })[] =
      by === "day"
        ? byDay(
            range,
            found.map(({ key: _, name: __, bar, ...sums }) => ({ ...sums, bar: bar ?? 0 })),
            noMargin,
          )
        : found.map(({ bar: _, ...row }) => row);
    return { as_of: await readUsageAsOf(tx), by, rows, total: addMargins(rows) };
  });
}

function addMargins(rows: readonly Omit<MarginPart, "bar">[]): MarginSums {
  const add = (name: Extract<keyof MarginSums, `${string}_usd`>): string =>
    addDecimals(
      rows.map((row) => row[name]),
      8,
    );
  return {
    calls: rows.reduce((sum, { calls }) => sum + calls, 0n),
    charged_usd: add("charged_usd"),
    cost_usd: add("cost_usd"),
    margin_usd: add("margin_usd"),
    calls_without_cost: rows.reduce((sum, row) => sum + row.calls_without_cost, 0n),
    charged_without_cost_usd: add("charged_without_cost_usd"),
    calls_with_reported_cost: rows.reduce((sum, row) => sum + row.calls_with_reported_cost, 0n),
    reported_cost_usd: add("reported_cost_usd"),
    charged_beyond_reported_usd: add("charged_beyond_reported_usd"),
  };
}

/** Orders, payments and the ledger side by side, and everything that does not match. */
export async function reportReconciliation(db: Database, range: ReportRange) {
  return await readAtOnce(db, async (tx) => {
    const gateways = await sumGateways(tx, range);
    const mismatches = await listMismatches(tx, range, mismatchesMax);
    return {
      as_of: await readNow(tx),
      gateways,
      mismatches: mismatches.rows,
      mismatch_count: mismatches.count,
    };
  });
}

/** What public pages reported, and what was paid, by campaign. */
export async function reportCampaigns(db: Database, range: ReportRange) {
  return await readAtOnce(db, async (tx) => ({
    as_of: await readNow(tx),
    rows: await sumCampaigns(tx, range, campaignsMax),
    bot_events: await countBotEvents(tx, range),
    total: await sumAllCampaigns(tx, range),
  }));
}
