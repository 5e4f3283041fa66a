import type { HttpClient, HttpClientError, HttpLimits, HttpResponse } from "@sluice/http-client/model";
import { AddressRefusedError } from "@sluice/http-client/server-guard";
import type { Message } from "./write-message.ts";

/** A response with the beginning of its body. */
export type Received = { readonly status: number; readonly retryAfter: string | null; readonly text: string };

const limits: HttpLimits = {
  connectTimeoutMs: 5_000,
  firstByteTimeoutMs: 15_000,
  idleTimeoutMs: 5_000,
  totalTimeoutMs: 20_000,
  // Only the beginning is read; the connection is closed then.
  responseBytesMax: 1024 * 1024 * 1024,
};
const readBytesMax = 4_096;

/**
 * Posts a message once, without following redirects.
 * @throws HttpClientError when there is no response
 */
export async function sendMessage(client: HttpClient, message: Message, signal: AbortSignal): Promise<Received> {
  const { protocol, hostname, port, pathname, search } = new URL(message.url);
  const isSecure = protocol === "https:";
  const response = await client.send({
    protocol: isSecure ? "https:" : "http:",
    hostname: hostname.replace(/^\[(.*)\]$/, "$1"),
    port: port === "" ? (isSecure ? 443 : 80) : Number(port),
    method: "POST",
    target: `${pathname}${search}`,
    headers: [...message.headers, ["accept", "application/json"], ["user-agent", "sluice"]],
    body: Buffer.from(message.body, "utf8"),
    signal,
    limits,
  });
  const retryAfter = response.headers.find(([name]) => name === "retry-after")?.[1] ?? null;
  return { status: response.status, retryAfter, text: await readStart(response) };
}

/** The first bytes of a body as text. What breaks after the head changes nothing: the status has been said. */
async function readStart({ body }: HttpResponse): Promise<string> {
  const chunks: Buffer[] = [];
  let length = 0;
  const done = Promise.withResolvers<void>();
  const flow = body.consume({
    onChunk: (chunk) => {
      chunks.push(chunk);
      length += chunk.length;
      if (length >= readBytesMax) {
        flow.cancel();
        done.resolve();
      }
    },
    onEnd: () => done.resolve(),
    onError: () => done.resolve(),
  });
  await done.promise;
  return Buffer.concat(chunks).subarray(0, readBytesMax).toString("utf8");
}

const reasons: Readonly<Partial<Record<HttpClientError["kind"], string>>> = {
  no_connection: "too many connections",
  tls: "its certificate or TLS is not accepted",
  connect_timeout: "no connection in time",
  first_byte_timeout: "no response in time",
  idle_timeout: "no response in time",
  total_timeout: "no response in time",
  upload_timeout: "it read the message too slowly",
  reset_before_head: "it closed the connection",
  reset_in_body: "it closed the connection",
  malformed: "its response is not HTTP",
  aborted: "the program stopped meanwhile",
};

/**
 * Why there is no response, in words for the owner of the target. They leave out the address of a name that resolves into
 * our network: only our resolver may know it.
 */
export function reasonOf(error: HttpClientError): string {
  if (error instanceof AddressRefusedError || error.cause instanceof AddressRefusedError) {
    return "its address is not allowed";
  }
  return reasons[error.kind] ?? error.message;
}
