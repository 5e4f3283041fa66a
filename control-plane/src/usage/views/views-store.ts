import { countColumns, priceColumns, tokenColumns } from "@sluice/contracts/priced-units";
import type { UsageView } from "@sluice/contracts/usage";
import { callMinute, countOfCall } from "../../db/expressions.ts";
import type { PriceTexts } from "../../models/model.ts";
import { countDays, startOfDay } from "../../platform/days.ts";
import type { Queryable, SqlValue } from "../../platform/db.ts";
import { arrayLiteral } from "../../platform/db-array-literal.ts";
import type { Attempt } from "../log/model.ts";
import { piecesOf, type Span } from "../reports/range.ts";
import type { CallOfMember, UsageFilter, UsagePart, UsagePlace } from "./model.ts";

/** This position sorts after every possible row. */
const beforeAll = { day: "9999-12-31", requestId: "ffffffff-ffff-ffff-ffff-ffffffffffff" };

const counts = countColumns.map((count) => `${countOfCall(count)} as ${count}`).join(", ");

/** The columns of a call as shown, with the name of its key as `k`. */
const viewColumns = `u.request_id::text as request_id, u.day::text as day, u.started_at, u.path, u.model, u.asked_model, u.end_user,
  coalesce(u.tags, '{}') as tags, u.api_key_id as key_id,
  coalesce(k.name, '') as key_name, u.outcome, u.http_status, u.error_code, u.is_stream, ${counts}, u.usage_source,
  u.is_implausible, u.cache_basis_points, u.quota, u.rate_multiplier, u.group_name as "group",
  ceil(u.quota * u.rate_multiplier)::bigint as settled_quota, u.first_byte_ms, u.duration_ms`;

/** The keys of an account that a member has made and that are for a project, as far as these are named. */
export const keysOf = (user: string, member: string, project: string): string =>
  `select m.id from api_key m where m.gateway_user_id = ${user}::bigint
    and (${member}::bigint is null or m.member_id = ${member}::bigint)
    and (${project}::bigint is null or m.project_id = ${project}::bigint)`;

/** The tags of a call are indexed together with its account, so that the calls of others with the same tag are not read. */
const hasTag = (user: string, tag: string): string =>
  `array_append(u.tags, u.gateway_user_id::text) @> array[${tag}::text, ${user}::bigint::text]`;

/** Whether a call has a value of a filter; the placeholder of one that is not asked for is named all the same. */
const hasIfAsked = (value: unknown, placeholder: string, condition: string): string =>
  value === null ? `${placeholder} is null` : condition;

/** Whether a call has the end user and the tag of a filter. */
export const hasLabels = ({ endUser, tag }: UsageFilter, endUserValue: string, tagValue: string): string =>
  [
    hasIfAsked(endUser, `${endUserValue}::text`, `u.end_user = ${endUserValue}::text`),
    hasIfAsked(tag, `${tagValue}::text`, `u.tags is not null and ${hasTag("$1", tagValue)}`),
  ].join(" and ");

/** Calls that failed, were refused or left are in an index of their own. */
const isOfTrouble = ({ outcome }: UsageFilter): boolean => outcome !== null && outcome !== "completed";

/**
 * The calls of a filter; its values are `$1` to `$11`. The text depends on what is asked for, so that even a plan for any values
 * uses the indexes of it.
 */
const isMeant = (filter: UsageFilter): string => `u.gateway_user_id = $1::bigint
  and u.day between ($2::timestamptz at time zone 'UTC')::date and (($3::timestamptz - interval '1 millisecond') at time zone 'UTC')::date
  and u.started_at >= $2::timestamptz and u.started_at < $3::timestamptz
  and ${hasIfAsked(filter.keyId, "$4::bigint", "u.api_key_id = $4::bigint")}
  and ${hasIfAsked(filter.model, "$5::text", "u.model = $5::text")}
  and ${hasIfAsked(filter.outcome, "$6::text", `${isOfTrouble(filter) ? "u.outcome <> 'completed' and " : ""}u.outcome = $6::text`)}
  and ${hasIfAsked(filter.askedModel, "$7::text", "u.asked_model = $7::text")}
  and (($8::bigint is null and $9::bigint is null) or u.api_key_id = any (array(${keysOf("$1", "$8", "$9")})))
  and ${hasLabels(filter, "$10", "$11")}`;

/** The database would take the second midnight of a day that has two. */
const filterValues = (filter: UsageFilter): SqlValue[] => {
  const { gatewayUserId, keyId, model, outcome, askedModel, memberId, projectId, endUser, tag } = filter;
  const { from, to } = spanOf(filter);
  return [gatewayUserId, from, to, keyId, model, outcome, askedModel, memberId, projectId, endUser, tag];
};

