import { SMTPServer, type SMTPServerDataStream } from "smtp-server";
import type { TestCertificate } from "../wire/test-certificates.ts";

/** What the server does with the next email. `silent`: it accepts the connection and sends nothing. */
export type SmtpBehaviour = "accept" | "451 at DATA" | "550 at RCPT" | "silent";

export type ReceivedMail = {
  readonly from: string;
  readonly to: readonly string[];
  readonly messageId: string;
  readonly subject: string;
  /** Headers and parts as received, with quoted-printable decoded. */
  readonly source: string;
};

export type SmtpSinkOptions = {
  /** With it everything is encrypted from the first byte. */
  readonly certificate?: TestCertificate | null;
  /** With it a client has to log in first. */
  readonly password?: string | null;
};

/** A real mail server on a free port of this machine, which keeps what it gets. */
export class SmtpSink {
  readonly received: ReceivedMail[] = [];
  behaviour: SmtpBehaviour = "accept";
  /** Runs when an email is complete and before the client gets the result. */
  onComplete: (mail: ReceivedMail) => void = () => undefined;
  readonly #server: SMTPServer;
  readonly #isSecure: boolean;

  private constructor({ certificate = null, password = null }: SmtpSinkOptions) {
    this.#isSecure = certificate !== null;
    this.#server = new SMTPServer({
      ...(certificate === null ? {} : { ...certificate, secure: true }),
      disabledCommands: password === null ? ["AUTH", "STARTTLS"] : ["STARTTLS"],
      onAuth: (auth, _session, callback) => {
        if (auth.password === password) {
          callback(null, { user: "sluice" });
          return;
        }
        callback(refusal(535, "bad credentials"));
      },
      // Clients keep their connections open; the end of a test does not wait for them.
      closeTimeout: 50,
      onConnect: (_session, callback) => {
        if (this.behaviour !== "silent") {
          callback();
        }
      },
      onRcptTo: (_address, _session, callback) => {
        callback(this.behaviour === "550 at RCPT" ? refusal(550, "no such mailbox") : null);
      },
      onData: (stream, session, callback) => {
        void this.#take(stream, session.envelope).then((mail) => {
          this.onComplete(mail);
          if (this.behaviour === "451 at DATA") {
            callback(refusal(451, "try again later"));
            return;
          }
          this.received.push(mail);
          callback(null, "queued as 17");
        });
      },
    });
    // A client that is killed in the middle of an email is the subject of some tests.
    this.#server.on("error", () => undefined);
  }

  static async start(options: SmtpSinkOptions = {}): Promise<SmtpSink> {
    const sink = new SmtpSink(options);
    await new Promise<void>((resolve) => {
      sink.#server.listen(0, "127.0.0.1", resolve);
    });
    return sink;
  }

  get port(): number {
    const address = this.#server.server.address();
    return address !== null && typeof address === "object" ? address.port : 0;
  }

  get url(): string {
    return `${this.#isSecure ? "smtps" : "smtp"}://127.0.0.1:${this.port}`;
  }

  async stop(): Promise<void> {
    await new Promise<void>((resolve) => {
      this.#server.close(() => resolve());
    });
  }

  async #take(
    stream: SMTPServerDataStream,
    envelope: { mailFrom: false | { address: string }; rcptTo: { address: string }[] },
  ): Promise<ReceivedMail> {
    const parts: Buffer[] = [];
    for await (const part of stream) {
      parts.push(part as Buffer);
    }
    const whole = Buffer.concat(parts).toString("utf8");
    const headEnd = whole.indexOf("\r\n\r\n");
    const source = whole.slice(0, headEnd) + undoQuotedPrintable(whole.slice(headEnd));
    return {
      from: envelope.mailFrom === false ? "" : envelope.mailFrom.address,
      to: envelope.rcptTo.map(({ address }) => address),
      messageId: /^Message-ID:\s+(.*)$/im.exec(source)?.[1]?.trim() ?? "",
      subject: /^Subject:\s+(.*)$/im.exec(source)?.[1]?.trim() ?? "",
      source,
    };
  }
}

function refusal(responseCode: number, message: string): Error {
  return Object.assign(new Error(message), { responseCode });
}

function undoQuotedPrintable(text: string): string {
  const joined = text.replace(/=\r\n/g, "");
  return joined.replace(/(=[0-9A-F]{2})+/g, (run) => Buffer.from(run.replaceAll("=", ""), "hex").toString("utf8"));
}
