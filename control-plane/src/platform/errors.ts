import { type ErrorCode, errorDefinition } from "@sluice/contracts/errors";

/** An upstream's message about a request that it refused, without secrets and truncated. */
export type UpstreamError = { message: string; type: string; param: string | null; code: string };

export type AppErrorOptions = {
  /** The message that replaces the table's sentence; it must be safe to show to the caller. */
  readonly message?: string;
  /** The field of the request at fault, for example `messages[0].role`. */
  readonly param?: string;
  readonly retryAfterSeconds?: number;
  /** The wait in milliseconds, for clients that read it. */
  readonly retryAfterMs?: number;
  /** A retry would fail the same way, so the client is asked not to retry. */
  readonly isFinal?: boolean;
  /** The client is still sending the rest of a body that is too large to be read. */
  readonly endsConnection?: boolean;
  /** The status that replaces the table's, when an upstream's own status is passed on to the client. */
  readonly status?: number;
  readonly upstream?: UpstreamError;
  /** One sentence for each invalid form field. */
  readonly fields?: Readonly<Record<string, string>>;
  /** For `method_not_allowed`: the value of the `Allow` header. */
  readonly allowedMethods?: string;
  /** Details for the log only. */
  readonly internal?: Record<string, unknown>;
  readonly cause?: unknown;
};

/**
 * The only error class of the product: a code of the table, the text that the caller may read, and the details that
 * only the log may have.
 */
export class AppError extends Error {
  readonly code: ErrorCode;
  readonly status: number;
  readonly param: string | null;
  readonly retryAfterSeconds: number | null;
  readonly retryAfterMs: number | null;
  readonly upstream: UpstreamError | null;
  readonly allowedMethods: string | null;
  readonly fields: Readonly<Record<string, string>> | null;
  readonly isFinal: boolean;
  readonly endsConnection: boolean;
  readonly internal: Record<string, unknown>;

  constructor(code: ErrorCode, options: AppErrorOptions = {}) {
    super(options.message ?? errorDefinition(code).message, { cause: options.cause });
    this.name = "AppError";
    this.code = code;
    this.status = options.status ?? errorDefinition(code).status;
    this.param = options.param ?? null;
    this.retryAfterSeconds = options.retryAfterSeconds ?? null;
    this.retryAfterMs = options.retryAfterMs ?? null;
    this.upstream = options.upstream ?? null;
    this.allowedMethods = options.allowedMethods ?? null;
    this.fields = options.fields ?? null;
    // Clients take every 429 as a reason to retry, unless asked not to.
    this.isFinal = options.isFinal ?? (code === "insufficient_quota" || code === "spend_limit_reached");
    this.endsConnection = options.endsConnection ?? code === "request_timeout";
    this.internal = options.internal ?? {};
  }
}

/** The sentence about what a request names and nothing stored has. */
export const doesNotExist = (thing: string): string => `This ${thing} does not exist.`;

/** The error for what a request names and nothing stored has. */
export function notFound(thing: string, param?: string): AppError {
  return new AppError("not_found", { message: doesNotExist(thing), ...(param === undefined ? {} : { param }) });
}

/**
 * Converts anything thrown to an AppError; an unknown error becomes an internal error whose cause only the log sees.
 */
export function toAppError(thrown: unknown): AppError {
  return thrown instanceof AppError ? thrown : new AppError("internal_error", { cause: thrown });
}
