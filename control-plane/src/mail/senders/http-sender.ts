import { type HttpClient, HttpClientError, type HttpLimits, type HttpResponse } from "@sluice/http-client/model";
import type { Clock } from "../../platform/clock.ts";
import { parseRetryAfter } from "../../platform/retry-after.ts";
import { cleanError } from "./clean-error.ts";
import type { MailSender, MailToSend, SendResult } from "./model.ts";

export type HttpSenderDeps = {
  readonly client: HttpClient;
  readonly clock: Clock;
  /** The full URL to post to. */
  readonly url: string;
  /** Identifies the sending service to the mail gateway. */
  readonly sourceTag: string;
  /** The key of the mail gateway, or null while there is none. */
  readonly readKey: () => Promise<string | null>;
  readonly limits?: HttpLimits;
};

const limitsDefault: HttpLimits = {
  connectTimeoutMs: 5_000,
  firstByteTimeoutMs: 15_000,
  idleTimeoutMs: 5_000,
  totalTimeoutMs: 25_000,
  responseBytesMax: 64 * 1024,
};

/** These statuses mean that the key or the URL is wrong. */
const faultStatuses: readonly number[] = [401, 403, 404, 405];
const answerBytesMax = 16 * 1024;
const providerIdLengthMax = 200;

/** Posts each email to the internal mail gateway, which detects repetitions by its idempotency key. */
export class HttpSender implements MailSender {
  readonly #deps: HttpSenderDeps;

  constructor(deps: HttpSenderDeps) {
    this.#deps = deps;
  }

  async send(mail: MailToSend, signal: AbortSignal): Promise<SendResult> {
    try {
      const key = await this.#deps.readKey();
      if (key === null) {
        return { kind: "retry", error: "the key of the mail gateway is not set", retryAfterMs: null };
      }
      const response = await this.#post(mail, key, signal);
      return await this.#judge(response);
    } catch (error) {
      const what = error instanceof HttpClientError ? error.kind : "failed";
      return { kind: "retry", error: `the mail gateway could not be reached: ${what}`, retryAfterMs: null };
    }
  }

  close(): void {
    this.#deps.client.close();
  }

  #post(mail: MailToSend, key: string, signal: AbortSignal): Promise<HttpResponse> {
    const { client, limits = limitsDefault, sourceTag: source } = this.#deps;
    const url = new URL(this.#deps.url);
    const isSecure = url.protocol === "https:";
    const { template, to, locale, subject, html, text, dedupeKey } = mail;
    return client.send({
      protocol: isSecure ? "https:" : "http:",
      hostname: url.hostname,
      port: url.port === "" ? (isSecure ? 443 : 80) : Number(url.port),
      method: "POST",
      target: `${url.pathname}${url.search}`,
      headers: [
        ["content-type", "application/json"],
        ["accept", "application/json"],
        ["x-internal-mail-key", key],
        // A header can't hold arbitrary text; the digest is as unique as the email's key.
        ["idempotency-key", new Bun.CryptoHasher("sha256").update(dedupeKey).digest("hex")],
      ],
      body: new TextEncoder().encode(JSON.stringify({ template, to, locale, subject, html, text, source })),
      signal,
      limits,
    });
  }

  async #judge({ status, headers, body }: HttpResponse): Promise<SendResult> {
    if (status >= 200 && status < 300) {
      // The gateway has accepted the email, whatever happens to the rest of its response.
      const answer = await body.bytes(answerBytesMax).catch(() => null);
      return { kind: "sent", providerId: answer === null ? null : readProviderId(answer) };
    }
    const answer = await body.bytes(answerBytesMax).catch(() => new Uint8Array());
    const error = cleanError(`the mail gateway responded ${status} ${new TextDecoder().decode(answer)}`);
    if (faultStatuses.includes(status)) {
      return { kind: "misconfigured", error };
    }
    if (status >= 400 && status < 500 && status !== 408 && status !== 429) {
      return { kind: "refused", error };
    }
    const [, retryAfter] = headers.find(([name]) => name === "retry-after") ?? [];
    const retryAfterMs = retryAfter === undefined ? null : parseRetryAfter(retryAfter, this.#deps.clock.now());
    return { kind: "retry", error, retryAfterMs };
  }
}

function readProviderId(answer: Uint8Array): string | null {
  try {
    const { id } = JSON.parse(new TextDecoder().decode(answer)) as { readonly id?: unknown };
    return typeof id === "string" || typeof id === "number" ? String(id).slice(0, providerIdLengthMax) : null;
  } catch {
    return null;
  }
}
