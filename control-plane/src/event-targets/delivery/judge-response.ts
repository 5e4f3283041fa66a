import type { TargetKind } from "@sluice/contracts/event-types";
import { parseRetryAfter } from "../../platform/retry-after.ts";

/** What came back, with the beginning of the body. */
export type Response = {
  readonly status: number;
  readonly retryAfter: string | null;
  readonly text: string;
};

export type Verdict =
  | { readonly kind: "delivered" }
  | {
      readonly kind: "failed";
      readonly error: string;
      /** The pause that the server asks for. */
      readonly retryAfterMs: number | null;
      /** The address is gone for good. */
      readonly isGone: boolean;
      /** The chat got another number, by which it is addressed from now on. */
      readonly movedTo: string | null;
    };

type Failure = Extract<Verdict, { readonly kind: "failed" }>;

/** The statuses that mean that the address will never work again. */
const goneStatuses: Readonly<Record<TargetKind, readonly number[]>> = {
  webhook: [410],
  mail: [],
  slack: [404, 410],
  discord: [404],
  telegram: [403],
  feishu: [],
};

/** Says what a response means. A redirect is a failure: signed messages go nowhere else. */
export function judgeResponse(kind: TargetKind, { status, retryAfter, text }: Response, nowMs: number): Verdict {
  const isSuccess = status >= 200 && status < 300;
  const fields = isSuccess && kind !== "feishu" ? {} : readFields(text);
  if (isSuccess && kind === "feishu" && fields["code"] !== undefined && fields["code"] !== 0) {
    return { ...failure, error: `code ${String(fields["code"]).slice(0, 20)}` };
  }
  if (isSuccess) {
    return { kind: "delivered" };
  }
  const isRedirect = status >= 300 && status < 400;
  const parameters = kind === "telegram" ? readObject(fields["parameters"]) : {};
  const seconds = kind === "discord" ? fields["retry_after"] : parameters["retry_after"];
  const askedMs = typeof seconds === "number" && seconds >= 0 ? Math.ceil(seconds * 1_000) : null;
  const moved = parameters["migrate_to_chat_id"];
  return {
    kind: "failed",
    error: isRedirect ? `status ${status}: redirects are not followed` : `status ${status}`,
    retryAfterMs: askedMs ?? (retryAfter === null ? null : parseRetryAfter(retryAfter, nowMs)),
    isGone: goneStatuses[kind].includes(status),
    movedTo: Number.isSafeInteger(moved) ? String(moved) : null,
  };
}

const failure: Omit<Failure, "error"> = { kind: "failed", retryAfterMs: null, isGone: false, movedTo: null };

/** An attempt without a response. */
export const unanswered = (error: string): Failure => ({ ...failure, error });

function readFields(text: string): Readonly<Record<string, unknown>> {
  try {
    return readObject(JSON.parse(text));
  } catch {
    return {};
  }
}

function readObject(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value) ? (value as Record<string, unknown>) : {};
}
