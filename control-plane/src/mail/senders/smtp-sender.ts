import type { MailFrom } from "../address.ts";
import { cleanError } from "./clean-error.ts";
import type { MailSender, MailToSend, SendResult } from "./model.ts";

export type SmtpSenderDeps = {
  /** `smtp://` or `smtps://`, with user and password; null while there is none. A change opens new connections. */
  readonly readUrl: () => Promise<string | null>;
  /** The sender of the next mail. */
  readonly readFrom: () => MailFrom;
  readonly sourceTag: string;
  readonly connectionsMax: number;
  readonly timeouts?: SmtpTimeouts;
};

export type SmtpTimeouts = {
  readonly connectionTimeout: number;
  readonly greetingTimeout: number;
  readonly socketTimeout: number;
};

const timeoutsDefault: SmtpTimeouts = { connectionTimeout: 10_000, greetingTimeout: 10_000, socketTimeout: 20_000 };

type Library = typeof import("nodemailer");
type Transport = ReturnType<typeof openTransport>;

/** Delivers emails to a mail server over a few connections that stay open. */
export class SmtpSender implements MailSender {
  readonly #deps: SmtpSenderDeps;
  #open: { readonly url: string; readonly transport: Transport } | null = null;

  constructor(deps: SmtpSenderDeps) {
    this.#deps = deps;
  }

  async send(mail: MailToSend, signal: AbortSignal): Promise<SendResult> {
    const { readFrom, sourceTag } = this.#deps;
    try {
      const transport = await this.#transport();
      if (transport === null) {
        return { kind: "retry", error: "the mail server is not configured", retryAfterMs: null };
      }
      const sent = await transport.sendMail({
        from: readFrom(),
        // The library does not parse an address that is given as an object.
        to: { name: "", address: mail.to },
        subject: mail.subject,
        text: mail.text,
        html: mail.html,
        messageId: mail.messageId,
        headers: { "Auto-Submitted": "auto-generated", "Content-Language": mail.locale, "X-Mail-Source": sourceTag },
        disableFileAccess: true,
        disableUrlAccess: true,
        signal,
      });
      return { kind: "sent", providerId: cleanError(sent.response) };
    } catch (error) {
      return judge(error);
    }
  }

  close(): void {
    this.#open?.transport.close();
    this.#open = null;
  }

  async #transport(): Promise<Transport | null> {
    const url = await this.#deps.readUrl();
    if (url === null) {
      return null;
    }
    // Loaded by the first mail, because it takes 5 MB.
    const library = await import("nodemailer");
    if (this.#open?.url !== url) {
      this.close();
      this.#open = { url, transport: openTransport(library, url, this.#deps) };
    }
    return this.#open.transport;
  }
}

function openTransport(
  { createTransport }: Library,
  url: string,
  { connectionsMax, timeouts = timeoutsDefault }: SmtpSenderDeps,
) {
  return createTransport({
    url,
    pool: true,
    maxConnections: connectionsMax,
    // The mail queue retries failures, later and in any process.
    maxRequeues: 0,
    requireTLS: needsEncryption(url),
    ...timeouts,
  });
}

/**
 * Whether the connection must be encrypted: emails contain links that are as good as passwords. A server on this
 * machine is exempt, and so is one whose URL says `requireTLS=false`.
 */
export function needsEncryption(url: string): boolean {
  const { hostname, searchParams } = new URL(url);
  const isHere = /^(localhost|127(\.\d+){3}|\[::1\])$/.test(hostname);
  return !isHere && searchParams.get("requireTLS") !== "false";
}

/** These codes mean that a login is missing, too weak or wrong, or requires encryption. */
const loginCodes: readonly number[] = [530, 534, 535, 538];

function judge(error: unknown): SendResult {
  const { responseCode, code, message } = error as { responseCode?: number; code?: string; message?: string };
  if (code === "EAUTH" || code === "ENOAUTH" || (responseCode !== undefined && loginCodes.includes(responseCode))) {
    return { kind: "misconfigured", error: cleanError(`the mail server refused our login: ${message ?? code}`) };
  }
  if (typeof responseCode === "number" && responseCode >= 500) {
    return { kind: "refused", error: cleanError(`the mail server responded: ${message ?? responseCode}`) };
  }
  const reply = cleanError(`${code ?? "failed"}: ${message ?? ""}`);
  return { kind: "retry", error: `the mail server did not accept it: ${reply}`, retryAfterMs: null };
}
