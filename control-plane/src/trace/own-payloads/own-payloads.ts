import type { GatewayUserId, UserId } from "@sluice/contracts/ids";
import type { OwnReadingSaveInput, OwnReadingView } from "@sluice/contracts/own-payloads";
import type { AuditOrigin } from "../../admin/audit/model.ts";
import { audit } from "../../admin/audit/service.ts";
import type { Clock } from "../../platform/clock.ts";
import type { Database } from "../../platform/db.ts";
import { AppError, notFound } from "../../platform/errors.ts";
import { daysOfRequest } from "../../platform/request-days.ts";
import type { OwnReadingRules, TraceRules } from "../model.ts";
import type { PayloadOpener, ShownBodies } from "../payload-opener.ts";
import { maskCredentials } from "./mask-credentials.ts";
import {
  deleteReading,
  findOwnCall,
  findReadBefore,
  findReading,
  insertOwnAccess,
  lockReading,
  type OwnPlace,
  type OwnReading,
  saveReading,
} from "./store.ts";

export type OwnPayloadsDeps = {
  readonly db: Database;
  readonly clock: Clock;
  readonly opener: PayloadOpener;
  /** Read on each use, because admins can change them. */
  readonly rules: () => TraceRules;
  readonly ownRules: () => OwnReadingRules;
};

/** The person who reads, and the request. */
export type OwnReader = {
  readonly userId: UserId;
  readonly tokenName: string | null;
  readonly requestId: string;
  readonly ip: string;
};

const hourMs = 3_600_000;

type CallNamed = { readonly request_id: string; readonly day?: string | undefined };

/** The bodies of a call without credentials, and the number of this access. */
export type OwnPayload = ShownBodies & { readonly access: { readonly number: bigint } };

/**
 * What users read of the bodies of their own calls, if the operator allows it and their account has switched it on: the bodies of
 * calls that began later, and never those of somebody else.
 */
export class OwnPayloads {
  readonly #deps: OwnPayloadsDeps;

  constructor(deps: OwnPayloadsDeps) {
    this.#deps = deps;
  }

  async readingOf(gatewayUserId: GatewayUserId): Promise<OwnReadingView> {
    const { db, rules, ownRules } = this.#deps;
    const { isAllowed, readsPerHour } = ownRules();
    const { payloadRetentionDays, metadataRetentionDays } = rules();
    const found = await findReading(db, gatewayUserId);
    return {
      is_allowed: isAllowed,
      since: found?.since ?? null,
      by_members: found?.byMembers === true,
      reads_per_hour: readsPerHour,
      kept_days: Math.min(payloadRetentionDays, metadataRetentionDays),
    };
  }

  /**
   * Switches reading on from now or off immediately, and says whether members read, too. Switching off is always possible.
   * @throws AppError `payload_reading_off` if the operator does not allow it
   */
  async save(gatewayUserId: GatewayUserId, input: OwnReadingSaveInput, origin: AuditOrigin): Promise<void> {
    const { db, ownRules } = this.#deps;
    if (input.is_on && !ownRules().isAllowed) {
      throw new AppError("payload_reading_off");
    }
    await db.withTransaction(async (tx) => {
      const before = toAudit(await lockReading(tx, gatewayUserId));
      if (input.is_on) {
        await saveReading(tx, gatewayUserId, input.by_members);
      } else {
        await deleteReading(tx, gatewayUserId);
      }
      const after = toAudit(await findReading(tx, gatewayUserId));
      if (before.isOn !== after.isOn || before.byMembers !== after.byMembers) {
        await audit(tx, origin, "own_payloads.save", {
          subjectKind: "gateway_user",
          subjectId: gatewayUserId.toString(),
          before,
          after,
        });
      }
    });
  }

  /**
   * The bodies of one call. The access is committed before anything is decrypted.
   * @throws AppError `not_found` for a call that does not exist or is somebody else's, `payload_reading_off`,
   *   `payload_too_early`, `payload_not_stored`, `payload_expired`, `too_many_attempts`, `audit_unavailable`, `decrypt_failed`
   */
  async read(own: OwnPlace, { request_id: requestId, day }: CallNamed, reader: OwnReader): Promise<OwnPayload> {
    const { db, opener, ownRules } = this.#deps;
    const days = day === undefined ? daysOfRequest(requestId) : [day];
    const call = await findOwnCall(db, own, { requestId, days });
    if (call === null) {
      throw notFound("call");
    }
    if (!ownRules().isAllowed) {
      throw new AppError("payload_reading_off");
    }
    checkReading(await findReading(db, own.gatewayUserId), own, call.startedAt);
    const stored = await opener.find(requestId, day);
    const number = await this.#record(own, call.startedAt, { ...reader, place: stored.place });
    const { request, response } = await opener.open(stored);
    return {
      request: request === null ? null : maskCredentials(request),
      response: maskCredentials(response),
      access: { number },
    };
  }

  async #record(
    own: OwnPlace,
    startedAt: Date,
    { userId, tokenName, requestId, ip, place }: OwnReader & { readonly place: { day: string; requestId: string } },
  ): Promise<bigint> {
    const { db, clock, ownRules } = this.#deps;
    const { readsPerHour } = ownRules();
    try {
      return await db.withTransaction(async (tx) => {
        checkReading(await lockReading(tx, own.gatewayUserId), own, startedAt);
        const made = { userId, gatewayUserId: own.gatewayUserId };
        const before = await findReadBefore(tx, made, readsPerHour);
        if (before !== null) {
          throw new AppError("too_many_attempts", {
            message: `You can read at most ${readsPerHour} payloads per hour.`,
            retryAfterSeconds: secondsUntil(before.getTime() + hourMs, clock.now()),
          });
        }
        return await insertOwnAccess(tx, { ...made, ...place, tokenName, ip, askedBy: requestId });
      });
    } catch (error) {
      if (error instanceof AppError) {
        throw error;
      }
      throw new AppError("audit_unavailable", { cause: error, retryAfterSeconds: 2 });
    }
  }
}

const toAudit = (reading: OwnReading | null) => ({ isOn: reading !== null, byMembers: reading?.byMembers === true });

/** @throws AppError `payload_reading_off`, `payload_too_early` */
function checkReading(reading: OwnReading | null, { onlyMemberId }: OwnPlace, startedAt: Date): void {
  if (reading === null || (onlyMemberId !== null && !reading.byMembers)) {
    throw new AppError("payload_reading_off");
  }
  if (startedAt < reading.since) {
    throw new AppError("payload_too_early");
  }
}

function secondsUntil(atMs: number, nowMs: number): number {
  return Math.max(1, Math.ceil((atMs - nowMs) / 1_000));
}
