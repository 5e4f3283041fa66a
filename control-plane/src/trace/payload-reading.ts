import type { RequestId } from "@sluice/contracts/ids";
import { countVisible } from "@sluice/contracts/readable-text";
import { type BodyView, reasonLengthMin } from "@sluice/contracts/traces";
import { audit, byAdmin } from "../admin/audit/service.ts";
import type { Clock } from "../platform/clock.ts";
import type { MasterKey } from "../platform/crypto/master-key.ts";
import { SealError } from "../platform/crypto/seal-errors.ts";
import type { Database } from "../platform/db.ts";
import { AppError, notFound } from "../platform/errors.ts";
import type { Log } from "../platform/log.ts";
import { daysOfRequest } from "../platform/request-days.ts";
import { insertAccess, type PayloadAccess, type WrittenAccess } from "./access-store.ts";
import { type CallPlace, type OpenedPayload, payloadCutoff, type TraceRules } from "./model.ts";
import { openStoredPayload } from "./open-stored-payload.ts";
import { DayKeyDestroyedError, PayloadKeys } from "./payload-keys.ts";
import { findStoredBodies, findTrace, type StoredBodies } from "./search-store.ts";
import { visibleText } from "./visible-text.ts";

export type PayloadReadingDeps = {
  readonly db: Database;
  readonly masterKey: MasterKey;
  readonly clock: Clock;
  readonly log: Log;
  readonly rules: () => TraceRules;
};

/** The person who wants to read, and the request. */
export type PayloadReader = {
  readonly adminId: bigint;
  readonly username: string;
  readonly requestId: string;
  readonly ip: string;
};

/** The decrypted bodies of one call, and the record of this access. */
export type ShownPayload = {
  readonly request: BodyView | null;
  readonly response: BodyView;
  readonly access: WrittenAccess;
};

type PayloadRequest = {
  readonly request_id: string;
  readonly day?: string | undefined;
  readonly reason?: string | undefined;
};
type Found = { readonly place: CallPlace; readonly gatewayUserId: bigint; readonly bodies: StoredBodies };

const reasonBytesMax = 4_000;

/**
 * Shows the bodies of one call to a super-admin. This is the only place where decrypted bodies leave the service. The
 * access is committed before anything is decrypted; if it can't be, nothing is shown.
 */
export class PayloadReading {
  readonly #deps: PayloadReadingDeps;
  readonly #keys: PayloadKeys;

  constructor(deps: PayloadReadingDeps) {
    this.#deps = deps;
    this.#keys = new PayloadKeys(deps);
  }

  /**
   * @throws AppError `reason_required`, `not_found`, `payload_not_stored`, `payload_expired`,
   *   `too_many_attempts`, `audit_unavailable`, `decrypt_failed`
   */
  async read(request: PayloadRequest, reader: PayloadReader): Promise<ShownPayload> {
    const reason = visibleText((request.reason ?? "").trim(), reasonBytesMax);
    if (countVisible(request.reason ?? "") < reasonLengthMin) {
      throw new AppError("reason_required", {
        fields: { reason: `Write at least ${reasonLengthMin} characters: the reason is stored with your name.` },
      });
    }
    const { rules, log } = this.#deps;
    const found = await this.#find(request);
    const access = await this.#record(
      {
        ...found.place,
        adminId: reader.adminId,
        adminName: reader.username,
        gatewayUserId: found.gatewayUserId,
        reason,
        ip: reader.ip,
        askedBy: reader.requestId,
      },
      rules().readsPerHour,
    );
    // Logs are stored outside the database, so they show the last link of a chain that was cut short there.
    log.info("trace.payload_read", {
      link: access.number,
      hash: access.hash,
      admin: reader.username,
      requestId: found.place.requestId,
    });
    const opened = await this.#open(found.place);
    return { ...toBodies(opened, found.bodies), access };
  }

  async #find({ request_id: requestId, day }: PayloadRequest): Promise<Found> {
    const { db, rules, clock } = this.#deps;
    const days = day === undefined ? daysOfRequest(requestId) : [day];
    const trace = await findTrace(db, { requestId, days }, payloadCutoff(rules(), clock.now()));
    if (trace === null) {
      throw notFound("call");
    }
    if (trace.payload === "expired") {
      throw new AppError("payload_expired");
    }
    const place = { day: trace.day, requestId };
    const bodies = trace.payload === "stored" ? await findStoredBodies(db, place) : null;
    if (bodies === null || trace.gateway_user_id === null) {
      throw new AppError("payload_not_stored");
    }
    return { place, gatewayUserId: trace.gateway_user_id, bodies };
  }

  async #record(access: PayloadAccess, readsPerHour: number): Promise<WrittenAccess> {
    const written = await this.#write(access, readsPerHour);
    if ("waitSeconds" in written) {
      throw new AppError("too_many_attempts", {
        message: `An admin can read at most ${readsPerHour} payloads per hour.`,
        retryAfterSeconds: written.waitSeconds,
      });
    }
    return written;
  }

  async #write(access: PayloadAccess, readsPerHour: number): ReturnType<typeof insertAccess> {
    try {
      return await this.#deps.db.withTransaction(async (tx) => {
        const link = await insertAccess(tx, access, readsPerHour);
        if ("number" in link) {
          await audit(
            tx,
            byAdmin(
              { adminId: access.adminId, username: access.adminName },
              { requestId: access.askedBy, ip: access.ip },
            ),
            "trace.payload_read",
            {
              subjectKind: "trace",
              subjectId: access.requestId,
              after: { number: link.number, hash: link.hash, day: access.day },
              reason: access.reason,
            },
          );
        }
        return link;
      });
    } catch (error) {
      // This also happens when only the response to the COMMIT was lost: then the record is of a payload that was not
      // shown.
      throw new AppError("audit_unavailable", { cause: error, retryAfterSeconds: 2 });
    }
  }

  async #open(place: CallPlace): Promise<OpenedPayload> {
    const { db, log } = this.#deps;
    try {
      const opened = await openStoredPayload(db, this.#keys, place.day, place.requestId as RequestId);
      if (opened === null) {
        throw new AppError("payload_expired");
      }
      return opened;
    } catch (error) {
      if (error instanceof DayKeyDestroyedError) {
        throw new AppError("payload_expired", { cause: error });
      }
      if (error instanceof SealError) {
        log.error("trace.payload_broken", { day: place.day, requestId: place.requestId, error });
        throw new AppError("decrypt_failed", { cause: error });
      }
      throw error;
    }
  }
}

function toBodies(opened: OpenedPayload, bodies: StoredBodies): Pick<ShownPayload, "request" | "response"> {
  const request = { bytes: bodies.request_bytes, is_truncated: opened.isRequestTruncated };
  const response = { bytes: bodies.response_bytes, is_truncated: opened.isResponseTruncated };
  return {
    request: opened.request === null ? null : { ...toContent(opened.request, request.is_truncated), ...request },
    response: { ...toContent(opened.response, response.is_truncated), ...response },
  };
}

/** The content as text if it is text, without an incomplete last character of a truncated body. */
function toContent(bytes: Uint8Array, isTruncated: boolean): { encoding: "text" | "base64"; content: string } {
  try {
    const decoder = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });
    return { encoding: "text", content: decoder.decode(bytes, { stream: isTruncated }) };
  } catch {
    return { encoding: "base64", content: Buffer.from(bytes).toString("base64") };
  }
}
