import { type Clock, dayMs } from "../../platform/clock.ts";
import type { MasterKey } from "../../platform/crypto/master-key.ts";
import type { Database } from "../../platform/db.ts";
import { inRounds } from "../../platform/in-rounds.ts";
import type { Log } from "../../platform/log.ts";
import { WorkLanes } from "../../platform/work-lanes.ts";
import { isMailAddress, isPlaceholder } from "../address.ts";
import type { MailHook, MailLook } from "../model.ts";
import { type RenderedMail, renderMail } from "../render.ts";
import type { MailSender, SendResult } from "../senders/model.ts";
import { builtInTemplate } from "../templates/layout.ts";
import type { SharedValues } from "../templates/show-values.ts";
import { findTemplate } from "../templates/template-store.ts";
import { openVariables } from "../variables-seal.ts";
import {
  type ClaimedMail,
  claimDueMail,
  deleteOldMails,
  forgetDeadVariables,
  insertInboxRecord,
  type Mark,
  markMail,
} from "./delivery-store.ts";
import { retryDelayMs } from "./retry-delay.ts";

export type MailWorkerDeps = {
  readonly db: Database;
  readonly masterKey: MasterKey;
  readonly clock: Clock;
  readonly log: Log;
  readonly sender: MailSender;
  readonly shared: SharedValues;
  readonly look: () => MailLook;
  /** The part after the @ of every Message-ID. */
  readonly messageIdDomain: string;
  /** Runs in the transaction that records the result of an email. */
  readonly onOutcome: MailHook;
  /** The most emails that this process sends at the same time. */
  readonly concurrency: number;
  /** A random number from 0 up to, not including, 1. */
  readonly random?: () => number;
  readonly sendMsMax?: number;
};

const attemptsMax = 8;
const sendMsMaxDefault = 60_000;
/** A process that has held an email for this long is considered dead; each of its steps times out well before. */
const leaseMs = 180_000;
/** The mail log covers more than a year, so that a year can be compared with the previous one. */
const keptMs = 400 * dayMs;
const deleteRounds = { atOnceMax: 1_000, roundsMax: 50 };
const deadKeptMs = 7 * dayMs;

/**
 * Sends due emails. Any number of processes may do so: an email is held by one at a time and sent outside any
 * transaction before the result is recorded, so that it may be sent twice, under the same Message-ID, but is never
 * lost.
 */
export class MailWorker {
  readonly #deps: MailWorkerDeps;
  readonly #lanes: WorkLanes;

