import { priceFileBytesMax } from "@sluice/contracts/price-file-limits";
import { type HttpClient, HttpClientError, type HttpHeader, type HttpRequest } from "@sluice/http-client/model";
import type { AuditOrigin } from "../../../admin/audit/model.ts";
import { audit } from "../../../admin/audit/service.ts";
import type { Database } from "../../../platform/db.ts";
import { AppError } from "../../../platform/errors.ts";
import { parseBaseUrl } from "../../channels/model.ts";
import { findPriceData, storeCheck, storePrices } from "./price-data-store.ts";
import { type PricedProvider, readPriceFile } from "./read-price-file.ts";

const timeouts = {
  connectTimeoutMs: 5_000,
  firstByteTimeoutMs: 15_000,
  idleTimeoutMs: 10_000,
  totalTimeoutMs: 25_000,
};

export type FetchDeps = { readonly db: Database; readonly openClient: () => Promise<HttpClient> };

/** How a fetch ended, as admins read it. */
export type FetchResult = { readonly isOk: boolean; readonly text: string };

type Fetched =
  | { readonly kind: "unchanged" }
  | { readonly kind: "file"; readonly providers: readonly PricedProvider[]; readonly etag: string | null }
  | { readonly kind: "failed"; readonly text: string };

/**
 * Fetches the prices from the address that the operator has set, and stores them if they are new. A failure is
 * recorded for the page and leaves the stored prices as they are.
 * @returns null if no address is set
 */
export async function fetchPriceData(deps: FetchDeps, origin: AuditOrigin): Promise<FetchResult | null> {
  const { db } = deps;
  const known = await findPriceData(db);
  const url = known?.url ?? null;
  if (known === null || url === null) {
    return null;
  }
  const fetched = await fetchFile(deps, url, known.kind === "url" ? known.etag : null);
  const result = describe(fetched);
  await db.withTransaction(async (tx) => {
    // The address may have been changed while its file was on the way.
    const current = await findPriceData(tx);
    if (current?.url !== url) {
      return;
    }
    if (fetched.kind === "file") {
      const { providers, etag } = fetched;
      await storePrices(tx, { providers, kind: "url", name: url, storedBy: origin.actor.name }, etag);
      const subject = { subjectKind: "price_data", subjectId: "url" };
      await audit(tx, origin, "price_data.fetch", { ...subject, after: { url, result: result.text } });
    }
    await storeCheck(tx, result.isOk, result.text);
  });
  return result;
}

function describe(fetched: Fetched): FetchResult {
  switch (fetched.kind) {
    case "failed":
      return { isOk: false, text: fetched.text };
    case "unchanged":
      return { isOk: true, text: "The file has not changed." };
    case "file":
      return { isOk: true, text: `Fetched the prices of ${fetched.providers.length} providers.` };
  }
}

async function fetchFile({ openClient }: FetchDeps, url: string, etag: string | null): Promise<Fetched> {
  try {
    const client = await openClient();
    const response = await client.send(requestOf(url, etag));
    const bytes = await response.body.bytes(priceFileBytesMax);
    if (response.status === 304) {
      return { kind: "unchanged" };
    }
    if (response.status !== 200) {
      return { kind: "failed", text: `The server responded with status ${response.status}.` };
    }
    return { kind: "file", providers: await readPriceFile(Buffer.from(bytes)), etag: etagOf(response.headers) };
  } catch (error) {
    if (error instanceof HttpClientError) {
      return { kind: "failed", text: `${error.kind}: ${error.message}` };
    }
    if (error instanceof AppError) {
      return { kind: "failed", text: error.fields?.["content"] ?? error.message };
    }
    throw error;
  }
}

function requestOf(url: string, etag: string | null): HttpRequest {
  const { protocol, hostname, port, basePath } = parseBaseUrl(url.replace(/[?#].*$/, ""));
  return {
    ...{ protocol, hostname, port },
    method: "GET",
    target: `${basePath}${new URL(url).search}`,
    headers: [
      ["accept", "application/json"],
      ["accept-encoding", "identity"],
      ["user-agent", "sluice"],
      ...(etag === null ? [] : [["if-none-match", etag] as const]),
    ],
    body: null,
    signal: AbortSignal.timeout(timeouts.totalTimeoutMs),
    limits: { ...timeouts, responseBytesMax: priceFileBytesMax },
  };
}

/** Null for one that could not be sent back. */
function etagOf(headers: readonly HttpHeader[]): string | null {
  const found = headers.find(([name]) => name.toLowerCase() === "etag")?.[1] ?? null;
  return found !== null && /^(?:W\/)?"[\x21\x23-\x7e]{0,200}"$/.test(found) ? found : null;
}