/** Who has made the key of a call of an organisation, and the project that it is for. */
const memberColumns = `, k.member_id, mp.email as member_email, k.project_id, op.name as project_name`;
const memberJoins = `left join organisation_member om on om.id = k.member_id
     left join user_profile mp on mp.id = om.user_id
     left join organisation_project op on op.id = k.project_id`;

/**
 * A page of one user's calls, newest first, if wanted with the members and projects of their keys. Reads one partition
 * after the other until the page is full.
 */
export async function listUsage(
  db: Queryable,
  filter: UsageFilter,
  page: {
    readonly cursor: { readonly day: string; readonly requestId: string } | null;
    readonly limit: number;
    readonly withMembers?: boolean;
    /** The only days that have calls of the filter, as `daysOfKeys` finds them; null for all. */
    readonly days?: readonly string[] | null;
  },
): Promise<(UsageView | (UsageView & CallOfMember))[]> {
  const { days = null } = page;
  if (days?.length === 0) {
    return [];
  }
  const { day, requestId } = page.cursor ?? beforeAll;
  // These have indexes with the id itself, the others with its minute; the order is the same.
  const isById = filter.endUser !== null || filter.askedModel !== null || isOfTrouble(filter);
  const placeOf = (dayValue: string, id: string): string[] => [dayValue, ...(isById ? [] : [callMinute(id)]), id];
  const keys = placeOf("u.day", "u.request_id");
  const before = placeOf("$12::text::date", "$13::text::uuid");
  return await db.query<UsageView>(
    `select ${viewColumns}${page.withMembers === true ? memberColumns : ""}
     from usage_log u
     left join api_key k on k.id = u.api_key_id
     ${page.withMembers === true ? memberJoins : ""}
     where ${isMeant(filter)} and u.day <= $12::text::date
       and ${hasIfAsked(days, "$15::text", "u.day = any ($15::text::date[])")} and (${keys.join(", ")}) < (${before.join(", ")})
     order by ${keys.map((key) => `${key} desc`).join(", ")} limit $14::integer`,
    [...filterValues(filter), day, requestId, page.limit, days === null ? null : arrayLiteral(days)],
  );
}

export const tokenSums = tokenColumns.map((count) => `sum(${count})::bigint as ${count}`).join(", ");
export const tokens = tokenColumns.join(", ");
const tokensOfCall = tokenColumns.map((count) => `usage_count(u.${count})`).join(", ");

/** The calls of a user within the times `$7` and `$8`, for what only the log knows. */
const loggedCalls = `(
  select * from usage_log l where l.gateway_user_id = $1::bigint
    and l.day between ($7::timestamptz at time zone 'UTC')::date and ($8::timestamptz at time zone 'UTC')::date
    and l.started_at >= $7::timestamptz and l.started_at < $8::timestamptz
)`;

/**
 * Sums by day of the zone and by model, sums by key, and if wanted by day and key: from the stored sums, and from the calls that
 * are not in these yet, all as of one moment.
 */
