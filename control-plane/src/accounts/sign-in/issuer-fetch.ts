import type { HttpClient } from "@sluice/http-client/model";
import type { CustomFetch } from "openid-client";

const responseBytesMax = 256 * 1024;
/** Statuses whose responses have no body. */
const withoutBody: readonly number[] = [204, 205, 304];

const limits = {
  connectTimeoutMs: 3_000,
  firstByteTimeoutMs: 5_000,
  idleTimeoutMs: 3_000,
  totalTimeoutMs: 8_000,
  responseBytesMax,
};

/**
 * `fetch` over the client that judges addresses: what an issuer names as its endpoints is as little trusted as the
 * issuer itself. No redirects, no compression, and a limit on time and size.
 */
export function issuerFetch(client: HttpClient): CustomFetch {
  return async (address, { method, headers, body, signal }) => {
    const url = new URL(address);
    if (url.protocol !== "https:" && url.protocol !== "http:") {
      throw new TypeError(`an issuer can't be called by ${url.protocol}`);
    }
    const isSecure = url.protocol === "https:";
    const response = await client.send({
      protocol: url.protocol,
      hostname: url.hostname.replace(/^\[(.*)\]$/, "$1"),
      port: url.port === "" ? (isSecure ? 443 : 80) : Number(url.port),
      method,
      target: `${url.pathname}${url.search}`,
      headers: Object.entries({ ...headers, "accept-encoding": "identity", "user-agent": "sluice" }),
      body: bytesOf(body),
      signal: signal ?? AbortSignal.timeout(limits.totalTimeoutMs),
      limits,
    });
    const bytes = await response.body.bytes(responseBytesMax);
    const isEmpty = withoutBody.includes(response.status);
    return new Response(isEmpty ? null : new Uint8Array(bytes), {
      status: response.status,
      headers: response.headers.map(([name, value]) => [name, value]),
    });
  };
}

/** The library sends forms. */
function bytesOf(body: Parameters<CustomFetch>[1]["body"]): Uint8Array | null {
  if (body === null || body === undefined) {
    return null;
  }
  if (typeof body !== "string" && !(body instanceof URLSearchParams)) {
    throw new TypeError("an issuer is sent text only");
  }
  return Buffer.from(body.toString(), "utf8");
}
