import type { RenderedMail } from "../render.ts";

/** An email as sent. */
export type MailToSend = RenderedMail & {
  readonly id: bigint;
  readonly dedupeKey: string;
  /** The same for each attempt, so that an email that arrives twice can be recognised. */
  readonly messageId: string;
  readonly template: string;
  readonly locale: string;
  readonly to: string;
};

/** `refused`: no other attempt will end differently. `error` is one line without any of the email's content. */
export type SendResult =
  | { readonly kind: "sent"; readonly providerId: string | null }
  | { readonly kind: "retry"; readonly error: string; readonly retryAfterMs: number | null }
  /** Our own fault, usually a wrong login: it says nothing about the email, which waits until someone has fixed it. */
  | { readonly kind: "misconfigured"; readonly error: string }
  | { readonly kind: "refused"; readonly error: string };

/** Sends emails. */
export interface MailSender {
  /** Never throws for a server's response or failure. An aborted attempt counts as one that can be repeated. */
  send(mail: MailToSend, signal: AbortSignal): Promise<SendResult>;
  close(): void;
}
