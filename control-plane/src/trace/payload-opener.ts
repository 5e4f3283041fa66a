import type { RequestId } from "@sluice/contracts/ids";
import type { BodyView, TraceView } from "@sluice/contracts/traces";
import type { Clock } from "../platform/clock.ts";
import type { MasterKey } from "../platform/crypto/master-key.ts";
import { SealError } from "../platform/crypto/seal-errors.ts";
import type { Database } from "../platform/db.ts";
import { AppError, notFound } from "../platform/errors.ts";
import type { Log } from "../platform/log.ts";
import { daysOfRequest } from "../platform/request-days.ts";
import { type CallPlace, type OpenedPayload, payloadCutoff, type TraceRules } from "./model.ts";
import { openStoredPayload } from "./open-stored-payload.ts";
import { DayKeyDestroyedError, PayloadKeys } from "./payload-keys.ts";
import { findTrace } from "./search-store.ts";
import { findStoredBodies, type StoredBodies } from "./store.ts";

export type PayloadOpenerDeps = {
  readonly db: Database;
  readonly masterKey: MasterKey;
  readonly clock: Clock;
  readonly log: Log;
  readonly rules: () => TraceRules;
};

/** A call whose bodies are stored. */
export type StoredCall = {
  readonly place: CallPlace;
  readonly gatewayUserId: bigint;
  readonly bodies: StoredBodies;
};

/** The decrypted bodies of one call. */
export type ShownBodies = { readonly request: BodyView | null; readonly response: BodyView };

/**
 * The only place where decrypted bodies leave the service. Those who open a payload have judged before whether it may be
 * read, and committed the record of the access.
 */
export class PayloadOpener {
  readonly #deps: PayloadOpenerDeps;
  readonly #keys: PayloadKeys;

  constructor(deps: PayloadOpenerDeps) {
    this.#deps = deps;
    this.#keys = new PayloadKeys(deps);
  }

  /**
   * Finds a call whose bodies are stored.
   * @param day in UTC; without it, the request id says which days to search
   * @throws AppError `not_found`, `payload_not_stored`, `payload_expired`
   */
  async find(requestId: string, day: string | undefined): Promise<StoredCall> {
    const { db, rules, clock } = this.#deps;
    const days = day === undefined ? daysOfRequest(requestId) : [day];
    const trace = await findTrace(db, { requestId, days }, payloadCutoff(rules(), clock.now()));
    if (trace === null) {
      throw notFound("call");
    }
    return await this.#stored(trace);
  }

  async #stored(trace: TraceView): Promise<StoredCall> {
    if (trace.payload === "expired") {
      throw new AppError("payload_expired");
    }
    const place = { day: trace.day, requestId: trace.request_id };
    const bodies = trace.payload === "stored" ? await findStoredBodies(this.#deps.db, place) : null;
    if (bodies === null || trace.gateway_user_id === null) {
      throw new AppError("payload_not_stored");
    }
    return { place, gatewayUserId: trace.gateway_user_id, bodies };
  }

  /** Decrypts the bodies of a call. @throws AppError `payload_expired`, `decrypt_failed` */
  async open({ place, bodies }: StoredCall): Promise<ShownBodies> {
    return toBodies(await this.#decrypt(place), bodies);
  }

  async #decrypt(place: CallPlace): Promise<OpenedPayload> {
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

function toBodies(opened: OpenedPayload, bodies: StoredBodies): ShownBodies {
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
