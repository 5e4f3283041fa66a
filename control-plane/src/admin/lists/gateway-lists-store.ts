import { abilityList, channelList, groupList, modelList, usageList } from "@sluice/contracts/admin-lists/gateway";
import { type ByCount, type ByPrice, countedUnits, priceColumns, unitMeasures } from "@sluice/contracts/priced-units";
import { callMinute, countOfCall } from "../../db/expressions.ts";
import { type Bind, column, either, equals, isOneOf, listSource, startsWith } from "../../platform/list-query/model.ts";
import { daysOfRequest } from "../../platform/request-days.ts";

const priceFields = Object.fromEntries(
  priceColumns.map((price) => [price, column("numeric", `p.${price}`)]),
) as ByPrice<ListColumn, ListColumn, ListColumn>;
const countFields = Object.fromEntries(
  countedUnits.map(({ count, measure }) => [count, column(unitMeasures[measure].column, countOfCall(count))]),
) as ByCount<ListColumn, ListColumn>;

type ListColumn = ReturnType<typeof column>;

const modelName = column("text", "m.name");
const served = `from ability a join channel c on c.id = a.channel_id
  where a.model = m.name and a.is_enabled and c.status = 'enabled'`;

export const models = listSource({
  contract: modelList,
  from: `model m left join lateral (
    select * from model_price where model = m.name and valid_from <= now() order by version desc limit 1
  ) p on true`,
  columns: {
    name: modelName,
    display_name: column("text", "m.display_name"),
    owned_by: column("text", "m.owned_by"),
    kind: column("text", "m.kind"),
    status: column("text", "m.status"),
    context_tokens_max: column("integer", "m.context_tokens_max"),
    output_tokens_max: column("integer", "m.output_tokens_max"),
    image_tokens_max: column("integer", "m.image_tokens_max"),
    capabilities: column("text[]", "m.capabilities"),
    price_version: column("integer", "p.version"),
    price_valid_from: column("timestamptz", "p.valid_from"),
    ...priceFields,
    long_prompt: column("jsonb", "p.long_prompt"),
    groups: column("text[]", `array(select distinct a.group_name ${served} order by a.group_name)`),
    channels: column("bigint", `(select count(distinct c.id) ${served})`),
    aliases: column(
      "text[]",
      "array(select x.name from messages_model x where x.upstream_model = m.name and x.is_enabled order by x.name)",
    ),
    fallbacks: column(
      "jsonb",
      `coalesce((
        select jsonb_agg(jsonb_build_object('group_name', f.group_name, 'fallback_models', f.fallback_models,
          'larger_model', f.larger_model, 'is_for_every_key', f.is_for_every_key) order by f.group_name nulls first)
        from model_fallback f where f.model = m.name
      ), '[]')`,
    ),
    mapped_to: column(
      "text",
      "(select x.upstream_model from messages_model x where x.name = m.name and x.is_enabled and x.upstream_model <> m.name)",
    ),
    deprecated_at: column("timestamptz", "m.deprecated_at"),
    sunset_at: column("timestamptz", "m.sunset_at"),
    replacement_model: column("text", "m.replacement_model"),
    archived_at: column("timestamptz", "m.archived_at"),
    created_at: column("timestamptz", "m.created_at"),
    updated_at: column("timestamptz", "m.updated_at"),
  },
  filters: {
    name: equals("text", "m.name"),
    q: startsWith("m.name"),
    owned_by: equals("text", "m.owned_by"),
    kind: isOneOf("m.kind"),
    status: isOneOf("m.status"),
    is_archived: either("m.archived_at is not null", "m.archived_at is null"),
    is_served: either(`exists (select ${served})`, `not exists (select ${served})`),
  },
  sorts: { name: [modelName], created_at: [column("timestamptz", "m.created_at"), modelName] },
  time: null,
});

const groupKey = column("text", "g.name");

export const groups = listSource({
  contract: groupList,
  from: "user_group g",
  columns: {
    name: groupKey,
    description: column("text", "g.description"),
    multiplier: column("numeric", "trim_scale(g.multiplier)"),
    visibility: column("text", "g.visibility"),
    rank: column("integer", "g.rank"),
    is_start: column("boolean", "g.is_start"),
    email_domains: column("text[]", "g.email_domains"),
    accounts: column("bigint", "(select count(*) from gateway_user u where u.group_name = g.name)"),
    members: column(
      "bigint",
      `(select count(*) from user_group_member m where m.group_name = g.name
        and (m.ends_at is null or m.ends_at > now()))`,
    ),
    keys: column(
      "bigint",
      `(select count(*) from api_key k where k.group_name = g.name and k.status = 'active'
        and (k.expires_at is null or k.expires_at > now()))`,
    ),
    models: column(
      "bigint",
      `(select count(distinct a.model) from ability a join channel c on c.id = a.channel_id
        where a.group_name = g.name and a.is_enabled and c.status = 'enabled')`,
    ),
    archived_at: column("timestamptz", "g.archived_at"),
    created_at: column("timestamptz", "g.created_at"),
    updated_at: column("timestamptz", "g.updated_at"),
  },
  filters: {
    q: startsWith("g.name"),
    visibility: isOneOf("g.visibility"),
    is_archived: either("g.archived_at is not null", "g.archived_at is null"),
  },
  sorts: { name: [groupKey], rank: [column("integer", "g.rank"), groupKey] },
  time: null,
});

