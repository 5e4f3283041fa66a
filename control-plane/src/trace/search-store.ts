import { countColumns } from "@sluice/contracts/priced-units";
import type { TraceView } from "@sluice/contracts/traces";
import { and, desc, eq, sql } from "drizzle-orm";
import { callMinute, countOfCall } from "../db/expressions.ts";
import { apiKey } from "../db/schema/gateway-keys.ts";
import type { Queryable, SqlValue } from "../platform/db.ts";
import { arrayLiteral } from "../platform/db-array-literal.ts";
import type { CallPlace, TraceFilter, TraceSearch } from "./model.ts";

/**
 * The columns of a list. A payload can be read until it expires or the key of its day is gone, whichever comes first.
 * @param cutoff the placeholder of the moment before which payloads are expired
 */
const listColumns = (cutoff: string): string => `
  t.request_id::text as request_id, t.day::text as day, t.started_at, t.user_id, u.email, t.gateway_user_id,
  t.api_key_id as key_id, k.name as key_name, t.method, t.path, t.model, t.status, t.error_code, t.http_status,
  t.is_stream, t.input_tokens, t.output_tokens, t.first_token_ms, t.duration_ms, t.client_ip, t.user_agent,
  case when t.payload = 'stored' and (d.wrapped is null or t.started_at <= ${cutoff}::timestamptz) then 'expired'
    else t.payload end as payload`;

const joins = `
  left join user_profile u on u.id = t.user_id
  left join api_key k on k.id = t.api_key_id
  left join payload_day_key d on d.day = t.day`;

const minute = callMinute("t.request_id");

/** Whether the index for these conditions ends in the minute of a call, instead of its id. */
function isByMinute({ status, httpStatus, ...by }: TraceFilter): boolean {
  const isOfTrouble =
    (status !== null && status !== "completed") || (httpStatus !== null && httpStatus >= 400) || by.errorCode !== null;
  const named = [by.gatewayUserId, by.userId, by.email, by.keyId, by.model];
  return !isOfTrouble && named.some((value) => value !== null);
}

type Put = (value: SqlValue) => string;

/** Conditions on who called. */
function whoConditions(filter: TraceFilter, put: Put): string[] {
  const conditions: string[] = [];
  if (filter.gatewayUserId !== null) {
    conditions.push(`t.gateway_user_id = ${put(filter.gatewayUserId)}::bigint`);
  }
  if (filter.userId !== null) {
    conditions.push(
      `t.gateway_user_id = (select gateway_user_id from user_profile where id = ${put(filter.userId)}::bigint)`,
    );
  }
  if (filter.keyId !== null) {
    const key = put(filter.keyId);
    conditions.push(`t.api_key_id = ${key}::bigint`);
    conditions.push(`t.gateway_user_id = (select gateway_user_id from api_key where id = ${key}::bigint)`);
  }
  if (filter.keyIds !== null) {
    conditions.push(`t.api_key_id = any (${put(arrayLiteral(filter.keyIds))}::bigint[])`);
  }
  if (filter.email !== null) {
    conditions.push(`t.gateway_user_id = gateway_user_of_email(${put(filter.email)}::text)`);
  }
  return conditions;
}

/** Conditions on what was called and how it ended. */
function whatConditions(filter: TraceFilter, put: Put): string[] {
  const conditions: string[] = [];
  if (filter.model !== null) {
    conditions.push(`t.model = ${put(filter.model)}::text`);
  }
  if (filter.status !== null) {
    // The text repeats this condition, so that the planner can use the index of failures.
    conditions.push(`t.status = ${put(filter.status)}::text`);
    conditions.push(filter.status === "completed" ? "true" : "t.status <> 'completed'");
  }
  if (filter.httpStatus !== null) {
    conditions.push(`t.http_status = ${put(filter.httpStatus)}::integer`);
    conditions.push(filter.httpStatus >= 400 ? "t.http_status >= 400" : "true");
  }
  if (filter.errorCode !== null) {
    conditions.push(`t.error_code = ${put(filter.errorCode)}::text`, "t.status <> 'completed'");
  }
  if (filter.channelId !== null) {
    conditions.push(
      `exists (select 1 from usage_log l where l.day = t.day and l.request_id = t.request_id
         and l.channel_id = ${put(filter.channelId)}::bigint)`,
    );
  }
  if (filter.from !== null) {
    conditions.push(`t.started_at >= ${put(filter.from)}::timestamptz`);
  }
  if (filter.to !== null) {
    conditions.push(`t.started_at < ${put(filter.to)}::timestamptz`);
  }
  return conditions;
}

/**
 * A page of calls. The text contains only the requested conditions, each with an index that ends in the day and the
 * request id or its minute: so the partitions are read one after the other, and hardly more of each than the page needs.
 * By duration, every call of the range is read.
 */
