import { countedUnits } from "@sluice/contracts/priced-units";
import { countName } from "../../models/units.ts";
import { arrayLiteral } from "../../platform/db-array-literal.ts";
import type { JsonBytes } from "../../platform/spool/json-bytes.ts";
import { recordPlaces, recordVersion, unkeptPerReplacement } from "./call-record.ts";
import type { Attempt, UsageRow } from "./model.ts";
import { rareParts, toStoredAttempt } from "./row-codec.ts";

/** Kept beginnings are found by the last bits of the key's id. */
const placesCount = 1_024;
/** Of so many models, channels and endings a key has the beginnings kept. */
const beginningsPerPlaceMax = 4;
const attemptsMax = 32;
const printable = /^[ -~]*$/;

/** The beginning of a record, which others of the same key have too. */
type Beginning = { readonly row: UsageRow; readonly attempt: Attempt; readonly bytes: Buffer };

let unkept = 0;
const kept: Beginning[][] = Array.from({ length: placesCount }, () => []);
/** The last of a beginning, which other keys have too. */
const keptAttempts: Pick<Beginning, "attempt" | "bytes">[] = [];

/**
 * Writes the record of a call, without its end, which is for its trace. It is called for every call.
 * @returns false for a call that records have no fields for; what was written of it has to be cut off
 */
export function writeCallRecord(row: UsageRow, out: JsonBytes): boolean {
  const [attempt] = row.attempts;
  if (attempt === undefined || !isOrdinary(row, attempt)) {
    return false;
  }
  if (!writeBeginning(row, attempt, out)) {
    return false;
  }
  const { units } = row;
  out.text(row.requestId);
  out.ascii(",");
  out.integer(row.startedAtMs);
  out.ascii(",");
  out.integer(row.durationMs);
  out.ascii(",");
  out.integerOrNull(row.firstByteMs);
  out.ascii(",");
  out.integer(attempt.startedAtMs);
  out.ascii(",");
  out.integer(attempt.durationMs);
  out.ascii(",");
  out.bigint(row.quota);
  out.ascii(",");
  out.bigint(row.quotaHeld);
  out.ascii(",");
  out.textOrNull(row.providerCost);
  out.ascii(",");
  out.bigint(units.inputTokens);
  out.ascii(",");
  out.bigint(units.outputTokens);
  out.ascii(",");
  out.bigint(units.cacheReadTokens);
  out.ascii(",");
  out.bigint(units.cacheWriteTokens);
  out.ascii(",");
  out.bigint(units.reasoningTokens);
  return out.isPlain;
}

/** The counts that records have no fields for. */
const otherCounts = countedUnits.filter(({ count }) => !(count in recordPlaces)).map(countName);

/** Whether a record has fields for all that is to be said of the call. */
function isOrdinary({ attempts, units, askedModel, endUser, tags }: UsageRow, { said }: Attempt): boolean {
  if (attempts.length > 1 || said !== undefined || askedModel !== null || endUser !== null || tags.length > 0) {
    return false;
  }
  for (const name of otherCounts) {
    if (units[name]) {
      return false;
    }
  }
  return true;
}

/** Writes all that calls have in common, with a comma at the end. @returns false if not all of it is plain */
function writeBeginning(row: UsageRow, attempt: Attempt, out: JsonBytes): boolean {
  const near = kept[Number(row.apiKeyId) & (placesCount - 1)] as Beginning[];
  for (const beginning of near) {
    if (
      isSameCustomer(row, beginning.row) &&
      isSameEnd(row, beginning.row) &&
      isSameAttempt(attempt, beginning.attempt)
    ) {
      out.add(beginning.bytes);
      return true;
    }
  }
  const from = out.length;
  writeCustomer(row, out);
  writeEnd(row, out);
  const attemptBytes = encodeAttempt(attempt);
  if (attemptBytes === null || !out.isPlain) {
    return false;
  }
  out.add(attemptBytes);
  unkept += 1;
  if (near.length < beginningsPerPlaceMax || unkept % unkeptPerReplacement === 0) {
    near.unshift({ row, attempt, bytes: out.copyFrom(from) });
    near.length = Math.min(near.length, beginningsPerPlaceMax);
  }
  return true;
}

