import { type ErrorCode, errorDefinition } from "@sluice/contracts/errors";

export type AppErrorOptions = {
  /** Replaces the sentence of the table; must be safe to show to the caller. */
  readonly message?: string;
  /** The field of the request that is meant, for example `messages[0].role`. */
  readonly param?: string;
  readonly retryAfterSeconds?: number;
  /** For the log only. */
  readonly internal?: Record<string, unknown>;
  readonly cause?: unknown;
};

/** The one error of the product: a code of the table, what the caller may read, and what only the log may. */
export class AppError extends Error {
  readonly code: ErrorCode;
  readonly status: number;
  readonly param: string | null;
  readonly retryAfterSeconds: number | null;
  readonly internal: Record<string, unknown>;

  constructor(code: ErrorCode, options: AppErrorOptions = {}) {
    super(options.message ?? errorDefinition(code).message, { cause: options.cause });
    this.name = "AppError";
    this.code = code;
    this.status = errorDefinition(code).status;
    this.param = options.param ?? null;
    this.retryAfterSeconds = options.retryAfterSeconds ?? null;
    this.internal = options.internal ?? {};
  }
}

/** Whatever was thrown, as an AppError; anything unknown is an internal error whose cause only the log sees. */
export function toAppError(thrown: unknown): AppError {
  return thrown instanceof AppError ? thrown : new AppError("internal_error", { cause: thrown });
}
