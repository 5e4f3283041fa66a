import type { BudgetId, RequestId } from "@sluice/contracts/ids";
import { parseDecimal } from "@sluice/contracts/money";
import { type CountedUnit, countedUnits, unitMeasures } from "@sluice/contracts/priced-units";
import { isTag } from "@sluice/contracts/usage-labels";
import { type CountName, countName, noUnits, type Units } from "../../models/units.ts";
import { type Amount, toAmount } from "../../platform/amount.ts";
import { arrayLiteral } from "../../platform/db-array-literal.ts";
import type { Attempt, Outcome, UsageRow } from "./model.ts";

/** The first version whose rows say whether their usage is plausible. */
const firstJudging = 2;
/** The units that rows of every version contain, between the other fields; their number never changes. */
const firstUnits = countedUnits.slice(0, 7);
/** Units that were added later: each is at the end of a row, from one more version on. */
const secondUnits = countedUnits.slice(firstUnits.length, firstUnits.length + 2);
/** The first version whose rows have the provider's own cost, which follows the second units. */
const firstCosting = firstJudging + secondUnits.length + 1;
/** The first version whose rows say what share of the price a response from the cache costs. */
const firstCached = firstCosting + 1;
/** The first version whose rows have the model that was asked for. */
const firstAsking = firstCached + 1;
/** The first version whose rows have the budgets of an organisation's project and member. */
const firstShared = firstAsking + 1;
/** The first version whose attempts are lists without names. */
const firstCompact = firstShared + 1;
/** The first version whose rows have the end user and the tags. */
const firstLabelled = firstCompact + 1;
const laterUnits = countedUnits.slice(firstUnits.length + secondUnits.length);
/** The version of a row, which is its first field. A reader knows every version that may still be in a spool. */
export const version = firstLabelled + laterUnits.length;
const outcomes: readonly Outcome[] = ["completed", "aborted", "failed", "refused"];
const usageSources: readonly UsageRow["usageSource"][] = ["provider", "estimated", "none"];

/** Returns a JSON number if it represents the value exactly, because numbers are cheaper, else a string. */
function exact(value: Amount): number | string {
  const number = Number(value);
  return Number.isSafeInteger(number) ? number : value.toString();
}

function exactOrNull(value: bigint | null): number | string | null {
  return value === null ? null : exact(value);
}

/** A row together with its text, which `store.ts` passes to the database as it is. */
export type EncodedUsageRow = { readonly row: UsageRow; readonly json: string };

type RowColumn = { readonly name: string; readonly type: string };

const columnsOf = (fields: string): RowColumn[] =>
  fields.split(", ").map((field) => {
    const [name = "", type = ""] = field.split(" ");
    return { name, type };
  });
const countColumnsOf = (units: readonly CountedUnit[]): RowColumn[] =>
  units.map(({ count, measure }) => ({ name: count, type: unitMeasures[measure].column }));

/** The columns of a row's fields after its version, in order. */
export const usageRowColumns: readonly RowColumn[] = [
  ...columnsOf("request_id uuid, day date, gateway_user_id bigint, api_key_id bigint, user_budget_id bigint"),
  ...columnsOf("key_budget_id bigint, group_name text, path text, model text, channel_id bigint, outcome text"),
  ...columnsOf("http_status integer, error_code text, is_stream boolean"),
  ...countColumnsOf(firstUnits),
  ...columnsOf("usage_source text, price_version integer, rate_multiplier numeric, quota bigint, quota_held bigint"),
  ...columnsOf("attempts jsonb, first_byte_ms integer, duration_ms integer, started_at timestamptz"),
  ...columnsOf("is_implausible boolean"),
  ...countColumnsOf(secondUnits),
  ...columnsOf("provider_cost_usd numeric, cache_basis_points integer, asked_model text"),
  ...columnsOf("shared_budget_ids bigint[], end_user text, tags text[]"),
  ...countColumnsOf(laterUnits),
];

/** Escapes of characters that Postgres can't hold: U+0000 and unpaired surrogates. Rare, so searched for at the end. */
const escapePrefix = "\\u";

/**
 * A usage row as one line of JSON: an array without names, because it is written for every call. The positions of the
 * fields are those that the statement in `store.ts` reads. Characters that Postgres can't hold become U+FFFD.
 */
export function encodeUsageRow(row: UsageRow): string {
  const json = toJson(row);
  return json.includes(escapePrefix) ? toJson(withStorableText(row)) : json;
}

function withStorableText(row: UsageRow): UsageRow {
  const orNull = (text: string | null) => (text === null ? null : storable(text));
  return {
    ...row,
    groupName: storable(row.groupName),
    path: storable(row.path),
    model: orNull(row.model),
    askedModel: orNull(row.askedModel),
    endUser: orNull(row.endUser),
    errorCode: orNull(row.errorCode),
    attempts: row.attempts.map((attempt) => ({
      ...attempt,
      channel: storable(attempt.channel),
      result: storable(attempt.result),
      ...(attempt.said === undefined ? {} : { said: storable(attempt.said) }),
    })),
  };
}

