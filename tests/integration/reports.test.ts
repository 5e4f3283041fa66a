import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { reportEndpoints } from "@sluice/control-plane/usage/reports/routes.ts";
import { seededRandom } from "@sluice/sandbox-provider/wire/seeded-random";
import { type EndpointServer, serveEndpoints } from "../support/service/endpoint-server.ts";
import { createReportScene } from "../support/usage/report-scene.ts";
import type { SettlementScene } from "../support/usage/settlement-scene.ts";

const isFull = process.env["TEST_FULL"] === "1";
const rangesOfZone = isFull ? 20 : 3;
/** Days of 23, 24 and 25 hours, and of 24 and a half; offsets of half hours and quarters; both sides of the date line. */
const zones = [
  "UTC",
  "Europe/Berlin",
  "America/New_York",
  "Asia/Kolkata",
  "Asia/Kathmandu",
  "Australia/Lord_Howe",
  "Pacific/Chatham",
  "Pacific/Kiritimati",
];
const random = seededRandom(7);
const below = (limit: number): number => Math.floor(random() * limit);

let scene: SettlementScene;
let http: EndpointServer;

type Row = Record<string, string | number | null>;
type Report = { readonly rows: Row[]; readonly total: Row };

beforeAll(async () => {
  scene = await createReportScene(11, isFull ? 20_000 : 1_500, isFull ? 400 : 60);
  // All requested days are over, even the last one.
  http = serveEndpoints(reportEndpoints({ db: scene.db, clock: { now: () => Date.parse("2027-02-01T00:00:00Z") } }));
});

afterAll(async () => {
  await http.stop();
  await scene[Symbol.asyncDispose]();
});

async function ask(path: string, query: Record<string, string>): Promise<Response> {
  return await fetch(`${http.url}/backend/admin/${path}/?${new URLSearchParams(query)}`, {
    headers: { "x-test-admin": "plain" },
  });
}

async function report(path: string, query: Record<string, string>): Promise<Report> {
  const answer = await ask(`report/${path}`, query);
  expect(answer.status).toBe(200);
  return (await answer.json()) as Report;
}

const dayMs = 86_400_000;
const dayText = (ms: number): string => new Date(ms).toISOString().slice(0, 10);

function someRange(): { from_day: string; to_day: string } {
  const first = below(40);
  const at = (days: number): string => dayText(Date.parse("2026-10-02") + days * dayMs);
  return { from_day: at(first), to_day: at(first + below(42 - first)) };
}

/** The exact sum of numbers and of decimals with up to eight places. */
function add(values: readonly (string | number | null | undefined)[]): bigint {
  return values.reduce((sum: bigint, value) => {
    const [whole = "0", fraction = ""] = String(value ?? 0)
      .replace("-", "")
      .split(".");
    const scaled = BigInt(whole + fraction.padEnd(8, "0"));
    return String(value).startsWith("-") ? sum - scaled : sum + scaled;
  }, 0n);
}

const counted = ["calls", "completed", "aborted", "failed", "refused", "input_tokens", "quota", "settled_quota"];

describe("days", () => {
  const zone = "America/New_York";

  test.each([
    { from_day: "9999-12-30", to_day: "9999-12-31", zone },
    { from_day: "9999-12-31" },
    { from_day: "0001-01-01", to_day: "0001-01-02", zone: "Asia/Tokyo" },
    { from_day: "2026-03-29", to_day: "2026-03-28" },
    { from_day: "2000-01-01", to_day: "2999-12-31" },
  ])("%j are refused everywhere", async (query: Record<string, string>) => {
    const paths = ["overview", "dashboard", "report/usage", "report/revenue", "report/margin", "report/reconciliation"];
    const statuses = await Promise.all(paths.map(async (path) => [path, (await ask(path, query)).status]));
    expect(statuses).toEqual(paths.map((path) => [path, 400]));
  });

  test("at the limits of the range are accepted", async () => {
    for (const day of ["2000-01-01", "2999-12-31"]) {
      expect((await ask("overview", { from_day: day, to_day: day, zone })).status).toBe(200);
    }
  });
});

type CourseDays = readonly { readonly day: string; readonly calls: number }[];
type Course = {
  readonly parts: readonly { readonly days: CourseDays }[];
  readonly others: CourseDays;
  readonly previous: { readonly to_day: string; readonly days: CourseDays };
};

test("by tag, the total is that of all calls", async () => {
  const [last] = await scene.owner.sql<{
    day: string;
  }>`select max(at at time zone 'UTC')::date::text as day from test_call`;
  const range = { from_day: last?.day ?? "", to_day: last?.day ?? "" };
  const { total } = await report("usage", { ...range, by: "tag" });
  expect(Number(total["calls"])).toBeGreaterThan(0);
  expect(total).toEqual((await report("usage", { ...range, by: "day" })).total);
});

