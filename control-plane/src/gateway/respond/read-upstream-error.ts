import type { ErrorCode } from "@sluice/contracts/errors";
import type { UpstreamWords } from "../../platform/errors.ts";
import { HttpClientError, type HttpResponse, type HttpResponseBody } from "../../platform/http-client/model.ts";
import { redact } from "../../platform/log.ts";
import type { AttemptFailure } from "../model.ts";

const messageLengthMax = 2_000;
const errorBodyBytesMax = 65_536;
/** A refusal that only tells why to wait is not worth a wait of its own: another channel may answer meanwhile. */
const emptyAccountMsMax = 500;

/** An answer as far as its refusal is read. */
type RefusingAnswer = Pick<HttpResponse, "headers"> & {
  readonly body: Pick<HttpResponseBody, "bytes" | "consume" | "cancel">;
};

/** An attempt that failed, and what the provider said of it that the client may read. */
type Refusal = { readonly failure: AttemptFailure; readonly said: UpstreamWords | null };

/**
 * Reads an error answer as far as it is worth reading: what is said of the request itself. An error page that is no JSON
 * says nothing of the request; it comes from whatever stands before the provider, and the provider is at fault.
 * @param credential of the channel, which never reaches a client
 */
export async function readRefusal(
  response: RefusingAnswer,
  failure: AttemptFailure,
  credential: string | null,
): Promise<Refusal> {
  if (failure.status === 429) {
    return { failure: await readEmptyAccount(response, failure), said: null };
  }
  if (!failure.isRequestFault) {
    response.body.cancel();
    return { failure, said: null };
  }
  const body = await readJson(response);
  if (body !== null) {
    return { failure, said: readUpstreamError(body, credential) };
  }
  // The status alone says all there is to say of a body that is too large.
  const isTelling = failure.status === 413;
  return { failure: isTelling ? failure : { ...failure, code: "upstream_error", isRequestFault: false }, said: null };
}

/** The same status means too many calls, or that our account at the provider is empty; only the body tells which. */
async function readEmptyAccount(response: RefusingAnswer, failure: AttemptFailure): Promise<AttemptFailure> {
  if (!isJson(response)) {
    response.body.cancel();
    return failure;
  }
  const body = await readSoon(response.body);
  const said = body === null ? null : readUpstreamError(body, null);
  const isEmpty = said?.code === "insufficient_quota" || said?.type === "insufficient_quota";
  return isEmpty ? { ...failure, isLasting: true, result: "account_empty" } : failure;
}

/** A short body that comes at once, else null. */
function readSoon(body: Pick<HttpResponseBody, "consume">): Promise<Uint8Array | null> {
  const pieces: Uint8Array[] = [];
  let bytes = 0;
  return new Promise((resolve) => {
    const finish = (whole: Uint8Array | null): void => {
      clearTimeout(timer);
      resolve(whole);
    };
    const giveUp = (): void => {
      flow.cancel();
      finish(null);
    };
    const flow = body.consume({
      onChunk: (piece) => {
        pieces.push(piece);
        bytes += piece.byteLength;
        if (bytes > errorBodyBytesMax) {
          giveUp();
        }
      },
      onEnd: () => finish(Buffer.concat(pieces)),
      onError: () => finish(null),
    });
    const timer = setTimeout(giveUp, emptyAccountMsMax);
  });
}

function isJson({ headers }: RefusingAnswer): boolean {
  return headers.some(([name, value]) => name === "content-type" && value.includes("json"));
}

/** The body if it is called JSON and is no longer than an error is, else null. */
async function readJson(response: RefusingAnswer): Promise<Uint8Array | null> {
  if (!isJson(response)) {
    response.body.cancel();
    return null;
  }
  try {
    return await response.body.bytes(errorBodyBytesMax);
  } catch (error) {
    if (error instanceof HttpClientError) {
      return null;
    }
    throw error;
  }
}

/**
 * What a provider said of a request that it refused, so that the client can mend it: message, type, param and code as
 * texts of limited length, with everything that looks like a credential removed. Null when it was no such error.
 */
function readUpstreamError(body: Uint8Array, credential: string | null): UpstreamWords | null {
  let parsed: unknown;
  try {
    parsed = JSON.parse(Buffer.from(body).toString("utf8"));
  } catch {
    return null;
  }
  const error = (parsed as { error?: unknown } | null)?.error;
  if (typeof error !== "object" || error === null) {
    return null;
  }
  const fields = error as Record<string, unknown>;
  const text = (value: unknown) => (typeof value === "string" ? clean(value, credential) : null);
  const message = text(fields["message"]);
  if (message === null) {
    return null;
  }
  return {
    message,
    type: text(fields["type"])?.slice(0, 100) ?? "invalid_request_error",
    param: text(fields["param"])?.slice(0, 200) ?? null,
    code: text(fields["code"])?.slice(0, 100) ?? ("upstream_rejected" satisfies ErrorCode),
  };
}

function clean(text: string, credential: string | null): string {
  const bare = credential === null ? text : text.replaceAll(credential, "[redacted]");
  return redact(bare.slice(0, messageLengthMax));
}
