import type { Log } from "../../platform/log.ts";
import type { MailSender, MailToSend, SendResult } from "./model.ts";

/** Sends nothing: the mail log shows the email. Development uses it, because it has no mail server. */
export class LogSender implements MailSender {
  readonly #log: Log;

  constructor(log: Log) {
    this.#log = log;
  }

  send({ id, template, locale }: MailToSend): Promise<SendResult> {
    this.#log.info("mail.kept_in_log", { mailId: id, template, locale });
    return Promise.resolve({ kind: "sent", providerId: null });
  }

  close(): void {
    // There is nothing to close.
  }
}
