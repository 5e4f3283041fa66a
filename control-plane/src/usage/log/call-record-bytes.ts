import { countedUnits } from "@sluice/contracts/priced-units";
import { countName } from "../../models/units.ts";
import { arrayLiteral } from "../../platform/db-array-literal.ts";
import type { JsonBytes } from "../../platform/spool/json-bytes.ts";
import { recordPlaces, recordVersion } from "./call-record.ts";
import type { Attempt, UsageRow } from "./model.ts";
import { exact, exactOrNull, rareParts, toStoredAttempt } from "./row-codec.ts";

/** Kept beginnings are found by the last bits of the key's id. */
const placesCount = 256;
/** Of so many models, channels and endings a key has the beginnings kept. */
const beginningsPerPlaceMax = 4;
const printable = /^[ -~]*$/;

/** The beginning of a record, which others of the same key have too. */
type Beginning = { readonly row: UsageRow; readonly attempt: Attempt; readonly bytes: Buffer };

const kept: Beginning[][] = Array.from({ length: placesCount }, () => []);

/**
 * Writes the record of a call, without its end, which is for its trace. It is called for every call.
 * @returns false for a call that records have no fields for; what was written of it has to be cut off
 */
export function writeCallRecord(row: UsageRow, out: JsonBytes): boolean {
  const [attempt] = row.attempts;
  if (attempt === undefined || !isOrdinary(row, attempt)) {
    return false;
  }
  const bytes = beginningOf(row, attempt);
  if (bytes === null) {
    return false;
  }
  const { units } = row;
  out.add(bytes);
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

/** The bytes of all that calls have in common, with a comma at the end; null if they are not fit for a record. */
function beginningOf(row: UsageRow, attempt: Attempt): Buffer | null {
  const near = kept[Number(row.apiKeyId) & (placesCount - 1)] as Beginning[];
  for (const beginning of near) {
    if (
      isSameCustomer(row, beginning.row) &&
      isSameEnd(row, beginning.row) &&
      isSameAttempt(attempt, beginning.attempt)
    ) {
      return beginning.bytes;
    }
  }
  const json = encodeBeginning(row, attempt);
  if (!printable.test(json) || json.includes("\\u")) {
    return null;
  }
  const bytes = Buffer.from(`${json.slice(1, -1)},`, "latin1");
  near.unshift({ row, attempt, bytes });
  near.length = Math.min(near.length, beginningsPerPlaceMax);
  return bytes;
}

function encodeBeginning(row: UsageRow, attempt: Attempt): string {
  const [channelId, channel, , , ...rest] = toStoredAttempt(attempt);
  const attemptStart = `[${JSON.stringify([channelId, channel]).slice(0, -1)},`;
  const attemptEnd = `,${JSON.stringify(rest).slice(1)}]`;
  return JSON.stringify([
    recordVersion,
    row.day,
    exact(row.gatewayUserId),
    exact(row.apiKeyId),
    exact(row.userBudgetId),
    exactOrNull(row.keyBudgetId),
    row.sharedBudgetIds.length === 0 ? null : arrayLiteral(row.sharedBudgetIds),
    row.groupName,
    row.path,
    row.model,
    exactOrNull(row.channelId),
    row.outcome,
    row.httpStatus,
    row.errorCode,
    row.isStream,
    row.usageSource,
    row.isImplausible,
    row.priceVersion,
    row.rateMultiplier,
    row.cacheBasisPoints,
    attemptStart,
    attemptEnd,
  ]);
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
