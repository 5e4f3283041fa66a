import {
  type HttpBodyFlow,
  type HttpClient,
  HttpClientError,
  type HttpLimits,
  type HttpRequest,
  type HttpResponse,
} from "@sluice/http-client/model";

const generousLimits: HttpLimits = {
  connectTimeoutMs: 5_000,
  firstByteTimeoutMs: 5_000,
  idleTimeoutMs: 5_000,
  totalTimeoutMs: 20_000,
  responseBytesMax: 1_000_000_000,
};

export type CallOptions = Partial<Omit<HttpRequest, "limits" | "body">> & {
  readonly port: number;
  readonly limits?: Partial<HttpLimits>;
  readonly body?: string | Uint8Array | null;
};

/** A request to 127.0.0.1 that waits for seconds, unless the test says otherwise. */
export function requestTo({ limits, body, ...rest }: CallOptions): HttpRequest {
  return {
    protocol: "http:",
    hostname: "127.0.0.1",
    method: "GET",
    target: "/",
    headers: [],
    signal: new AbortController().signal,
    ...rest,
    body: typeof body === "string" ? Buffer.from(body) : (body ?? null),
    limits: { ...generousLimits, ...limits },
  };
}

/** Everything that a caller can see of one call. */
export type CallOutcome = {
  readonly status: number | null;
  readonly body: string;
  /** Null when the body did not reach its end. */
  readonly isDelimited: boolean | null;
  readonly error: HttpClientError | null;
};

/** Sends and consumes; fails the test when the callbacks of the body contradict each other. */
export async function call(client: HttpClient, request: HttpRequest): Promise<CallOutcome> {
  let response: HttpResponse;
  try {
    response = await client.send(request);
  } catch (error) {
    return { status: null, body: "", isDelimited: null, error: clientError(error) };
  }
  const outcome = await consume(response);
  return { status: response.status, ...outcome };
}

export type Consumed = Omit<CallOutcome, "status">;

/** Reads a body to its end; `onFlow` gets the flow before the first chunk. */
export function consume(response: HttpResponse, onFlow?: (flow: HttpBodyFlow) => void): Promise<Consumed> {
  const chunks: Uint8Array[] = [];
  return new Promise((resolve, reject) => {
    let isOver = false;
    const end = (isDelimited: boolean | null, error: HttpClientError | null): void => {
      if (isOver) {
        reject(new Error("the body ended twice"));
      }
      isOver = true;
      resolve({ body: Buffer.concat(chunks).toString("latin1"), isDelimited, error });
    };
    const flow = response.body.consume({
      onChunk: (chunk) => {
        if (isOver || chunk.length === 0) {
          reject(new Error("a chunk came after the end, or is empty"));
        }
        chunks.push(chunk);
      },
      onEnd: (isDelimited) => end(isDelimited, null),
      onError: (error) => end(null, error),
    });
    onFlow?.(flow);
  });
}

/** The error of a promise that has to fail. */
export async function failure(promise: Promise<unknown>): Promise<HttpClientError> {
  try {
    await promise;
  } catch (error) {
    return clientError(error);
  }
  throw new Error("the call succeeded");
}

function clientError(error: unknown): HttpClientError {
  if (error instanceof HttpClientError) {
    return error;
  }
  throw error;
}

/** The time that something took, in milliseconds. */
export async function elapsedMs(work: Promise<unknown>): Promise<number> {
  const startedMs = performance.now();
  await work;
  return performance.now() - startedMs;
}
