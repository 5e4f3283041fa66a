import type { RenderedMail } from "../render.ts";

/** A mail as it leaves. */
export type MailToSend = RenderedMail & {
  readonly id: bigint;
  readonly dedupeKey: string;
  /** The same for each attempt, so that a mail that arrives twice can be recognised. */
  readonly messageId: string;
  readonly template: string;
  readonly locale: string;
  readonly to: string;
};

/** `refused`: no other attempt will end differently. `error` is one line that has been cleaned of what the mail says. */
export type SendResult =
  | { readonly kind: "sent"; readonly providerId: string | null }
  | { readonly kind: "retry"; readonly error: string; readonly retryAfterMs: number | null }
  /** Our own fault, a wrong login above all: it says nothing about the mail, which waits until somebody has mended it. */
  | { readonly kind: "misconfigured"; readonly error: string }
  | { readonly kind: "refused"; readonly error: string };

/** How mails leave. */
export interface MailSender {
  /** Never throws for what a server says or does. An aborted attempt counts as one that can be repeated. */
  send(mail: MailToSend, signal: AbortSignal): Promise<SendResult>;
  close(): void;
}
