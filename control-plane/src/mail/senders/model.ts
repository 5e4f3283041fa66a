import type { RenderedMail } from "../render.ts";

/** An email as sent. */
export type MailToSend = RenderedMail & {
  readonly id: bigint;
  readonly dedupeKey: string;
  /** The id is the same for each attempt, so that an email that arrives twice can be recognised. */
  readonly messageId: string;
  readonly template: string;
  readonly locale: string;
  readonly to: string;
};

/** `refused`: another attempt would be refused as well. `error` is one line without any of the email's content. */
export type SendResult =
  | { readonly kind: "sent"; readonly providerId: string | null }
  | { readonly kind: "retry"; readonly error: string; readonly retryAfterMs: number | null }
  /**
   * The configuration is wrong, usually the login. The email is not at fault, and waits until someone has fixed that.
   */
  | { readonly kind: "misconfigured"; readonly error: string }
  | { readonly kind: "refused"; readonly error: string };

export interface MailSender {
  /** Never throws for a server's response or failure. An aborted attempt counts as one that can be repeated. */
  send(mail: MailToSend, signal: AbortSignal): Promise<SendResult>;
  close(): void;
}