  constructor(deps: MailWorkerDeps) {
    this.#deps = deps;
    this.#lanes = new WorkLanes({
      lanesMax: deps.concurrency,
      doNext: (more) => this.#sendNext(more),
      // Emails in progress are due again when their leases end; then the job finds them.
      onError: (error) => deps.log.warn("mail.delivery_failed", { error }),
    });
  }

  /** Looks for emails to send. */
  wake(): void {
    this.#lanes.wake();
  }

  /** Sends until nothing is due. */
  async runDue(): Promise<void> {
    await this.#lanes.runDue();
  }

  /** Claims no more emails, lets those being sent finish, and aborts them after `timeoutMs`. */
  async stop(timeoutMs: number): Promise<void> {
    await this.#lanes.stop(timeoutMs);
    this.#deps.sender.close();
  }

  /** Removes emails older than the mail log covers; returns how many there were. */
  async deleteOld(): Promise<number> {
    const before = new Date(this.#deps.clock.now() - keptMs);
    return await inRounds(deleteRounds, (atOnceMax) => deleteOldMails(this.#deps.db, before, atOnceMax));
  }

  /** Empties dead emails that nobody will resend. */
  async forgetDead(): Promise<number> {
    const now = this.#deps.clock.now();
    return await forgetDeadVariables(this.#deps.db, new Date(now), new Date(now - deadKeptMs));
  }

  async #sendNext(more: () => void): Promise<boolean> {
    const { db, clock } = this.#deps;
    const now = clock.now();
    const mail = await claimDueMail(db, new Date(now), new Date(now + leaseMs));
    if (mail === null) {
      return false;
    }
    more();
    const rendered = await this.#prepare(mail);
    if ("status" in rendered) {
      await this.#write(mail, rendered);
      return true;
    }
    await this.#write(mail, this.#judge(mail, rendered, await this.#send(mail, rendered)));
    return true;
  }

  /** The rendered email, or the reason not to send it. */
  async #prepare(mail: ClaimedMail): Promise<RenderedMail | Mark> {
    const { masterKey, clock, log } = this.#deps;
    if (mail.expiresAt !== null && mail.expiresAt.getTime() <= clock.now()) {
      return { status: "dropped", error: "it expired before it could be sent" };
    }
    if (isPlaceholder(mail.to)) {
      return { status: "dropped", error: "the account has no address that mail could be sent to" };
    }
    if (mail.attempts - mail.faults > attemptsMax) {
      return { status: "dead", error: "every attempt ended without a response" };
    }
    if (!isMailAddress(mail.to)) {
      return { status: "dead", error: "mail can't be sent to this address" };
    }
    try {
      const sealed = mail.variablesSealed;
      if (sealed === null) {
        return { status: "dead", error: "its content is no longer stored" };
      }
      return await this.#render(mail, openVariables(masterKey, mail, sealed));
    } catch (error) {
      // The message of the error is not logged, because it could quote a variable.
      log.error("mail.not_composed", { mailId: mail.id, template: mail.template, reason: nameOf(error) });
      return { status: "dead", error: `it could not be composed (${nameOf(error)})` };
    }
  }

  async #render(mail: ClaimedMail, variables: Readonly<Record<string, string>>): Promise<RenderedMail> {
    const { db, shared, look, log } = this.#deps;
    const { template, locale } = mail;
    const shown = { shared, look: look() };
    const saved = await findTemplate(db, template, locale);
    if (saved !== null) {
      try {
        return renderMail(saved, { template, locale, variables }, shown);
      } catch (error) {
        log.error("mail.template_invalid", { template, locale, version: saved.version, reason: nameOf(error) });
      }
    }
    return renderMail(builtInTemplate(template, locale, shown.look), { template, locale, variables }, shown);
  }

  async #send(mail: ClaimedMail, rendered: RenderedMail): Promise<SendResult> {
    const { sender, messageIdDomain, sendMsMax = sendMsMaxDefault } = this.#deps;
    const { id, dedupeKey, template, locale, to } = mail;
    const messageId = messageIdOf(dedupeKey, messageIdDomain);
    const signal = AbortSignal.any([this.#lanes.cutOff, AbortSignal.timeout(sendMsMax)]);
    return await sender.send({ ...rendered, id, dedupeKey, messageId, template, locale, to }, signal);
  }

  #judge(mail: ClaimedMail, { subject }: RenderedMail, result: SendResult): Mark {
    const { clock, log, random = Math.random } = this.#deps;
    const now = clock.now();
    switch (result.kind) {
      case "sent":
        return { status: "sent", at: new Date(now), subject, providerId: result.providerId };
      case "misconfigured": {
        log.error("mail.alarm", { reason: "misconfigured", mailId: mail.id, error: result.error });
        const delayMs = retryDelayMs(mail.attempts, null, random);
        return { status: "queued", nextAttemptAt: new Date(now + delayMs), error: result.error, isFault: true };
      }
      case "refused":
        return { status: "dead", error: result.error };
      case "retry": {
        if (this.#lanes.cutOff.aborted) {
          return { status: "queued", nextAttemptAt: new Date(now), error: "the program stopped meanwhile" };
        }
        if (mail.attempts - mail.faults >= attemptsMax) {
          return { status: "dead", error: result.error };
        }
        const delayMs = retryDelayMs(mail.attempts, result.retryAfterMs, random);
        return { status: "queued", nextAttemptAt: new Date(now + delayMs), error: result.error };
      }
    }
  }

  async #write(mail: ClaimedMail, mark: Mark): Promise<void> {
    const { db, clock, log, onOutcome } = this.#deps;
    const at = new Date(clock.now());
    const error = mark.status === "sent" ? null : mark.error;
    const isHeld = await db.withTransaction(async (tx) => {
      if (!(await markMail(tx, mail, mark))) {
        return false;
      }
      if (mark.status === "sent" && mail.userId !== null) {
        const { id: mailId, userId, template } = mail;
        await insertInboxRecord(tx, { mailId, userId, template, subject: mark.subject, at });
      }
      await onOutcome(tx, { template: mail.template, userId: mail.userId, at, error });
      return true;
    });
    if (!isHeld) {
      log.warn("mail.lease_lost", { mailId: mail.id, attempts: mail.attempts });
    } else if (mark.status !== "sent") {
      const { id: mailId, template, attempts } = mail;
      log.warn("mail.not_sent", { mailId, template, attempts, status: mark.status, error });
    }
  }
}

function nameOf(error: unknown): string {
  return error instanceof Error ? error.name : typeof error;
}

/** The Message-ID depends only on the email's key, so that every process uses the same one at every attempt. */
function messageIdOf(dedupeKey: string, domain: string): string {
  return `<${new Bun.CryptoHasher("sha256").update(`mail ${dedupeKey}`).digest("hex").slice(0, 40)}@${domain}>`;
}