describe("in every zone", () => {
  test.each(zones)("the bars of %s add up to the total, and the total to the calls of its days", async (zone) => {
    for (let each = 0; each < rangesOfZone; each += 1) {
      const range = someRange();
      const [expected] = await scene.owner.sql<Record<string, bigint>>`
        select count(*) as calls, count(*) filter (where outcome = 'completed') as completed,
          count(*) filter (where outcome = 'aborted') as aborted, count(*) filter (where outcome = 'failed') as failed,
          count(*) filter (where outcome = 'refused') as refused, coalesce(sum(tokens), 0)::bigint as input_tokens,
          coalesce(sum(quota), 0)::bigint as quota, coalesce(sum(settled), 0)::bigint as settled_quota
        from test_call where (at at time zone ${zone}::text)::date between ${range.from_day}::text::date and ${range.to_day}::text::date`;
      for (const by of ["day", "model", "provider", "node", "user"]) {
        const { rows, total } = await report("usage", { ...range, zone, by });
        for (const name of counted) {
          expect([by, name, add(rows.map((row) => row[name]))]).toEqual([by, name, add([total[name]])]);
          expect([by, name, Number(total[name])]).toEqual([by, name, Number(expected?.[name])]);
        }
      }
      const days = await scene.owner.sql<{ day: string; calls: bigint }>`
        select (at at time zone ${zone}::text)::date::text as day, count(*) as calls from test_call group by 1`;
      const callsOf = new Map(days.map(({ day, calls }) => [day, Number(calls)]));
      for (const row of (await report("usage", { ...range, zone, by: "day" })).rows) {
        expect([row["key"], row["calls"]]).toEqual([row["key"], callsOf.get(String(row["key"])) ?? 0]);
      }
      for (const by of ["day", "model", "provider", "node", "user"]) {
        const course = (await (await ask("report/usage/course", { ...range, zone, by })).json()) as Course;
        const sums = Map.groupBy([...course.parts.flatMap(({ days: own }) => own), ...course.others], ({ day }) => day);
        const daily = [...sums].map(([day, of]) => [day, of.reduce((sum, { calls }) => sum + calls, 0)]);
        const expectedDays = [...callsOf].filter(([day]) => day >= range.from_day && day <= range.to_day);
        expect([by, daily.sort()]).toEqual([by, expectedDays.sort()]);
        const { previous } = course;
        expect(previous.to_day < range.from_day).toBe(true);
        for (const { day, calls } of previous.days) {
          expect([by, day, calls]).toEqual([by, day, callsOf.get(day) ?? 0]);
        }
      }
    }
  });

  test.each(zones)("payments and refunds on the days of %s are the same by day, plan and gateway", async (zone) => {
    for (let each = 0; each < rangesOfZone; each += 1) {
      const range = someRange();
      const [expected] = await scene.owner.sql<{ revenue: string; refunds: string }>`
        select
          (select coalesce(sum(amount_usd), 0)::text from payment where gateway <> 'mock' and (created_at at time zone ${zone}::text)::date
            between ${range.from_day}::text::date and ${range.to_day}::text::date) as revenue,
          (select coalesce(sum(r.amount_usd), 0)::text from refund r join payment p using (order_id)
            where gateway <> 'mock' and (r.updated_at at time zone ${zone}::text)::date
            between ${range.from_day}::text::date and ${range.to_day}::text::date) as refunds`;
      for (const by of ["day", "plan", "gateway"]) {
        const { rows, total } = await report("revenue", { ...range, zone, by });
        expect([by, add([total["revenue_usd"]])]).toEqual([by, add([expected?.revenue])]);
        expect([by, add([total["refunds_usd"]])]).toEqual([by, add([expected?.refunds])]);
        for (const name of ["revenue_usd", "refunds_usd", "net_usd", "payments", "refunds"]) {
          expect([by, name, add(rows.map((row) => row[name]))]).toEqual([by, name, add([total[name]])]);
        }
      }
    }
  });

  test.each(zones)("the users of %s are those who made a call, and a repeated query returns the same", async (zone) => {
    for (let each = 0; each < rangesOfZone * 2; each += 1) {
      // One day often: most users are there on most of the longer ranges.
      const { from_day, to_day } = someRange();
      const range = { from_day, to_day: each % 2 === 0 ? from_day : to_day };
      const countFromCalls = async (first: string, last: string) => {
        const [row] = await scene.owner.sql<{ active: bigint; repeat: bigint }>`
          with called as (select user_id, (at at time zone ${zone}::text)::date as day from test_call), active as (
            select distinct user_id from called where day between ${first}::text::date and ${last}::text::date)
          select count(*) as active, count(*) filter (where exists (
            select 1 from called c where c.user_id = a.user_id and c.day < ${first}::text::date)) as repeat
          from active a`;
        return [Number(row?.active), Number(row?.repeat)];
      };
      const days = (Date.parse(range.to_day) - Date.parse(range.from_day)) / dayMs + 1;
      const dayBefore = (count: number) => dayText(Date.parse(range.from_day) - count * dayMs);
      const expected = [
        await countFromCalls(range.from_day, range.to_day),
        await countFromCalls(dayBefore(days), dayBefore(1)),
      ];
      for (const time of ["first", "again"]) {
        const { figures } = (await (await ask("overview", { ...range, zone })).json()) as { figures: Row[] };
        const figure = (key: string) => figures.find((row) => row["key"] === key) ?? {};
        const [active, repeat] = [figure("active_users"), figure("repeat_users")];
        expect([time, range, [active["value"], repeat["value"]], [active["previous"], repeat["previous"]]]).toEqual([
          time,
          range,
          ...expected,
        ]);
      }
    }
  });

  test.each(zones)("the figures of the overview of %s are the sums of its bars and of its parts", async (zone) => {
    const answer = await ask("overview", { ...someRange(), zone });
    const overview = (await answer.json()) as {
      figures: { key: string; value: string | number | null; range: { zone: string } | null; definition: string }[];
      trends: { bars: Row[] };
      by_model: Row[];
      by_provider: Row[];
      by_node: Row[];
    };
    const figure = (key: string) => overview.figures.find((each) => each.key === key)?.value;
    for (const [key, names] of [
      ["requests", ["calls"]],
      ["tokens", ["input_tokens", "output_tokens"]],
      ["quota", ["settled_quota"]],
    ] as const) {
      for (const rows of [overview.trends.bars, overview.by_model, overview.by_provider, overview.by_node]) {
        const sum = add(rows.flatMap((row) => names.map((name) => row[name])));
        expect([key, sum]).toEqual([key, add([figure(key)])]);
      }
    }
    for (const [key, name] of [
      ["revenue_usd", "revenue_usd"],
      ["refunds_usd", "refunds_usd"],
      ["new_users", "new_users"],
    ] as const) {
      expect([key, add(overview.trends.bars.map((bar) => bar[name]))]).toEqual([key, add([figure(key)])]);
    }
    expect(overview.figures.filter(({ range }) => range !== null && range.zone !== zone)).toEqual([]);
    expect(overview.figures.filter(({ definition }) => definition === "")).toEqual([]);
  });
});

