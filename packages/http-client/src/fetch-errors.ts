import { HttpClientError } from "./model.ts";

// Errors that are only possible before a connection exists, so that nothing of the request has been sent.
const unreachableCodes = new Set([
  "ECONNREFUSED",
  "ENOTFOUND",
  "EAI_AGAIN",
  "EHOSTUNREACH",
  "ENETUNREACH",
  "EADDRNOTAVAIL",
  "ConnectionRefused",
  "FailedToOpenSocket",
]);
const tlsCodePattern =
  /^(?:EPROTO|ERR_TLS_|ERR_SSL_|CERT_|CRL_|DEPTH_ZERO_|SELF_SIGNED_|UNABLE_TO_|INVALID_CA|HOSTNAME_)/;

/** Names what `fetch` threw. If unclear, the request counts as sent. */
export function toClientError(thrown: unknown, isHeadKnown: boolean): HttpClientError {
  const code = codeOf(thrown);
  if (isHeadKnown) {
    return code === "InvalidHTTPResponse"
      ? new HttpClientError("malformed", true, "the body of the response is malformed")
      : new HttpClientError("reset_in_body", true, `the body of the response was cut off: ${code}`);
  }
  if (unreachableCodes.has(code)) {
    return new HttpClientError("unreachable", false, `the peer could not be reached: ${code}`);
  }
  if (tlsCodePattern.test(code)) {
    return new HttpClientError("tls", false, `no trusted TLS connection could be established: ${code}`);
  }
  if (code === "InvalidHTTPResponse" || code.startsWith("HPE_") || code.startsWith("ResponseHeader")) {
    return new HttpClientError("malformed", true, `the head of the response is malformed: ${code}`);
  }
  return new HttpClientError("reset_before_head", true, `there was no response: ${code}`);
}

function codeOf(thrown: unknown): string {
  const code = thrown instanceof Error && "code" in thrown ? thrown.code : undefined;
  return typeof code === "string" ? code : "no reason given";
}