/** Up to its model. */
function writeCustomer(row: UsageRow, out: JsonBytes): void {
  out.integer(recordVersion);
  out.ascii(",");
  out.text(row.day);
  out.ascii(",");
  out.bigint(row.gatewayUserId);
  out.ascii(",");
  out.bigint(row.apiKeyId);
  out.ascii(",");
  out.bigint(row.userBudgetId);
  out.ascii(",");
  out.bigintOrNull(row.keyBudgetId);
  out.ascii(",");
  out.textOrNull(row.sharedBudgetIds.length === 0 ? null : arrayLiteral(row.sharedBudgetIds));
  out.ascii(",");
  out.text(row.groupName);
  out.ascii(",");
  out.text(row.path);
  out.ascii(",");
  out.textOrNull(row.model);
}

/** From its channel to its attempt, with a comma before each field and after the last. */
function writeEnd(row: UsageRow, out: JsonBytes): void {
  out.ascii(",");
  out.bigintOrNull(row.channelId);
  out.ascii(",");
  out.text(row.outcome);
  out.ascii(",");
  out.integer(row.httpStatus);
  out.ascii(",");
  out.textOrNull(row.errorCode);
  out.ascii(row.isStream ? ",true," : ",false,");
  out.text(row.usageSource);
  out.ascii(row.isImplausible ? ",true," : ",false,");
  out.integerOrNull(row.priceVersion);
  out.ascii(",");
  out.text(row.rateMultiplier);
  out.ascii(",");
  out.integerOrNull(row.cacheBasisPoints);
  out.ascii(",");
}

/** Both parts of an attempt around its times, with a comma at the end; null if they are not fit for a record. */
function encodeAttempt(attempt: Attempt): Buffer | null {
  const known = keptAttempts.find((each) => isSameAttempt(attempt, each.attempt));
  if (known !== undefined) {
    return known.bytes;
  }
  const [channelId, channel, , , ...rest] = toStoredAttempt(attempt);
  const start = `[${JSON.stringify([channelId, channel]).slice(0, -1)},`;
  const end = `,${JSON.stringify(rest).slice(1)}]`;
  const json = `${JSON.stringify(start)},${JSON.stringify(end)},`;
  if (!printable.test(json) || json.includes("\\u")) {
    return null;
  }
  const bytes = Buffer.from(json, "latin1");
  keptAttempts.unshift({ attempt, bytes });
  keptAttempts.length = Math.min(keptAttempts.length, attemptsMax);
  return bytes;
}

function isSameCustomer(row: UsageRow, other: UsageRow): boolean {
  return (
    row.apiKeyId === other.apiKeyId &&
    row.day === other.day &&
    row.gatewayUserId === other.gatewayUserId &&
    row.userBudgetId === other.userBudgetId &&
    row.keyBudgetId === other.keyBudgetId &&
    (row.sharedBudgetIds === other.sharedBudgetIds || isSameList(row.sharedBudgetIds, other.sharedBudgetIds)) &&
    row.groupName === other.groupName &&
    row.rateMultiplier === other.rateMultiplier
  );
}

function isSameEnd(row: UsageRow, other: UsageRow): boolean {
  return (
    row.path === other.path &&
    row.model === other.model &&
    row.channelId === other.channelId &&
    row.outcome === other.outcome &&
    row.httpStatus === other.httpStatus &&
    row.errorCode === other.errorCode &&
    row.isStream === other.isStream &&
    row.usageSource === other.usageSource &&
    row.isImplausible === other.isImplausible &&
    row.priceVersion === other.priceVersion &&
    row.cacheBasisPoints === other.cacheBasisPoints
  );
}

/** Its times are not compared. */
function isSameAttempt(attempt: Attempt, other: Attempt): boolean {
  for (const part of rareParts) {
    if (attempt[part] !== other[part]) {
      return false;
    }
  }
  return (
    attempt.channelId === other.channelId &&
    attempt.channel === other.channel &&
    attempt.status === other.status &&
    attempt.result === other.result
  );
}

function isSameList(ids: readonly bigint[], others: readonly bigint[]): boolean {
  return ids.length === others.length && ids.every((id, index) => id === others[index]);
}
