import { PooledHttpClient } from "@sluice/http-client/pooled-client";
import type { Clock } from "../../platform/clock.ts";
import { type Config, ConfigError } from "../../platform/config.ts";
import type { Log } from "../../platform/log.ts";
import { type MailFrom, parseMailFrom } from "../address.ts";
import { HttpSender } from "./http-sender.ts";
import { LogSender } from "./log-sender.ts";
import type { MailSender } from "./model.ts";
import { SmtpSender } from "./smtp-sender.ts";

/** Names of the mail credentials in the secret store. */
const secretNames = { gatewayKey: "mail.gateway_key", smtpUrl: "mail.smtp_url" } as const;

/** The mail credentials in the environment, used if the store has none. */
export function mailSecretFallbacks(config: Config): Record<string, string | undefined> {
  return { [secretNames.gatewayKey]: config.MAIL_GATEWAY_KEY, [secretNames.smtpUrl]: config.SMTP_URL };
}

/** The secret without which no mail is sent; null if the configuration's adapter takes none. */
export function mailSecretOf({ MAIL_ADAPTER: adapter }: Config): string | null {
  const { gatewayKey, smtpUrl } = secretNames;
  return { log: null, http: gatewayKey, smtp: smtpUrl }[adapter];
}

/** @throws ConfigError when MAIL_FROM is invalid */
export function mailFromOf(config: Config): MailFrom {
  const from = parseMailFrom(config.MAIL_FROM);
  if (from === null) {
    throw new ConfigError("The configuration is not usable. MAIL_FROM: must be an address, or a name and <address>.");
  }
  return from;
}

export type SenderDeps = {
  readonly config: Config;
  readonly clock: Clock;
  readonly log: Log;
  readonly readSecret: (name: string) => Promise<string | null>;
  /** The name that mails come from, as an admin has set it; null for that of the configuration. */
  readonly senderName: () => string | null;
};

/**
 * The adapter that the configuration names.
 * @throws ConfigError when it lacks what the adapter needs
 */
export function openMailSender({ config, clock, log, readSecret, senderName }: SenderDeps): MailSender {
  const { MAIL_ADAPTER: adapter, MAIL_SOURCE: sourceTag, MAIL_GATEWAY_URL: url } = config;
  switch (adapter) {
    case "log":
      if (config.NODE_ENV === "production") {
        log.warn("mail.sending_off", { adapter });
      }
      return new LogSender(log);
    case "http": {
      if (url === undefined) {
        throw new ConfigError("The configuration is not usable. MAIL_GATEWAY_URL: needed with MAIL_ADAPTER=http.");
      }
      const readKey = () => readSecret(secretNames.gatewayKey);
      return new HttpSender({ client: new PooledHttpClient(), clock, url, sourceTag, readKey });
    }
    case "smtp": {
      const from = mailFromOf(config);
      return new SmtpSender({
        readUrl: () => readSecret(secretNames.smtpUrl),
        readFrom: () => ({ ...from, name: senderName() ?? from.name }),
        sourceTag,
        connectionsMax: config.MAIL_CONCURRENCY,
      });
    }
  }
}
