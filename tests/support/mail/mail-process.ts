import { MailWorker } from "@sluice/control-plane/mail/delivery/worker.ts";
import { plainMailLook } from "@sluice/control-plane/mail/model.ts";
import { SmtpSender } from "@sluice/control-plane/mail/senders/smtp-sender.ts";
import { MasterKey } from "@sluice/control-plane/platform/crypto/master-key.ts";
import { openDatabase } from "@sluice/control-plane/platform/db-open.ts";
import { createLog } from "@sluice/control-plane/platform/log.ts";
import { mailTestKey } from "./mail-rig.ts";

/** Sends due emails at a given time, in a process that a test can kill. */
const { DATABASE_URL = "", SMTP_URL = "", NOW_MS = "0" } = process.env;

const worker = new MailWorker({
  db: openDatabase({ url: DATABASE_URL, poolMax: 2, applicationName: "mail process" }),
  masterKey: new MasterKey(mailTestKey),
  clock: { now: () => Number(NOW_MS), tick: () => performance.now() },
  log: createLog("debug", (line) => process.stderr.write(line)),
  sender: new SmtpSender({
    readUrl: () => Promise.resolve(SMTP_URL),
    readFrom: () => ({ name: "Sluice", address: "no-reply@example.com" }),
    sourceTag: "sluice",
    connectionsMax: 1,
  }),
  shared: { service: "Sluice", console_link: "https://example.com/console/" },
  look: () => plainMailLook,
  messageIdDomain: "example.com",
  onOutcome: () => Promise.resolve(),
  concurrency: 1,
});
await worker.runDue();
process.exit(0);
