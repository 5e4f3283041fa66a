import { type RelayKeyRing, readRelayKey } from "@sluice/exit-protocol/relay-key";

export type RelayKeyVerdict = "accepted" | "none" | "unauthorized" | "ambiguous_credentials";

/**
 * Checks the relay key of a request by its headers alone, in constant time.
 * @param onAccepted gets the index of the key, from 0
 */
export function authorizeRelayKey(
  headers: Headers,
  ring: RelayKeyRing,
  onAccepted?: (place: number) => void,
): RelayKeyVerdict {
  const sent = readRelayKey(headers);
  switch (sent.kind) {
    case "none":
      return "none";
    case "several":
      return "ambiguous_credentials";
    case "one": {
      const place = ring.placeOf(sent.key);
      if (place === -1) {
        return "unauthorized";
      }
      onAccepted?.(place);
      return "accepted";
    }
  }
}
