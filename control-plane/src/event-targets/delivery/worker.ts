import { eventDaysKept } from "@sluice/contracts/event-types";
import type { HttpClient } from "@sluice/http-client/model";
import { HttpClientError } from "@sluice/http-client/model";
import type { MailQueue } from "../../mail/model.ts";
import type { MasterKey } from "../../platform/crypto/master-key.ts";
import type { Database, Transaction } from "../../platform/db.ts";
import { inRounds } from "../../platform/in-rounds.ts";
import type { Log } from "../../platform/log.ts";
import { WorkLanes } from "../../platform/work-lanes.ts";
import { openAccess, sealAccess, secretsOf, shownPlace, type TargetAccess } from "../access.ts";
import {
  type Attempt,
  type ClaimedDelivery,
  claimDelivery,
  deleteOldEvents,
  failTarget,
  freeTarget,
  holdTarget,
  markDelivery,
  moveTarget,
} from "./delivery-store.ts";
import { judgeResponse, unanswered, type Verdict } from "./judge-response.ts";
import { type MailReport, mailEvent, mailTargetFailed } from "./mail-reports.ts";
import { failingMsMax, pauseAfterMs, waitAfterMs } from "./retry-times.ts";
import { reasonOf, sendMessage } from "./send-message.ts";
import { writeMessage } from "./write-message.ts";

export type DeliveryWorkerDeps = MailReport & {
  readonly db: Database;
  readonly masterKey: MasterKey;
  readonly log: Log;
  readonly mails: MailQueue;
  /** For addresses of customers, and for those of operators. */
  readonly clients: { readonly customers: HttpClient; readonly operators: HttpClient };
  readonly service: () => string;
  /** The most deliveries that this process has under way. */
  readonly concurrency?: number;
  readonly random?: () => number;
};

const concurrencyDefault = 24;
/** A process that has held a delivery for this long is considered dead; an attempt times out well before. */
const leaseSeconds = 60;
const responseShownMax = 1_000;
const deleteRounds = { atOnceMax: 1_000, roundsMax: 50 };

type Result = { readonly attempt: Attempt; readonly verdict: Verdict; readonly access: TargetAccess | null };

/**
 * Delivers events. Any number of processes may do so: a target is called by one at a time, outside any transaction, and
 * the result recorded afterwards, so that a message may arrive twice, under the same id, but is not lost.
 */
export class DeliveryWorker {
  readonly #deps: DeliveryWorkerDeps;
  readonly #lanes: WorkLanes;

