import type { CountName, Units } from "../../models/units.ts";
import { arrayLiteral } from "../../platform/db-array-literal.ts";
import type { JsonBytes } from "../../platform/spool/json-bytes.ts";
import type { Attempt, UsageRow } from "./model.ts";
import { countNames, rareParts, version } from "./row-codec.ts";

/** Writes what `encodeUsageRow` returns as bytes, if all of it is plain: field by field, because it runs for every call. */
export function writeUsageRow(row: UsageRow, out: JsonBytes): void {
  writeParties(row, out);
  out.ascii(",");
  out.text(row.outcome);
  out.ascii(",");
  out.integer(row.httpStatus);
  out.ascii(",");
  out.textOrNull(row.errorCode);
  out.ascii(row.isStream ? ",true" : ",false");
  writeCounts(countNames.first, row.units, out);
  out.ascii(",");
  out.text(row.usageSource);
  out.ascii(",");
  out.integerOrNull(row.priceVersion);
  out.ascii(",");
  out.text(row.rateMultiplier);
  out.ascii(",");
  out.bigint(row.quota);
  out.ascii(",");
  out.bigint(row.quotaHeld);
  writeAttempts(row.attempts, out);
  out.integerOrNull(row.firstByteMs);
  out.ascii(",");
  out.integer(row.durationMs);
  out.ascii(",");
  out.integer(row.startedAtMs);
  out.ascii(row.isImplausible ? ",true" : ",false");
  writeCounts(countNames.second, row.units, out);
  writeRare(row, out);
  writeCounts(countNames.later, row.units, out);
  out.ascii("]");
}

const opening = `[${version},`;

/** Whose call it was, and where it went. */
function writeParties(row: UsageRow, out: JsonBytes): void {
  out.ascii(opening);
  out.text(row.requestId);
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
  out.text(row.groupName);
  out.ascii(",");
  out.text(row.path);
  out.ascii(",");
  out.textOrNull(row.model);
  out.ascii(",");
  out.bigintOrNull(row.channelId);
}

/** With a comma before each. */
function writeCounts(names: readonly CountName[], units: Units, out: JsonBytes): void {
  for (const name of names) {
    out.ascii(",");
    out.amount(units[name]);
  }
}

function writeAttempts(attempts: readonly Attempt[], out: JsonBytes): void {
  let before = ",[[";
  for (const attempt of attempts) {
    out.ascii(before);
    before = ",[";
    out.text(attempt.channelId);
    out.ascii(",");
    out.text(attempt.channel);
    out.ascii(",");
    out.integer(attempt.startedAtMs);
    out.ascii(",");
    out.integer(attempt.durationMs);
    out.ascii(",");
    out.integerOrNull(attempt.status);
    out.ascii(",");
    out.text(attempt.result);
    writeRareParts(attempt, out);
    out.ascii("]");
  }
  out.ascii(attempts.length === 0 ? ",[]," : "],");
}

/** What only some attempts have; most have one credential. */
function writeRareParts(attempt: Attempt, out: JsonBytes): void {
  let before = ',{"';
  for (const part of rareParts) {
    const value = attempt[part];
    if (value !== undefined) {
      out.ascii(before);
      before = ',"';
      out.ascii(part);
      out.ascii('":');
      out.text(value);
    }
  }
  out.ascii(before === ',"' ? "}" : "");
}

/** What most rows have nothing of. */
function writeRare(row: UsageRow, out: JsonBytes): void {
  const { providerCost, cacheBasisPoints, askedModel, sharedBudgetIds, endUser, tags } = row;
  out.ascii(",");
  out.textOrNull(providerCost);
  out.ascii(",");
  out.integerOrNull(cacheBasisPoints);
  out.ascii(",");
  out.textOrNull(askedModel);
  out.ascii(",");
  out.textOrNull(sharedBudgetIds.length === 0 ? null : arrayLiteral(sharedBudgetIds));
  out.ascii(",");
  out.textOrNull(endUser);
  out.ascii(",");
  out.textOrNull(tags.length === 0 ? null : arrayLiteral(tags));
}
