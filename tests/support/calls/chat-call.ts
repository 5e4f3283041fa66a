import { type SurfaceName, surfaces } from "./call-routes.ts";

/** What a client saw of one call. */
export type SeenCall = {
  /** From the header; null when no response came. */
  readonly requestId: string | null;
  /** Null when the connection failed before a response. */
  readonly status: number | null;
  /** The code of an error body, or its type in the Messages API, or null. */
  readonly code: string | null;
  readonly retryAfter: string | null;
  /** A body that parses, or a stream up to its end mark, with status 200. */
  readonly isWhole: boolean;
  readonly durationMs: number;
};

export type ChatTarget = {
  readonly url: string;
  readonly apiKey: string;
  readonly timeoutMs?: number;
  /** Chat completions by default. */
  readonly surface?: SurfaceName;
};

const timeoutMsDefault = 30_000;

/** One short call, streamed when the body says so. Never throws: a lost connection is something a client sees. */
export async function chat(target: ChatTarget, body: Record<string, unknown>): Promise<SeenCall> {
  const startedAt = performance.now();
  const { path, fields, isComplete, errorOf } = surfaces[target.surface ?? "chat"];
  const seen = { requestId: null as string | null, status: null as number | null, retryAfter: null as string | null };
  const finish = (code: string | null, isWhole: boolean): SeenCall => ({
    ...seen,
    code,
    isWhole,
    durationMs: performance.now() - startedAt,
  });
  try {
    const answer = await fetch(`${target.url}${path}`, {
      method: "POST",
      headers: { authorization: `Bearer ${target.apiKey}`, "content-type": "application/json" },
      body: JSON.stringify({ ...fields, ...body }),
      signal: AbortSignal.timeout(target.timeoutMs ?? timeoutMsDefault),
    });
    seen.status = answer.status;
    seen.requestId = answer.headers.get("x-request-id");
    seen.retryAfter = answer.headers.get("retry-after");
    const bytes = Buffer.from(await answer.arrayBuffer());
    if (answer.status !== 200) {
      const error = errorOf(bytes);
      return finish(error?.code ?? error?.type ?? null, false);
    }
    const isStream = answer.headers.get("content-type")?.startsWith("text/event-stream") === true;
    return finish(null, isStream ? isComplete(bytes) : isJson(bytes.toString()));
  } catch {
    return finish(null, false);
  }
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}
