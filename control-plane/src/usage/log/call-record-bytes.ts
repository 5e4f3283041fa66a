import { arrayLiteral } from "../../platform/db-array-literal.ts";
import { recordedPathLengthMax } from "../../platform/request-target.ts";
import type { JsonBytes } from "../../platform/spool/json-bytes.ts";
import { recordVersion, unkeptPerReplacement } from "./call-record.ts";
import type { Attempt, RecordedCall } from "./model.ts";
import { toStoredAttempt } from "./row-codec.ts";

/** Of so many models, channels and endings a key has the beginnings kept. */
const beginningsMax = 4;
const attemptsMax = 32;
const printable = /^[ -~]*$/;

/** The beginning of a record, which others of the same key have too. */
type Beginning = {
  readonly day: string;
  readonly path: string;
  readonly state: Pick<RecordedCall["state"], "model" | "channelId" | "isStream">;
  readonly end: RecordedCall["end"];
  readonly attempt: Attempt;
  readonly bytes: Buffer;
};

let unkept = 0;
/** By key, that is by the object that its calls have in common. */
const kept = new WeakMap<RecordedCall["state"]["principal"], Beginning[]>();
/** The last of a beginning, which other keys have too. */
const keptAttempts: Pick<Beginning, "attempt" | "bytes">[] = [];

/**
 * Writes the record of a call, without its end, which is for its trace. It is called for every call.
 * @returns false for a call that records have no fields for; what was written of it has to be cut off
 */
export function writeCallRecord(call: RecordedCall, out: JsonBytes): boolean {
  const { state, end } = call;
  const attempt = state.attempts[0];
  if (attempt === undefined || !isOrdinary(call, attempt) || !writeBeginning(call, attempt, out)) {
    return false;
  }
  const { units } = end;
  out.word(state.call.requestId);
  out.comma();
  out.integer(state.call.startedAtMs);
  out.comma();
  out.integer(call.durationMs);
  out.comma();
  out.integerOrNull(state.firstByteMs);
  out.comma();
  out.integer(attempt.startedAtMs);
  out.comma();
  out.integer(attempt.durationMs);
  out.comma();
  out.amount(call.quota);
  out.comma();
  out.amount(state.hold.userAmount);
  out.comma();
  out.textOrNull(end.providerCost ?? null);
  out.comma();
  out.amount(units.inputTokens);
  out.comma();
  out.amount(units.outputTokens);
  out.comma();
  out.amount(units.cacheReadTokens);
  out.comma();
  out.amount(units.cacheWriteTokens);
  out.comma();
  out.amount(units.reasoningTokens);
  return out.isPlain;
}

/** Whether a record has fields for all that is to be said of the call. */
function isOrdinary({ state, end }: RecordedCall, { said }: Attempt): boolean {
  const { units } = end;
  return !(
    state.attempts.length > 1 ||
    said !== undefined ||
    state.askedModel !== null ||
    isLabelled(state.labels) ||
    state.call.path.length > recordedPathLengthMax ||
    // The counts that records have no fields for, written out because this runs for every call.
    units.images ||
    units.audioMs ||
    units.cacheWrite1hTokens ||
    units.searches
  );
}

const isLabelled = (labels: RecordedCall["state"]["labels"]): boolean =>
  labels !== null && (labels.endUser !== null || labels.tags.length > 0);

/** Writes all that calls have in common, with a comma at the end. @returns false if not all of it is plain */
function writeBeginning(call: RecordedCall, attempt: Attempt, out: JsonBytes): boolean {
  const { principal } = call.state;
  const known = kept.get(principal);
  if (known !== undefined) {
    for (const beginning of known) {
      if (beginsAlike(call, attempt, beginning)) {
        out.add(beginning.bytes);
        return true;
      }
    }
  }
  const from = out.length;
  writeCustomer(call, out);
  writeEnd(call, out);
  const attemptBytes = encodeAttempt(attempt);
  if (attemptBytes === null || !out.isPlain) {
    return false;
  }
  out.add(attemptBytes);
  unkept += 1;
  if (known === undefined) {
    kept.set(principal, [toBeginning(call, attempt, out.copyFrom(from))]);
  } else if (known.length < beginningsMax || unkept % unkeptPerReplacement === 0) {
    known.unshift(toBeginning(call, attempt, out.copyFrom(from)));
    known.length = Math.min(known.length, beginningsMax);
  }
  return true;
}

function toBeginning({ day, state, end }: RecordedCall, attempt: Attempt, bytes: Buffer): Beginning {
  const { call, model, channelId, isStream } = state;
  return { day, path: call.path, state: { model, channelId, isStream }, end, attempt, bytes };
}

/** Up to its model. */
function writeCustomer({ day, state }: RecordedCall, out: JsonBytes): void {
  const { principal, call, model } = state;
  out.integer(recordVersion);
  out.comma();
  out.text(day);
  out.comma();
  out.bigint(principal.gatewayUserId);
  out.comma();
  out.bigint(principal.apiKeyId);
  out.comma();
  out.bigint(principal.userBudgetId);
  out.comma();
  out.bigintOrNull(principal.keyBudgetId);
  out.comma();
  out.textOrNull(principal.sharedBudgetIds.length === 0 ? null : arrayLiteral(principal.sharedBudgetIds));
  out.comma();
  out.text(principal.groupName);
  out.comma();
  out.text(call.path);
  out.comma();
  out.text(model.name);
}

/** From its channel to its attempt, with a comma before each field and after the last. */
function writeEnd({ state, end }: RecordedCall, out: JsonBytes): void {
  out.comma();
  out.bigintOrNull(state.channelId);
  out.comma();
  out.text(end.outcome);
  out.comma();
  out.integer(end.httpStatus);
  out.comma();
  out.textOrNull(end.errorCode);
  out.ascii(state.isStream ? ",true," : ",false,");
  out.text(end.usageSource);
  out.ascii(end.isImplausible === true ? ",true," : ",false,");
  out.integer(state.model.price.version);
  out.comma();
  out.text(state.principal.rateMultiplier);
  out.comma();
  out.integerOrNull(end.cacheBasisPoints ?? null);
  out.comma();
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

/** For calls of one key. */
function beginsAlike({ day, state, end }: RecordedCall, attempt: Attempt, other: Beginning): boolean {
  return (
    state.model === other.state.model &&
    state.channelId === other.state.channelId &&
    state.isStream === other.state.isStream &&
    day === other.day &&
    state.call.path === other.path &&
    endsAlike(end, other.end) &&
    isSameAttempt(attempt, other.attempt)
  );
}

function endsAlike(end: RecordedCall["end"], other: RecordedCall["end"]): boolean {
  return (
    end.outcome === other.outcome &&
    end.httpStatus === other.httpStatus &&
    end.errorCode === other.errorCode &&
    end.usageSource === other.usageSource &&
    end.isImplausible === other.isImplausible &&
    end.cacheBasisPoints === other.cacheBasisPoints
  );
}

/** Its times are not compared. What only some have is written out because this runs for every call. */
function isSameAttempt(attempt: Attempt, other: Attempt): boolean {
  return (
    attempt.channelId === other.channelId &&
    attempt.channel === other.channel &&
    attempt.status === other.status &&
    attempt.result === other.result &&
    attempt.credentialId === other.credentialId &&
    attempt.credential === other.credential &&
    attempt.node === other.node &&
    attempt.model === other.model &&
    attempt.said === other.said
  );
}
