import type { ApiKeyId, GatewayUserId, UserId } from "@sluice/contracts/ids";
import { isEqualSecret } from "../../platform/crypto/compare.ts";
import type { CallReport } from "../model.ts";

/*
 * Between a relay and a gateway of this deployment, a few headers travel beside the client's own. They are believed
 * only with a signature under a key that both derive from the master key; anybody else's are ignored.
 */
export const requestIdHeader = "x-request-id";
export const clientAddressHeader = "x-sluice-client-address";
export const signatureHeader = "x-sluice-link";
export const reportHeader = "x-sluice-report";
/** In place of a report on the head: it follows the last event. */
export const reportFollows = "follows";
/** Begins the last event of a stream, a comment that carries the report and never leaves the relay. */
export const reportComment = ": sluice-report ";

/** Signs what the relay says of a call. */
export function signCall(linkKey: Uint8Array, requestId: string, clientAddress: string): string {
  return new Bun.CryptoHasher("sha256", linkKey).update(`${requestId}\n${clientAddress}`).digest("hex");
}

/** What a relay of this deployment says of a call; null from anybody else. */
export function readLink(headers: Headers, linkKey: Uint8Array): { requestId: string; clientAddress: string } | null {
  const requestId = headers.get(requestIdHeader);
  const clientAddress = headers.get(clientAddressHeader);
  const signature = headers.get(signatureHeader);
  if (requestId === null || clientAddress === null || signature === null) {
    return null;
  }
  return isEqualSecret(signature, signCall(linkKey, requestId, clientAddress)) ? { requestId, clientAddress } : null;
}

/** What the gateway knows and the relay can't see; the answer itself is not part of it. */
type ReportFields = Omit<CallReport, "responsePieces" | "responseBytes">;

/** A report as one line without characters that mean anything in a header or an event. */
export function encodeReport(report: CallReport): string {
  const { responsePieces: _pieces, responseBytes: _bytes, ...fields } = report;
  const text = JSON.stringify(fields, (_, value) => (typeof value === "bigint" ? value.toString() : value));
  return Buffer.from(text).toString("base64");
}

/** Reads what `encodeReport` wrote; null for anything else. */
export function decodeReport(text: string): ReportFields | null {
  try {
    const fields = JSON.parse(Buffer.from(text, "base64").toString("utf8")) as Record<string, string | null>;
    const integer = (name: string) => (fields[name] == null ? null : BigInt(fields[name]));
    return {
      ...(fields as unknown as ReportFields),
      userId: integer("userId") as UserId | null,
      gatewayUserId: integer("gatewayUserId") as GatewayUserId | null,
      apiKeyId: integer("apiKeyId") as ApiKeyId | null,
      inputTokens: integer("inputTokens"),
      outputTokens: integer("outputTokens"),
    };
  } catch {
    return null;
  }
}