describe("calls over time", () => {
  type Histogram = {
    readonly bar_ms: number;
    readonly filters: readonly string[];
    readonly bars: readonly (Record<string, number> & { readonly starts_at: string })[];
  };
  const quarterMs = 900_000;

  test("are those of the log in each bar, by every filter that the sums know", async () => {
    const [channel] = await scene.owner.sql<{ id: bigint }>`select id from channel where name = 'east'`;
    const user = scene.customer(1).gatewayUserId;
    const filters: readonly (readonly [Record<string, string>, string])[] = [
      [{}, "true"],
      [{ model: "alpha" }, "model = 'alpha'"],
      [{ channel_id: String(channel?.id) }, "channel = 'east'"],
      [{ model: "beta", channel_id: String(channel?.id) }, "model = 'beta' and channel = 'east'"],
      [{ gateway_user_id: user.toString() }, `user_id = ${user}`],
    ];
    for (const [filter, isMeant] of filters) {
      for (const [from, to, barMs] of [
        ["2026-10-05T03:10:00Z", "2026-10-06T03:10:00Z", quarterMs],
        ["2026-10-02T00:00:00Z", "2026-10-20T12:00:00Z", 24 * quarterMs],
        ["2026-10-01T00:00:00Z", "2026-11-14T00:00:00Z", 96 * quarterMs],
      ] as const) {
        const response = await ask("trace/histogram", { from, to, ...filter });
        expect(response.status).toBe(200);
        const { bars, bar_ms, filters: known } = (await response.json()) as Histogram;
        expect([bar_ms, [...known].sort()]).toEqual([barMs, Object.keys(filter).sort()]);
        const found = await scene.owner.query<{ at: Date; calls: bigint; failed: bigint; refused: bigint }>(
          `select date_bin(make_interval(secs => $1), at, '1970-01-01 00:00:00+00') as at, count(*) as calls,
             count(*) filter (where outcome = 'failed') as failed, count(*) filter (where outcome = 'refused') as refused
           from test_call where ${isMeant} and at >= date_bin(make_interval(secs => $1), $2::timestamptz, '1970-01-01 00:00:00+00')
             and at < $3::timestamptz group by 1 order by 1`,
          [barMs / 1_000, from, bars.length === 0 ? to : new Date(Date.parse(bars.at(-1)?.starts_at ?? to) + barMs)],
        );
        expect(
          bars.flatMap(({ starts_at, calls, failed, refused }) =>
            calls === 0 ? [] : [[starts_at, calls, failed, refused]],
          ),
        ).toEqual(
          found.map(({ at, calls, failed, refused }) => [
            at.toISOString(),
            Number(calls),
            Number(failed),
            Number(refused),
          ]),
        );
      }
    }
  });

  test("have at most a hundred bars, and no time that ends before it begins or is years long", async () => {
    const statuses = await Promise.all(
      [
        { from: "2026-10-02T00:00:00Z", to: "2026-10-01T00:00:00Z" },
        { from: "2020-01-01T00:00:00Z", to: "2026-10-01T00:00:00Z" },
      ].map(async (query) => (await ask("trace/histogram", query)).status),
    );
    expect(statuses).toEqual([400, 400]);
    const whole = await ask("trace/histogram", { from: "2026-01-01T00:00:00Z", to: "2027-01-01T00:00:00Z" });
    expect(((await whole.json()) as Histogram).bars.length).toBeLessThanOrEqual(100);
  });
});
