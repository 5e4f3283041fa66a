import { findAppRole } from "@sluice/control-plane/db/app-role.ts";
import { MailWorker, type MailWorkerDeps } from "@sluice/control-plane/mail/delivery/worker.ts";
import { type MailOutcome, type NewMail, plainMailLook } from "@sluice/control-plane/mail/model.ts";
import { HttpSender } from "@sluice/control-plane/mail/senders/http-sender.ts";
import type { MailSender } from "@sluice/control-plane/mail/senders/model.ts";
import { SmtpSender, type SmtpTimeouts } from "@sluice/control-plane/mail/senders/smtp-sender.ts";
import { MailService } from "@sluice/control-plane/mail/service.ts";
import type { Clock } from "@sluice/control-plane/platform/clock.ts";
import { MasterKey } from "@sluice/control-plane/platform/crypto/master-key.ts";
import type { Database } from "@sluice/control-plane/platform/db.ts";
import { openDatabase } from "@sluice/control-plane/platform/db-open.ts";
import { createLog } from "@sluice/control-plane/platform/log.ts";
import type { HttpLimits } from "@sluice/http-client/model";
import { PooledHttpClient } from "@sluice/http-client/pooled-client";
import { createTestDatabase, type TestDatabase } from "../postgres/test-database.ts";

export type MailRow = {
  readonly id: bigint;
  readonly status: string;
  readonly attempts: number;
  readonly next_attempt_at: Date;
  readonly last_error: string | null;
  readonly failed_at: Date | null;
  readonly subject: string | null;
  readonly provider_id: string | null;
  readonly has_variables: boolean;
};

/** The key that mail tests share with the processes they start. */
export const mailTestKey = new Bun.CryptoHasher("sha256").update("the master key of tests").digest();
export const canary = "canaryT0kenCanaryT0kenCanaryT0ken";

/** A database with a queue of emails, a clock that only advances on command, and workers. */
export class MailRig {
  readonly database: TestDatabase;
  readonly db: Database;
  readonly masterKey = new MasterKey(mailTestKey);
  readonly logLines: string[] = [];
  readonly log = createLog("debug", (line) => this.logLines.push(line));
  readonly outcomes: MailOutcome[] = [];
  nowMs = Date.UTC(2026, 0, 1);
  readonly clock: Clock = { now: () => this.nowMs, tick: () => performance.now() };
  readonly service = new MailService({ masterKey: this.masterKey, clock: this.clock });
  readonly #workers: MailWorker[] = [];

  private constructor(database: TestDatabase, role: string | null) {
    this.database = database;
    this.db = openDatabase({ url: database.url, poolMax: 20, applicationName: "test", role });
  }

  static async open(): Promise<MailRig> {
    const database = await createTestDatabase();
    return new MailRig(database, await findAppRole(database.url));
  }

  worker(sender: MailSender, changes: Partial<MailWorkerDeps> = {}): MailWorker {
    const { db, masterKey, clock, log } = this;
    const worker = new MailWorker({
      db,
      masterKey,
      clock,
      log,
      sender,
      shared: { service: "Sluice", console_link: "https://example.com/console/" },
      look: () => plainMailLook,
      messageIdDomain: "example.com",
      onOutcome: (_tx, outcome) => {
        this.outcomes.push(outcome);
        return Promise.resolve();
      },
      concurrency: 4,
      random: () => 0,
      ...changes,
    });
    this.#workers.push(worker);
    return worker;
  }

  httpSender(url: string, limits?: HttpLimits): HttpSender {
    const readKey = () => Promise.resolve("the-key-of-the-gateway");
    const deps = { client: new PooledHttpClient(), clock: this.clock, url, sourceTag: "sluice", readKey };
    return new HttpSender(limits === undefined ? deps : { ...deps, limits });
  }

  smtpSender(url: string, timeouts?: SmtpTimeouts): SmtpSender {
    const readFrom = () => ({ name: "Sluice", address: "no-reply@example.com" });
    const deps = { readUrl: () => Promise.resolve(url), readFrom, sourceTag: "sluice", connectionsMax: 2 };
    return new SmtpSender(timeouts === undefined ? deps : { ...deps, timeouts });
  }

  /** Queues an email with a link in a separate transaction. */
  async queue(dedupeKey: string, changes: Partial<NewMail<"password_reset">> = {}): Promise<boolean> {
    const variables = { link: `https://example.com/reset/?token=${canary}`, valid_minutes: "60" };
    const mail = { dedupeKey, template: "password_reset", userId: null, to: "a@example.com", locale: "en" } as const;
    return await this.db.withTransaction((tx) =>
      this.service.queueMail(tx, { ...mail, variables, source: "test", ...changes }),
    );
  }

  async row(dedupeKey: string): Promise<MailRow> {
    const [row] = await this.db.sql<MailRow>`
      select id, status, attempts, next_attempt_at, last_error, failed_at, subject, provider_id,
        variables_sealed is not null as has_variables
      from mail_log where dedupe_key = ${dedupeKey}`;
    if (row === undefined) {
      throw new Error(`there is no mail ${dedupeKey}`);
    }
    return row;
  }

  /** Removes emails left over from the previous test. */
  async clear(): Promise<void> {
    await this.db.sql`delete from mail_inbox where id > 0`;
    await this.db.sql`delete from mail_log where id > 0`;
    this.outcomes.length = 0;
    this.logLines.length = 0;
  }

  /** A verified user with a budget, known to the gateway. */
  async addUser(email: string, granted = 0n): Promise<{ readonly userId: bigint; readonly budgetId: bigint }> {
    return await this.db.withTransaction(async (tx) => {
      const [gateway] = await tx.sql<{ id: bigint }>`insert into gateway_user default values returning id`;
      const [user] = await tx.sql<{ id: bigint }>`
        insert into user_profile (gateway_user_id, email, status, email_verified_at, locale)
        values (${gateway?.id ?? 0n}::bigint, ${email}, 'active', now(), 'de') returning id`;
      const [budget] = await tx.sql<{ id: bigint }>`
        insert into budget (gateway_user_id) values (${gateway?.id ?? 0n}::bigint) returning id`;
      const budgetId = budget?.id ?? 0n;
      if (granted > 0n) {
        await tx.sql`select grant_quota(${budgetId}::bigint, ${granted}::bigint, 'order_credit', ${`first:${budgetId}`})`;
      }
      return { userId: user?.id ?? 0n, budgetId };
    });
  }

  async close(): Promise<void> {
    await Promise.all(this.#workers.map((worker) => worker.stop(0)));
    await this.db.close(1_000);
    await this.database.drop();
  }
}
