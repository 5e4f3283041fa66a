import { type ErrorCode, errorDefinition } from "@sluice/contracts/errors";

/** What an upstream said about a request that it refused, cleaned and cut. */
export type UpstreamWords = { message: string; type: string; param: string | null; code: string };

export type AppErrorOptions = {
  /** Replaces the sentence of the table; must be safe to show to the caller. */
  readonly message?: string;
  /** The field of the request that is meant, for example `messages[0].role`. */
  readonly param?: string;
  readonly retryAfterSeconds?: number;
  /** The same to the millisecond, for clients that read it. */
  readonly retryAfterMs?: number;
  /** A client that retries would meet the same; it is asked not to. */
  readonly isFinal?: boolean;
  /** What is left of the body is on its way, and is more than anybody is going to read. */
  readonly endsConnection?: boolean;
  /** In place of the status of the table, where an upstream's own status goes on to the client. */
  readonly status?: number;
  readonly upstream?: UpstreamWords;
  /** One sentence for each field of a form that is wrong. */
  readonly fields?: Readonly<Record<string, string>>;
  /** For `method_not_allowed`: the value of the `Allow` header. */
  readonly allowedMethods?: string;
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
  readonly retryAfterMs: number | null;
  readonly upstream: UpstreamWords | null;
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
    // Clients take every 429 for a reason to retry, unless asked not to.
    this.isFinal = options.isFinal ?? code === "insufficient_quota";
    this.endsConnection = options.endsConnection ?? code === "request_timeout";
    this.internal = options.internal ?? {};
  }
}

/** Whatever was thrown, as an AppError; anything unknown is an internal error whose cause only the log sees. */
export function toAppError(thrown: unknown): AppError {
  return thrown instanceof AppError ? thrown : new AppError("internal_error", { cause: thrown });
}