function storable(text: string): string {
  return text.toWellFormed().replaceAll("\0", "\uFFFD");
}

function toJson(row: UsageRow): string {
  const { units } = row;
  const fields: unknown[] = [
    version,
    row.requestId,
    row.day,
    exact(row.gatewayUserId),
    exact(row.apiKeyId),
    exact(row.userBudgetId),
    exactOrNull(row.keyBudgetId),
    row.groupName,
    row.path,
    row.model,
    exactOrNull(row.channelId),
    row.outcome,
    row.httpStatus,
    row.errorCode,
    row.isStream,
    // The first units, written out because this runs for every call.
    exact(units.inputTokens),
    exact(units.outputTokens),
    exact(units.cacheReadTokens),
    exact(units.cacheWriteTokens),
    exact(units.reasoningTokens),
    units.images,
    exact(units.audioMs),
    row.usageSource,
    row.priceVersion,
    row.rateMultiplier,
    exact(row.quota),
    exact(row.quotaHeld),
    row.attempts.map(toStoredAttempt),
    row.firstByteMs,
    row.durationMs,
    row.startedAtMs,
    row.isImplausible,
  ];
  pushCounts(fields, secondNames, units);
  fields.push(
    row.providerCost,
    row.cacheBasisPoints,
    row.askedModel,
    row.sharedBudgetIds.length === 0 ? null : arrayLiteral(row.sharedBudgetIds),
    row.endUser,
    row.tags.length === 0 ? null : arrayLiteral(row.tags),
  );
  pushCounts(fields, laterNames, units);
  return JSON.stringify(fields);
}

/** The fields that every attempt has, in order. */
const namedParts = ["channelId", "channel", "startedAtMs", "durationMs", "status", "result"] as const;
/** The fields of an attempt that only some have; all are texts. */
export const rareParts = [
  "credentialId",
  "credential",
  "node",
  "model",
  "said",
] as const satisfies readonly (keyof Attempt)[];

/**
 * An attempt as it is stored: a list without names, which `usage_attempts` of the database gives back, with what only
 * some have at its end. Names took half of a row's bytes.
 */
export function toStoredAttempt(attempt: Attempt): unknown[] {
  const { channelId, channel, startedAtMs, durationMs, status, result } = attempt;
  const { credentialId, credential, node, model, said } = attempt;
  const stored: unknown[] = [channelId, channel, startedAtMs, durationMs, status, result];
  // Written out because this runs for every call: what is undefined is left out of the JSON.
  if ((credentialId ?? credential ?? node ?? model ?? said) !== undefined) {
    const rare: Pick<Attempt, (typeof rareParts)[number]> = { credentialId, credential, node, model, said };
    stored.push(rare);
  }
  return stored;
}

const secondNames = secondUnits.map(countName);
const laterNames = laterUnits.map(countName);
/** The counts of a row, in the three places where they are. */
export const countNames = { first: firstUnits.map(countName), second: secondNames, later: laterNames };

function pushCounts(fields: unknown[], names: readonly CountName[], units: Units): void {
  for (const name of names) {
    const count = units[name];
    fields.push(exact(count));
  }
}

/**
 * Decodes the JSON of `encodeUsageRow`.
 * @throws TypeError when the value is not such a row, RangeError for a version that this program does not know
 */
export function decodeUsageRow(value: unknown): UsageRow {
  const fields = new Fields(value);
  const found = fields.integer();
  if (found < 1 || found > version) {
    throw new RangeError(`usage row of unknown version ${found}`);
  }
  const row = {
    requestId: fields.text() as RequestId,
    day: fields.text(),
    gatewayUserId: fields.bigint() as UsageRow["gatewayUserId"],
    apiKeyId: fields.bigint() as UsageRow["apiKeyId"],
    userBudgetId: fields.bigint() as UsageRow["userBudgetId"],
    keyBudgetId: fields.orNull(() => fields.bigint()) as UsageRow["keyBudgetId"],
    groupName: fields.text(),
    path: fields.text(),
    model: fields.orNull(() => fields.text()),
    channelId: fields.orNull(() => fields.bigint()) as UsageRow["channelId"],
    outcome: fields.oneOf(outcomes),
    httpStatus: fields.integer(),
    errorCode: fields.orNull(() => fields.text()),
    isStream: fields.boolean(),
    units: fields.counts(firstUnits),
    usageSource: fields.oneOf(usageSources),
    priceVersion: fields.orNull(() => fields.integer()),
    rateMultiplier: parseDecimal(fields.text()),
    quota: fields.bigint() as UsageRow["quota"],
    quotaHeld: fields.bigint() as UsageRow["quotaHeld"],
    attempts: fields.list(decodeAttempt),
    firstByteMs: fields.orNull(() => fields.integer()),
    durationMs: fields.integer(),
    startedAtMs: fields.integer(),
  };
  const isImplausible = found >= firstJudging && fields.boolean();
  const second = fields.counts(secondUnits.slice(0, Math.max(found - firstJudging, 0)));
  const cost = found >= firstCosting ? fields.orNull(() => fields.text()) : null;
  const cacheBasisPoints = found >= firstCached ? fields.orNull(() => fields.integer()) : null;
  const askedModel = found >= firstAsking ? fields.orNull(() => fields.text()) : null;
  const sharedBudgetIds = found >= firstShared ? toIds(fields.orNull(() => fields.text())) : none;
  const endUser = found >= firstLabelled ? fields.orNull(() => fields.text()) : null;
  const tags = found >= firstLabelled ? toTags(fields.orNull(() => fields.text())) : noTags;
  const later = fields.counts(laterUnits.slice(0, Math.max(found - firstLabelled, 0)));
  const units = { ...noUnits, ...row.units, ...second, ...later };
  const providerCost = cost === null ? null : parseDecimal(cost);
  const labels = { endUser, tags };
  return { ...row, isImplausible, providerCost, cacheBasisPoints, askedModel, sharedBudgetIds, ...labels, units };
}

