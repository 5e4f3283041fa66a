import { countVisible } from "@sluice/contracts/readable-text";
import { reasonLengthMin } from "@sluice/contracts/traces";
import { audit, byAdmin } from "../admin/audit/service.ts";
import type { Database } from "../platform/db.ts";
import { AppError } from "../platform/errors.ts";
import type { Log } from "../platform/log.ts";
import { insertAccess, type PayloadAccess, type WrittenAccess } from "./access-store.ts";
import type { TraceRules } from "./model.ts";
import type { PayloadOpener, ShownBodies } from "./payload-opener.ts";
import { visibleText } from "./visible-text.ts";

export type PayloadReadingDeps = {
  readonly db: Database;
  readonly log: Log;
  readonly rules: () => TraceRules;
  readonly opener: PayloadOpener;
};

/** The person who wants to read, and the request. */
export type PayloadReader = {
  readonly adminId: bigint;
  readonly username: string;
  readonly requestId: string;
  readonly ip: string;
};

/** The decrypted bodies of one call, and the record of this access. */
export type ShownPayload = ShownBodies & { readonly access: WrittenAccess };

type PayloadRequest = {
  readonly request_id: string;
  readonly day?: string | undefined;
  readonly reason?: string | undefined;
};

const reasonBytesMax = 4_000;

/**
 * Shows the bodies of one call to a super-admin. The access is committed before anything is decrypted; if it can't be,
 * nothing is shown.
 */
export class PayloadReading {
  readonly #deps: PayloadReadingDeps;

  constructor(deps: PayloadReadingDeps) {
    this.#deps = deps;
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
    const { rules, log, opener } = this.#deps;
    const found = await opener.find(request.request_id, request.day);
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
    return { ...(await opener.open(found)), access };
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
}