const channelId = column("bigint", "c.id");

export const channels = listSource({
  contract: channelList,
  from: "channel c",
  columns: {
    channel_id: channelId,
    name: column("text", "c.name"),
    upstream: column("jsonb", "c.upstream"),
    status: column("text", "c.status"),
    has_credential: column("boolean", "c.credential_sealed is not null"),
    exit_node_code: column("text", "c.exit_node_code"),
    requests_per_minute: column("integer", "c.requests_per_minute"),
    concurrency_max: column("integer", "c.concurrency_max"),
    first_byte_timeout_ms: column("integer", "c.first_byte_timeout_ms"),
    idle_timeout_ms: column("integer", "c.idle_timeout_ms"),
    pass_through_paths: column("text[]", "c.pass_through_paths"),
    probe_minutes: column("integer", "c.probe_minutes"),
    probe_model: column("text", "c.probe_model"),
    credentials: column(
      "jsonb",
      `coalesce((
        select jsonb_agg(jsonb_build_object('credential_id', k.id, 'label', k.label, 'weight', k.weight,
          'status', k.status, 'requests_per_minute', k.requests_per_minute, 'concurrency_max', k.concurrency_max,
          'refused_at', k.refused_at, 'refused_reason', k.refused_reason) order by k.id)
        from channel_credential k where k.channel_id = c.id
      ), '[]')`,
    ),
    abilities: column(
      "jsonb",
      `coalesce((
        select jsonb_agg(jsonb_build_object('group_name', a.group_name, 'model', a.model,
          'upstream_model', a.upstream_model, 'is_enabled', a.is_enabled,
          'priority', a.priority, 'weight', a.weight) order by a.group_name, a.model)
        from ability a where a.channel_id = c.id
      ), '[]')`,
    ),
    archived_at: column("timestamptz", "c.archived_at"),
    created_at: column("timestamptz", "c.created_at"),
    updated_at: column("timestamptz", "c.updated_at"),
  },
  filters: {
    is_archived: either("c.archived_at is not null", "c.archived_at is null"),
    channel_id: equals("bigint", "c.id"),
    q: startsWith("c.name"),
    status: isOneOf("c.status"),
    model: (value, bind) =>
      `exists (select 1 from ability a where a.channel_id = c.id and a.model = ${bind(value, "text")})`,
    group_name: (value, bind) =>
      `exists (select 1 from ability a where a.channel_id = c.id and a.group_name = ${bind(value, "text")})`,
  },
  sorts: {
    name: [column("text", "c.name"), channelId],
    created_at: [column("timestamptz", "c.created_at"), channelId],
  },
  time: null,
});

const group = column("text", "a.group_name");
const model = column("text", "a.model");
const abilityChannel = column("bigint", "a.channel_id");

export const abilities = listSource({
  contract: abilityList,
  from: "ability a left join channel c on c.id = a.channel_id",
  columns: {
    group_name: group,
    model,
    channel_id: abilityChannel,
    channel_name: column("text", "c.name"),
    channel_status: column("text", "c.status"),
    is_enabled: column("boolean", "a.is_enabled"),
    priority: column("integer", "a.priority"),
    weight: column("integer", "a.weight"),
    created_at: column("timestamptz", "a.created_at"),
    updated_at: column("timestamptz", "a.updated_at"),
  },
  filters: {
    group_name: equals("text", "a.group_name"),
    model: equals("text", "a.model"),
    channel_id: equals("bigint", "a.channel_id"),
    is_enabled: either("a.is_enabled", "not a.is_enabled"),
  },
  sorts: {
    place: [group, model, column("integer", "a.priority"), abilityChannel],
    model: [model, group, abilityChannel],
    channel_id: [abilityChannel, group, model],
  },
  time: null,
});

