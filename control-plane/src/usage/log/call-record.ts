import { countedUnits, rareCounts } from "@sluice/contracts/priced-units";
import { usageRowColumns, version as usageVersion } from "./row-codec.ts";

/*
 * The record of an ordinary call: what its usage row and its trace say, as one JSON list that has what both say once. A call
 * that it has no fields for is recorded as two rows.
 */

/** The kind of its line in a spool. */
export const recordKind = "call";

/** The first field; a new layout gets a new number, so that old spools can still be read. */
export const recordVersion = 1;

/**
 * Where more pieces of records are in use than are kept, one in so many takes the place of another, because keeping one costs
 * as much as writing it.
 */
export const unkeptPerReplacement = 8;

/** What calls of one key with one model and channel have in common if they end alike. It comes first: its bytes are kept. */
const commonFields = [
  ...(["version", "day", "gateway_user_id", "api_key_id", "user_budget_id", "key_budget_id"] as const),
  ...(["shared_budget_ids", "group_name", "path", "model", "channel_id", "outcome", "http_status"] as const),
  ...(["error_code", "is_stream", "usage_source", "is_implausible", "price_version", "rate_multiplier"] as const),
  // The only attempt as it is stored, without its times, which are between the two.
  ...(["cache_basis_points", "attempt_start", "attempt_end"] as const),
] as const;

const ownFields = [
  ...(["request_id", "started_at", "duration_ms", "first_byte_ms", "attempt_started_ms"] as const),
  ...(["attempt_duration_ms", "quota", "quota_held", "provider_cost_usd"] as const),
  // The other counts are 0.
  ...(["input_tokens", "output_tokens", "cache_read_tokens", "cache_write_tokens", "reasoning_tokens"] as const),
] as const;

/** What only traces say. They are the end of a record, or missing. */
const traceFields = ["user_id", "method", "client_ip", "user_agent", "payload"] as const;

const fields = [...commonFields, ...ownFields, ...traceFields];
/** So many fields a record has in common with others, as its beginning. */
export const commonCount = commonFields.length;
/** So many are its own, after these. */
export const ownCount = ownFields.length;
const usageLength = commonCount + ownCount;

/** Where each field of a record is. */
export const recordPlaces = Object.fromEntries(fields.map((field, place) => [field, place])) as Record<
  (typeof fields)[number],
  number
>;

/** Columns that are null for calls with a record. */
const unrecorded = new Set(["asked_model", "end_user", "tags"]);
const counts = new Set<string>(countedUnits.map(({ count }) => count));

/**
 * Where the record of a call has a column of the usage log, or the value that all calls with a record have.
 * @throws Error for a column that was added without a thought for records
 */
export function recordedColumn(column: string): { readonly place: number } | { readonly value: 0 | null } {
  const place = (recordPlaces as Readonly<Record<string, number>>)[column];
  if (place !== undefined) {
    return { place };
  }
  if (!(unrecorded.has(column) || counts.has(column))) {
    throw new Error(`the record of a call has no field for ${column}`);
  }
  return { value: counts.has(column) && !rareCounts.has(column) ? 0 : null };
}

/** A record that was read, with the fields that only its trace has, if it has one. */
export type CallRecord = { readonly fields: readonly unknown[]; readonly hasTrace: boolean };

/** @throws TypeError when the value is not a record of a known version */
export function readCallRecord(value: unknown): CallRecord {
  if (!Array.isArray(value) || value[0] !== recordVersion) {
    throw new TypeError("not a record of a call of a known version");
  }
  const hasTrace = value.length === fields.length;
  if (!hasTrace && value.length !== usageLength) {
    throw new TypeError(`a record of a call has ${value.length} fields`);
  }
  return { fields: value, hasTrace };
}

/**
 * The usage row of a record, in the form that `decodeUsageRow` reads.
 * @throws SyntaxError when its attempt can't be read
 */
export function toUsageFields({ fields: recorded }: CallRecord): unknown[] {
  const at = (field: keyof typeof recordPlaces): unknown => recorded[recordPlaces[field]];
  const row = usageRowColumns.map(({ name }) => {
    if (name === "attempts") {
      const times = `${at("attempt_started_ms")},${at("attempt_duration_ms")}`;
      return JSON.parse(`${at("attempt_start")}${times}${at("attempt_end")}`);
    }
    const column = recordedColumn(name);
    return "place" in column ? recorded[column.place] : counts.has(name) ? 0 : column.value;
  });
  return [usageVersion, ...row];
}
