import type { Clock } from "../platform/clock.ts";
import type { MasterKey } from "../platform/crypto/master-key.ts";
import type { SealedColumn } from "../platform/crypto/sealed-column.ts";
import type { Transaction } from "../platform/db.ts";
import { notify } from "../platform/db-notifications.ts";
import { type MailQueue, type MailTemplateName, mailLocaleOf, type NewMail } from "./model.ts";
import { insertMail } from "./store.ts";
import { sealVariables, variablesContext } from "./variables-seal.ts";

export type MailServiceDeps = {
  readonly masterKey: MasterKey;
  readonly clock: Clock;
};

/** What this feature encrypts under the master key. */
export const mailSealedColumns: readonly SealedColumn[] = [
  {
    table: "mail_log",
    column: "variables_sealed",
    key: ["dedupe_key", "user_id"],
    isSmall: false,
    contextOf: ([dedupeKey, userId]) => variablesContext({ dedupeKey: dedupeKey ?? "", userId: userId ?? null }),
  },
];

/** Called at the commit of every transaction that queued an email. */
export const mailChannel = "mail";

export class MailService implements MailQueue {
  readonly #deps: MailServiceDeps;

  constructor(deps: MailServiceDeps) {
    this.#deps = deps;
  }

  async queueMail<Name extends MailTemplateName>(tx: Transaction, mail: NewMail<Name>): Promise<boolean> {
    const { masterKey, clock } = this.#deps;
    const isNew = await insertMail(tx, {
      dedupeKey: mail.dedupeKey,
      template: mail.template,
      locale: mailLocaleOf(mail.locale),
      userId: mail.userId,
      to: mail.to,
      variablesSealed: sealVariables(masterKey, mail, mail.variables),
      source: mail.source,
      now: new Date(clock.now()),
      expiresAt: mail.expiresAt ?? null,
    });
    if (isNew) {
      await notify(tx, mailChannel, "");
    }
    return isNew;
  }
}