  constructor(deps: DeliveryWorkerDeps) {
    this.#deps = deps;
    this.#lanes = new WorkLanes({
      lanesMax: deps.concurrency ?? concurrencyDefault,
      doNext: (more) => this.#deliverNext(more),
      // What was under way is due again when its lease ends; then the job finds it.
      onError: (error) => deps.log.warn("events.delivery_failed", { error }),
    });
  }

  /** Looks for deliveries that are due. */
  wake(): void {
    this.#lanes.wake();
  }

  /** Delivers until nothing is due. */
  async runDue(): Promise<void> {
    await this.#lanes.runDue();
  }

  /** Claims nothing more, lets attempts finish, and aborts them after `timeoutMs`. */
  async stop(timeoutMs: number): Promise<void> {
    await this.#lanes.stop(timeoutMs);
    this.#deps.clients.customers.close();
    this.#deps.clients.operators.close();
  }

  /** Removes events that are too old to be looked up; returns how many there were. */
  async deleteOld(): Promise<number> {
    return await inRounds(deleteRounds, (atOnceMax) => deleteOldEvents(this.#deps.db, eventDaysKept, atOnceMax));
  }

  async #deliverNext(more: () => void): Promise<boolean> {
    const delivery = await claimDelivery(this.#deps.db, leaseSeconds);
    if (delivery === null) {
      return false;
    }
    more();
    await this.#write(delivery, await this.#attempt(delivery));
    return true;
  }

  async #attempt(delivery: ClaimedDelivery): Promise<Result> {
    const { masterKey, log } = this.#deps;
    const at = new Date();
    const startedTick = performance.now();
    let access: TargetAccess | null = null;
    let status: number | null = null;
    let text = "";
    let verdict: Verdict;
    try {
      access = openAccess(masterKey, delivery.target.sealName, delivery.target.accessSealed);
      if (access.kind === "mail") {
        verdict = { kind: "delivered" };
      } else {
        const received = await this.#post(delivery, access, at);
        ({ status, text } = received);
        verdict = judgeResponse(access.kind, received, Date.now());
      }
    } catch (error) {
      if (!(error instanceof HttpClientError)) {
        log.error("events.not_sent", {
          deliveryId: delivery.id,
          reason: error instanceof Error ? error.name : "unknown",
        });
      }
      verdict = unanswered(error instanceof HttpClientError ? reasonOf(error) : "it could not be composed");
    }
    const hide = hiding(access);
    const attempt: Attempt = {
      at,
      httpStatus: status,
      durationMs: Math.round(performance.now() - startedTick),
      error: verdict.kind === "delivered" ? null : hide(verdict.error),
      responseStart: hide(text).slice(0, responseShownMax).toWellFormed(),
    };
    return { attempt, verdict, access };
  }

  async #post(delivery: ClaimedDelivery, access: Exclude<TargetAccess, { readonly kind: "mail" }>, now: Date) {
    const { clients, service } = this.#deps;
    const { isOldSecretValid, gatewayUserId } = delivery.target;
    const message = writeMessage(access, delivery.event, { now, service: service(), isOldSecretValid });
    const client = gatewayUserId === null ? clients.operators : clients.customers;
    return await sendMessage(client, message, this.#lanes.cutOff);
  }

  async #write(delivery: ClaimedDelivery, result: Result): Promise<void> {
    const { db, log } = this.#deps;
    const { attempt, verdict } = result;
    const isHeld = await db.withTransaction(async (tx) => {
      if (!(await holdTarget(tx, delivery.target.id))) {
        return false;
      }
      if (verdict.kind === "delivered") {
        return await this.#recordSuccess(tx, delivery, result);
      }
      return await this.#recordFailure(tx, delivery, { ...result, verdict });
    });
    const { id: deliveryId, target, attempts } = delivery;
    if (!isHeld) {
      log.warn("events.lease_lost", { deliveryId, attempts });
    } else if (verdict.kind === "failed") {
      log.warn("events.not_delivered", { deliveryId, targetId: target.id, attempts, error: attempt.error });
    }
  }

  async #recordSuccess(tx: Transaction, delivery: ClaimedDelivery, { attempt, access }: Result): Promise<boolean> {
    if (!(await markDelivery(tx, delivery, attempt, { status: "delivered" }))) {
      return false;
    }
    if (access?.kind === "mail") {
      await mailEvent(tx, this.#deps, { to: access.to, delivery });
    }
    await freeTarget(tx, delivery.target.id, { isOk: true });
    return true;
  }

  async #recordFailure(
    tx: Transaction,
    delivery: ClaimedDelivery,
    { attempt, verdict, access }: Result & { readonly verdict: Extract<Verdict, { readonly kind: "failed" }> },
  ): Promise<boolean> {
    const { masterKey, random = Math.random } = this.#deps;
    const { target, attempts } = delivery;
    const { retryAfterMs, isGone, movedTo } = verdict;
    // What the end of the program cut off is tried again immediately, by another process.
    const isCutOff = this.#lanes.cutOff.aborted;
    const waitMs = isCutOff ? 0 : waitAfterMs(attempts, retryAfterMs, random);
    const next = waitMs === null ? ({ status: "failed" } as const) : ({ status: "queued", waitMs } as const);
    if (!(await markDelivery(tx, delivery, attempt, next))) {
      return false;
    }
    if (movedTo !== null && access?.kind === "telegram") {
      const moved = { ...access, chatId: movedTo };
      const accessSealed = sealAccess(masterKey, target.sealName, moved);
      await moveTarget(tx, target.id, { accessSealed, place: shownPlace(moved) });
    }
    const pauseMs = isCutOff ? 0 : pauseAfterMs(target.failures + 1, retryAfterMs);
    await freeTarget(tx, target.id, { isOk: false, pauseMs });
    const isTooLong = target.failingSince !== null && Date.now() - target.failingSince.getTime() > failingMsMax;
    if ((isGone || isTooLong) && (await failTarget(tx, target.id))) {
      await mailTargetFailed(tx, this.#deps, delivery);
    }
    return true;
  }
}

/** Replaces secrets of the target in a text from outside, and characters that no log needs. */
function hiding(access: TargetAccess | null): (text: string) => string {
  const secrets = access === null ? [] : secretsOf(access);
  return (text) =>
    secrets.reduce((rest, secret) => rest.replaceAll(secret, "[...]"), text).replaceAll(/[\p{Cc}\p{Cf}\p{Cs}]+/gu, " ");
}