const startedAt = column("timestamptz", "u.started_at");
const calledBy = [column("date", "u.day"), column("uuid", "u.request_id")] as const;
/** The order of the indexes by user, model and channel. */
const minutesOfCalls = [calledBy[0], column("text", callMinute("u.request_id")), calledBy[1]];
const indexedByMinute = ["user_id", "gateway_user_id", "key_id", "model", "channel_id"];
/** Filters whose indexes have the id itself. */
const indexedById = ["request_id", "asked_model", "error_code"];
const daysDefault = 31;
const daysMax = 400;

/** A request id contains its time, which limits the days it can be filed under. */
function hasRequestId(id: string, bind: Bind): string {
  const [first, , last] = daysOfRequest(id);
  return `u.request_id = ${bind(id, "uuid")} and u.day between ${bind(first, "date")} and ${bind(last, "date")}`;
}

export const usage = listSource({
  contract: usageList,
  from: `usage_log u
    left join user_profile p on p.gateway_user_id = u.gateway_user_id
    left join organisation n on n.gateway_user_id = u.gateway_user_id
    left join api_key k on k.id = u.api_key_id
    left join channel c on c.id = u.channel_id`,
  countedFrom: "usage_log u",
  columns: {
    request_id: column("uuid", "u.request_id::text"),
    day: column("date", "u.day::text"),
    started_at: startedAt,
    user_id: column("bigint", "p.id"),
    gateway_user_id: column("bigint", "u.gateway_user_id"),
    email: column("text", "p.email"),
    organisation_id: column("bigint", "n.id"),
    organisation: column("text", "n.name"),
    key_id: column("bigint", "u.api_key_id"),
    key_name: column("text", "k.name"),
    group_name: column("text", "u.group_name"),
    path: column("text", "u.path"),
    model: column("text", "u.model"),
    asked_model: column("text", "u.asked_model"),
    end_user: column("text", "u.end_user"),
    tags: column("text[]", "coalesce(u.tags, '{}')"),
    channel_id: column("bigint", "u.channel_id"),
    channel_name: column("text", "c.name"),
    outcome: column("text", "u.outcome"),
    http_status: column("integer", "u.http_status"),
    error_code: column("text", "u.error_code"),
    is_stream: column("boolean", "u.is_stream"),
    ...countFields,
    usage_source: column("text", "u.usage_source"),
    is_implausible: column("boolean", "u.is_implausible"),
    cache_basis_points: column("integer", "u.cache_basis_points"),
    price_version: column("integer", "u.price_version"),
    rate_multiplier: column("numeric", "u.rate_multiplier"),
    quota: column("bigint", "u.quota"),
    settled_quota: column("bigint", "ceil(u.quota * u.rate_multiplier)::bigint"),
    provider_cost_usd: column("numeric", "u.provider_cost_usd"),
    attempts: column("jsonb", "usage_attempts(u.attempts)"),
    first_byte_ms: column("integer", "u.first_byte_ms"),
    duration_ms: column("integer", "u.duration_ms"),
  },
  filters: {
    request_id: hasRequestId,
    user_id: (value, bind) => `u.gateway_user_id = gateway_user_of_user(${bind(value, "bigint")})`,
    gateway_user_id: equals("bigint", "u.gateway_user_id"),
    // The log is indexed by user first.
    key_id: (value, bind) => {
      const id = bind(value, "bigint");
      return `u.api_key_id = ${id} and u.gateway_user_id = gateway_user_of_key(${id})`;
    },
    model: equals("text", "u.model"),
    asked_model: equals("text", "u.asked_model"),
    end_user: equals("text", "u.end_user"),
    // As the index has them.
    tag: (value, bind) =>
      `u.tags is not null and array_append(u.tags, u.gateway_user_id::text) @> array[${bind(value, "text")}]`,
    channel_id: equals("bigint", "u.channel_id"),
    // The planner uses the small index of failures only for exactly this condition.
    outcome: (values, bind) =>
      values.includes("completed")
        ? isOneOf("u.outcome")(values, bind)
        : `u.outcome <> 'completed' and ${isOneOf("u.outcome")(values, bind)}`,
    has_trouble: either("u.outcome <> 'completed'", "u.outcome = 'completed'"),
    error_code: (value, bind) => `u.outcome <> 'completed' and u.error_code = ${bind(value, "text")}`,
  },
  sorts: { time: calledBy },
  sortedFor: (_, { outcome, has_trouble: hasTrouble, ...by }) => {
    const isOfTrouble = hasTrouble === true || (Array.isArray(outcome) && !outcome.includes("completed"));
    const isByMinute = !isOfTrouble && indexedByMinute.some((name) => name in by);
    return isByMinute && !indexedById.some((name) => name in by) ? minutesOfCalls : null;
  },
  time: { at: startedAt, partitionDay: "u.day", daysDefault, daysMax, isOpenWith: "request_id" },
});
