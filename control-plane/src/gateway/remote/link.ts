import type { ApiKeyId, GatewayUserId, UserId } from "@sluice/contracts/ids";
import { toAmount } from "../../platform/amount.ts";
import { isEqualSecret } from "../../platform/crypto/compare.ts";
import type { CallHeaders, CallReport, CallTraits } from "../model.ts";

/*
 * Between a relay and a gateway of this deployment, a few headers travel beside the client's own. They are trusted only
 * with a signature under a key that both derive from the master key; all others are ignored.
 */
export const requestIdHeader = "x-request-id";
export const clientAddressHeader = "x-sluice-client-address";
export const signatureHeader = "x-sluice-link";
/** For a call at another address: what is known about its model. */
export const traitsHeader = "x-sluice-traits";
export const reportHeader = "x-sluice-report";
/** Announces that the report follows the last event. */
export const reportFollows = "follows";
/** Says what is known about a call that has not ended, if its plain bytes leave no place for a report. */
export const begunHeader = "x-sluice-begun";
/** Begins the last event of a stream, a comment that carries the report and never leaves the relay. */
export const reportComment = ": sluice-report ";

/** A request id contains its creation time; a signature for an older one may have been intercepted. */
const ageMsMax = 120_000;

type SignedCall = {
  readonly requestId: string;
  readonly clientIp: string;
  readonly headers: CallHeaders;
  readonly encodedTraits?: string | null;
};

/** Signs what the relay states about a call; the signature is worthless with another API key. */
export function signCall(linkKey: Uint8Array, { requestId, clientIp, headers, encodedTraits }: SignedCall): string {
  const credential = headers.get("authorization") ?? headers.get("x-api-key") ?? headers.get("x-goog-api-key") ?? "";
  const traits = encodedTraits == null ? "" : `\n${encodedTraits}`;
  const text = `${requestId}\n${clientIp}\n${credential}${traits}`;
  return new Bun.CryptoHasher("sha256", linkKey).update(text).digest("hex");
}

const uuid = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

/** The first 48 bits of a UUID of version 7 are milliseconds since 1970. */
function isFresh(requestId: string): boolean {
  if (!uuid.test(requestId)) {
    return false;
  }
  const madeAtMs = Number.parseInt(requestId.slice(0, 8) + requestId.slice(9, 13), 16);
  return Math.abs(Date.now() - madeAtMs) <= ageMsMax;
}

type Link = { readonly requestId: string; readonly clientAddress: string; readonly traits: CallTraits | null };

/** What a relay of this deployment states about a call; null from anyone else. */
export function readLink(headers: CallHeaders, linkKeys: readonly Uint8Array[]): Link | null {
  const requestId = headers.get(requestIdHeader);
  const clientAddress = headers.get(clientAddressHeader);
  const signature = headers.get(signatureHeader);
  if (requestId === null || clientAddress === null || signature === null) {
    return null;
  }
  const encodedTraits = headers.get(traitsHeader);
  const call = { requestId, clientIp: clientAddress, headers, encodedTraits };
  const isOurs = linkKeys.some((linkKey) => isEqualSecret(signature, signCall(linkKey, call)));
  return isOurs && isFresh(requestId) ? { requestId, clientAddress, traits: decodeTraits(encodedTraits) } : null;
}

/** Traits as one word without signs that are special in a header. */
export function encodeTraits(traits: CallTraits): string {
  return Buffer.from(JSON.stringify(traits)).toString("base64");
}

/** What `encodeTraits` has made; the signature has shown that it did. */
function decodeTraits(text: string | null): CallTraits | null {
  return text === null ? null : (JSON.parse(Buffer.from(text, "base64").toString("utf8")) as CallTraits);
}

/** What the gateway knows and the relay can't see, except for the response itself. */
type ReportFields = Omit<CallReport, "responsePieces" | "responseBytes">;

/** A report as one line without characters that are special in a header or an event. */
export function encodeReport(report: CallReport): string {
  const { responsePieces: _pieces, responseBytes: _bytes, ...fields } = report;
  const text = JSON.stringify(fields, (_, value) => (typeof value === "bigint" ? value.toString() : value));
  return Buffer.from(text).toString("base64");
}

/** Decodes the output of `encodeReport`; null for anything else. */
export function decodeReport(text: string): ReportFields | null {
  try {
    const fields = JSON.parse(Buffer.from(text, "base64").toString("utf8")) as Record<string, string | null>;
    const integer = (name: string) => (fields[name] == null ? null : BigInt(fields[name]));
    const amount = (name: string) => (fields[name] == null ? null : toAmount(BigInt(fields[name])));
    return {
      ...(fields as unknown as ReportFields),
      userId: integer("userId") as UserId | null,
      gatewayUserId: integer("gatewayUserId") as GatewayUserId | null,
      apiKeyId: integer("apiKeyId") as ApiKeyId | null,
      inputTokens: amount("inputTokens"),
      outputTokens: amount("outputTokens"),
    };
  } catch {
    return null;
  }
}
