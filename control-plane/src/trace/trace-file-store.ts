import { traceFile } from "@sluice/contracts/admin-lists/files";
import { callMinute } from "../db/expressions.ts";
import { column, equals, listSource } from "../platform/list-query/model.ts";
import { daysOfRequest } from "../platform/request-days.ts";

const daysMax = 400;
const startedAt = column("timestamptz", "t.started_at");
/** Filters whose indexes end in the minute, and their order. */
const indexedByMinute = ["user_id", "gateway_user_id", "email", "key_id", "model"];
const minutesOfTraces = [
  column("date", "t.day"),
  column("text", callMinute("t.request_id")),
  column("uuid", "t.request_id"),
];

/**
 * Calls for an export. Conditions and their indexes are those of the search (`search-store.ts`).
 */
export const traceFiles = listSource({
  contract: traceFile,
  from: `trace_record t
    left join user_profile u on u.id = t.user_id
    left join api_key k on k.id = t.api_key_id`,
  countedFrom: "trace_record t",
  columns: {
    request_id: column("uuid", "t.request_id::text"),
    day: column("date", "t.day::text"),
    started_at: startedAt,
    user_id: column("bigint", "t.user_id"),
    email: column("text", "u.email"),
    gateway_user_id: column("bigint", "t.gateway_user_id"),
    key_id: column("bigint", "t.api_key_id"),
    key_name: column("text", "k.name"),
    method: column("text", "t.method"),
    path: column("text", "t.path"),
    model: column("text", "t.model"),
    status: column("text", "t.status"),
    error_code: column("text", "t.error_code"),
    http_status: column("integer", "t.http_status"),
    is_stream: column("boolean", "t.is_stream"),
    input_tokens: column("bigint", "t.input_tokens"),
    output_tokens: column("bigint", "t.output_tokens"),
    first_token_ms: column("integer", "t.first_token_ms"),
    duration_ms: column("integer", "t.duration_ms"),
    client_ip: column("text", "t.client_ip"),
    user_agent: column("text", "t.user_agent"),
  },
  filters: {
    request_id: (id, bind) => {
      const [first, , last] = daysOfRequest(id);
      return `t.request_id = ${bind(id, "uuid")} and t.day between ${bind(first, "date")} and ${bind(last, "date")}`;
    },
    user_id: (value, bind) => `t.gateway_user_id = gateway_user_of_user(${bind(value, "bigint")})`,
    gateway_user_id: equals("bigint", "t.gateway_user_id"),
    key_id: (value, bind) => {
      const id = bind(value, "bigint");
      return `t.api_key_id = ${id} and t.gateway_user_id = gateway_user_of_key(${id})`;
    },
    key_name: (value, bind) => `(t.gateway_user_id, t.api_key_id) in (
        select named.gateway_user_id, named.id from api_key named where named.name = ${bind(value, "text")})`,
    model: equals("text", "t.model"),
    // The text repeats this condition, so that the planner can use the index of failures.
    status: (values, bind) => {
      const wanted = `t.status in (${values.map((value) => bind(value, "text")).join(", ")})`;
      return values.includes("completed") ? wanted : `t.status <> 'completed' and ${wanted}`;
    },
    http_status: (value, bind) => {
      const wanted = `t.http_status = ${bind(value, "integer")}`;
      return value >= 400 ? `t.http_status >= 400 and ${wanted}` : wanted;
    },
    email: (value, bind) => `t.gateway_user_id = gateway_user_of_email(${bind(value, "text")})`,
    error_code: (value, bind) => `t.status <> 'completed' and t.error_code = ${bind(value, "text")}`,
    channel_id: (value, bind) =>
      `exists (select 1 from usage_log l where l.day = t.day and l.request_id = t.request_id
         and l.channel_id = ${bind(value, "bigint")})`,
    // The day says which partitions to read.
    from: (value, bind) => {
      const moment = bind(value, "timestamptz");
      return `t.started_at >= ${moment} and t.day >= (${moment} at time zone 'UTC')::date`;
    },
    to: (value, bind) => {
      const moment = bind(value, "timestamptz");
      return `t.started_at < ${moment} and t.day <= (${moment} at time zone 'UTC')::date`;
    },
  },
  sorts: { time: [column("date", "t.day"), column("uuid", "t.request_id")] },
  sortedFor: (_, filters) => {
    const { status, http_status: httpStatus, error_code: errorCode } = filters;
    const isOfTrouble =
      (Array.isArray(status) && !status.includes("completed")) ||
      Number(httpStatus ?? 0) >= 400 ||
      errorCode !== undefined;
    return !isOfTrouble && indexedByMinute.some((name) => name in filters) ? minutesOfTraces : null;
  },
  time: { at: startedAt, partitionDay: "t.day", daysMax },
});