export async function searchTraces(db: Queryable, search: TraceSearch): Promise<TraceView[]> {
  const values: SqlValue[] = [];
  const put = (value: SqlValue): string => `$${values.push(value)}`;
  const { since, before, filter, order, after } = search;
  const keys = isByMinute(filter) ? ["t.day", minute, "t.request_id"] : ["t.day", "t.request_id"];
  const positionOf = ({ day, requestId }: CallPlace): string => {
    const [dayValue, id] = [`${put(day)}::text::date`, `${put(requestId)}::text::uuid`];
    return `(${keys.length === 3 ? `${dayValue}, ${callMinute(id)}, ${id}` : `${dayValue}, ${id}`})`;
  };
  const conditions = [
    `t.day between ${put(since.day)}::text::date and ${put(before.day)}::text::date`,
    `(${keys.join(", ")}) >= ${positionOf(since)}`,
    `(${keys.join(", ")}) < ${positionOf(before)}`,
  ];
  conditions.push(...whoConditions(filter, put), ...whatConditions(filter, put));
  const sorted = order.by === "time" ? keys : ["t.duration_ms", "t.day", "t.request_id"];
  if (after !== null) {
    conditions.push(
      `(${sorted.join(", ")}) ${order.isAscending ? ">" : "<"} (select ${sorted.join(", ")} from trace_record t
         where t.day = ${put(after.day)}::text::date and t.request_id = ${put(after.requestId)}::text::uuid)`,
    );
  }
  const orderBy = sorted.map((key) => (order.isAscending ? key : `${key} desc`)).join(", ");
  return await db.query<TraceView>(
    `select ${listColumns(put(search.payloadCutoff))} from (
       select t.* from trace_record t where ${conditions.join(" and ")}
       order by ${orderBy} limit ${put(search.limit)}::integer
     ) as t ${joins} order by ${orderBy}`,
    values,
  );
}

/** Keys with a name, also revoked ones, of the account if one is named: at most so many. */
export async function findKeysNamed(
  db: Queryable,
  {
    name,
    gatewayUserId,
    email,
  }: { readonly name: string; readonly gatewayUserId: bigint | null; readonly email: string | null },
  most: number,
): Promise<{ id: bigint; gatewayUserId: bigint }[]> {
  return await db.drizzle
    .select({ id: apiKey.id, gatewayUserId: apiKey.gatewayUserId })
    .from(apiKey)
    .where(
      and(
        eq(apiKey.name, name),
        gatewayUserId === null ? undefined : sql`${apiKey.gatewayUserId} = ${gatewayUserId}::bigint`,
        email === null ? undefined : sql`${apiKey.gatewayUserId} = gateway_user_of_email(${email}::text)`,
      ),
    )
    .orderBy(desc(apiKey.id))
    .limit(most);
}

/** One call, searched on these days (YYYY-MM-DD). */
export async function findTrace(
  db: Queryable,
  place: { readonly requestId: string; readonly days: readonly string[] },
  payloadCutoff: Date,
): Promise<TraceView | null> {
  const [row] = await db.query<TraceView>(
    `select ${listColumns("$3")} from trace_record t ${joins}
     where t.day = any ($1::text::date[]) and t.request_id = $2::text::uuid`,
    [arrayLiteral(place.days), place.requestId, payloadCutoff],
  );
  return row ?? null;
}

/** One attempt at one channel, as in the usage log. */
type StoredAttempt = {
  readonly channelId: string;
  readonly channel: string;
  readonly credential?: string;
  readonly node?: string;
  readonly model?: string;
  readonly startedAtMs: number;
  readonly durationMs: number;
  readonly status: number | null;
  readonly result: string;
  readonly said?: string;
};

export type CallUsage = Record<string, unknown> & { readonly attempts: readonly StoredAttempt[] };

/** What the gateway recorded about a call; null for one that it did not admit. */
export async function findCallUsage(db: Queryable, { day, requestId }: CallPlace): Promise<CallUsage | null> {
  const [row] = await db.query<CallUsage>(
    `select u.group_name, u.asked_model, u.channel_id, c.name as channel, u.outcome, u.usage_source,
       ${countColumns.map((count) => `${countOfCall(count)} as ${count}`).join(", ")}, u.price_version,
       u.rate_multiplier, u.quota, u.quota_held, ceil(u.quota * u.rate_multiplier)::bigint as settled_quota,
       u.provider_cost_usd, u.cache_basis_points, u.first_byte_ms, u.duration_ms, usage_attempts(u.attempts) as attempts
     from usage_log u left join channel c on c.id = u.channel_id
     where u.day = $1::text::date and u.request_id = $2::text::uuid`,
    [day, requestId],
  );
  return row ?? null;
}