export async function sumUsage(
  db: Queryable,
  filter: UsageFilter,
  { withKeyDays = false }: { readonly withKeyDays?: boolean } = {},
): Promise<UsagePart[]> {
  const { gatewayUserId, fromDay, toDay, zone, keyId, model, outcome, memberId, projectId } = filter;
  const { endUser, tag, askedModel } = filter;
  const days = daysOf(fromDay, toDay, zone);
  // The stored sums don't know end users, tags and models that another one answered for: these are summed from the log.
  const isFromLog = endUser !== null || tag !== null || askedModel !== null;
  const spans = isFromLog ? [] : days;
  const pieces = spans.flatMap((span, day) => piecesOf(span, ["hours", "quarter"]).map((piece) => ({ ...piece, day })));
  return await db.query<UsagePart>(
    `with parts as (
       select p.day, s.model, s.api_key_id as key_id, s.outcome, s.calls, ${tokens}, s.quota, s.settled_quota
       from (select 1 where has_user_sums($1::bigint)) reached
       cross join unnest($2::integer[], $3::text[], $4::timestamptz[], $5::timestamptz[]) p (day, grain, from_at, to_at)
       cross join lateral (
         select * from usage_user_sum s
         where s.gateway_user_id = $1::bigint and s.grain = p.grain and s.starts_at >= p.from_at and s.starts_at < p.to_at
         offset 0
       ) s
       union all
       select width_bucket(u.started_at, $6::timestamptz[]) - 1, coalesce(u.model, ''), u.api_key_id, u.outcome, 1,
         ${tokensOfCall}, u.quota, ceil(u.quota * u.rate_multiplier)
       from ${isFromLog ? loggedCalls : "unsummed_usage($1::bigint, $7::timestamptz, $8::timestamptz)"} u
       where ${hasLabels(filter, "$15", "$16")} and ${askedModel === null ? "$17::text is null" : "u.asked_model = $17::text"}
     ), sums as (
       select case when grouping(model) = 0 then 'model' when grouping(day) = 0 then 'key_day' else 'key' end as kind, day, nullif(model, '') as model, key_id,
         sum(calls)::bigint as calls, coalesce(sum(calls) filter (where outcome = 'completed'), 0)::bigint as completed_calls,
         coalesce(sum(calls) filter (where outcome = 'failed'), 0)::bigint as failed_calls,
         ${tokenSums}, sum(quota)::bigint as quota, sum(settled_quota)::bigint as settled_quota
       from parts
       where ($9::bigint is null or key_id = $9::bigint) and ($10::text is null or model = $10::text)
         and ($11::text is null or outcome = $11::text)
         and (($13::bigint is null and $14::bigint is null) or key_id in (${keysOf("$1", "$13", "$14")}))
       group by grouping sets ((day, model), (key_id)${withKeyDays ? ", (day, key_id)" : ""})
     )
     select s.kind, ($12::text::date + s.day)::text as day, s.model, s.key_id, s.calls, s.completed_calls, s.failed_calls, ${tokens}, s.quota,
       s.settled_quota, coalesce(n.key_name, '') as key_name, n.member_id, n.member_email, n.project_id, n.project_name
     -- Looked up: the planner expects more sums than there are, and would read the keys of all accounts.
     from sums s left join lateral (
       select k.name as key_name${memberColumns} from api_key k ${memberJoins} where k.id = s.key_id offset 0
     ) n on true
     order by s.day, s.model`,
    [
      gatewayUserId,
      ...[
        pieces.map(({ day }) => day),
        pieces.map(({ grain }) => grain),
        pieces.map(({ from }) => from),
        pieces.map(({ to }) => to),
        days.map(({ from }) => from),
      ].map((values) => arrayLiteral(values)),
      ...[days[0]?.from ?? null, days.at(-1)?.to ?? null],
      ...[keyId, model, outcome, fromDay, memberId, projectId, endUser, tag, askedModel],
    ],
  );
}

/** When the first day of a filter begins and the last one ends. */
export const spanOf = ({ fromDay, toDay, zone }: Pick<UsageFilter, "fromDay" | "toDay" | "zone">): Span => ({
  from: startOfDay(Temporal.PlainDate.from(fromDay), zone),
  to: startOfDay(Temporal.PlainDate.from(toDay).add({ days: 1 }), zone),
});

/** When the days of a filter begin and end. */
export function daysOf(fromDay: string, toDay: string, zone: string): Span[] {
  const first = Temporal.PlainDate.from(fromDay);
  return Array.from({ length: countDays(fromDay, toDay) }, (_, index) => ({
    from: startOfDay(first.add({ days: index }), zone),
    to: startOfDay(first.add({ days: index + 1 }), zone),
  }));
}

export type PricedCall = {
  readonly view: UsageView;
  readonly attempts: readonly Attempt[];
  /** The prices at which the call was charged; null for a call that never had a model. */
  readonly prices: PriceTexts | null;
};

type PricedRow = UsageView & {
  readonly attempts: readonly Attempt[];
  readonly prices: PriceTexts | null;
};

/** Prices are written as text, because JSON would turn them into inexact numbers. */
const priceFields = [
  "'long_prompt', p.long_prompt",
  ...priceColumns.map((price) => `'${price}', p.${price}::text`),
].join(", ");

/** Finds one call of a user on these days, with the prices of its time. */
export async function findPricedCall(
  db: Queryable,
  { gatewayUserId, onlyMemberId }: UsagePlace,
  { requestId, days }: { readonly requestId: string; readonly days: readonly string[] },
): Promise<PricedCall | null> {
  const [row] = await db.query<PricedRow>(
    `select ${viewColumns}, usage_attempts(u.attempts) as attempts,
       case when p.version is not null then jsonb_build_object('version', p.version, ${priceFields}) end as prices
     from usage_log u
     left join api_key k on k.id = u.api_key_id
     left join model_price p on p.model = u.model and p.version = u.price_version
     where u.day = any ($1::text::date[]) and u.request_id = $2::text::uuid and u.gateway_user_id = $3::bigint
       and ($4::bigint is null or k.member_id = $4::bigint)`,
    [arrayLiteral(days), requestId, gatewayUserId, onlyMemberId],
  );
  if (row === undefined) {
    return null;
  }
  const { attempts, prices, ...view } = row;
  return { view, attempts, prices };
}