const none: readonly BudgetId[] = [];

/** The ids of an array as the database writes it. */
function toIds(literal: string | null): readonly BudgetId[] {
  if (literal === null) {
    return none;
  }
  if (!/^\{\d{1,19}(,\d{1,19})*\}$/.test(literal)) {
    throw new TypeError("the shared budgets of a usage row are not ids");
  }
  return literal
    .slice(1, -1)
    .split(",")
    .map((id) => BigInt(id) as BudgetId);
}

const noTags: readonly string[] = [];

/** The tags of an array as the database writes it; they have no characters that it escapes. */
function toTags(literal: string | null): readonly string[] {
  if (literal === null) {
    return noTags;
  }
  const tags = literal.slice(2, -2).split('","');
  if (!tags.every(isTag) || arrayLiteral(tags) !== literal) {
    throw new TypeError("the tags of a usage row are not tags");
  }
  return tags;
}

/** Earlier versions stored objects. */
function decodeAttempt(value: unknown): Attempt {
  if (typeof value !== "object" || value === null) {
    throw new TypeError("an attempt of a usage row is not an object");
  }
  const isList = Array.isArray(value);
  const attempt = ((isList ? value[namedParts.length] : value) ?? {}) as Partial<Record<keyof Attempt, unknown>>;
  const fields = new Fields(isList ? value : namedParts.map((part) => attempt[part]));
  return {
    channelId: fields.text(),
    channel: fields.text(),
    startedAtMs: fields.integer(),
    durationMs: fields.integer(),
    status: fields.orNull(() => fields.integer()),
    result: fields.text(),
    ...Object.fromEntries(
      rareParts.filter((part) => attempt[part] !== undefined).map((part) => [part, new Fields([attempt[part]]).text()]),
    ),
  };
}

/** Reads the fields of a row one after another and refuses those of an unexpected type. */
class Fields {
  readonly #values: readonly unknown[];
  #next = 0;

  constructor(values: unknown) {
    if (!Array.isArray(values)) {
      throw new TypeError("a usage row is not an array");
    }
    this.#values = values;
  }

  text(): string {
    const value = this.#take();
    return typeof value === "string" ? value : this.#refuse("text");
  }

  integer(): number {
    const value = this.#take();
    return typeof value === "number" && Number.isSafeInteger(value) ? value : this.#refuse("an integer");
  }

  bigint(): bigint {
    const value = this.#take();
    if (typeof value === "number" && Number.isSafeInteger(value)) {
      return BigInt(value);
    }
    return typeof value === "string" && /^-?\d{1,40}$/.test(value) ? BigInt(value) : this.#refuse("an integer");
  }

  counts(units: readonly CountedUnit[]): Partial<Units> {
    return Object.fromEntries(
      units.map((unit) => [
        countName(unit),
        unitMeasures[unit.measure].column === "bigint" ? toAmount(this.bigint()) : this.integer(),
      ]),
    );
  }

  boolean(): boolean {
    const value = this.#take();
    return typeof value === "boolean" ? value : this.#refuse("a boolean");
  }

  oneOf<Word extends string>(words: readonly Word[]): Word {
    const value = this.#take();
    return words.find((word) => word === value) ?? this.#refuse(`one of ${words.join(", ")}`);
  }

  list<Item>(decode: (value: unknown) => Item): Item[] {
    const value = this.#take();
    return Array.isArray(value) ? value.map(decode) : this.#refuse("a list");
  }

  orNull<Value>(read: () => Value): Value | null {
    if (this.#values[this.#next] === null) {
      this.#next += 1;
      return null;
    }
    return read();
  }

  #take(): unknown {
    const value = this.#values[this.#next];
    this.#next += 1;
    return value;
  }

  #refuse(expected: string): never {
    throw new TypeError(`field ${this.#next - 1} of a usage row is not ${expected}`);
  }
}
