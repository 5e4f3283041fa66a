import { type RelayKeyRing, readRelayKey } from "@sluice/exit-protocol/relay-key";

export type RelayKeyVerdict = "accepted" | "none" | "unauthorized" | "ambiguous_credentials";

/** Judges the relay key of a request by its headers alone, in a time that does not tell how much of a key was right. */
export function authorizeRelayKey(headers: Headers, ring: RelayKeyRing): RelayKeyVerdict {
  const sent = readRelayKey(headers);
  switch (sent.kind) {
    case "none":
      return "none";
    case "several":
      return "ambiguous_credentials";
    case "one":
      return ring.accepts(sent.key) ? "accepted" : "unauthorized";
  }
}
