import type { Channel } from "../../channels/model.ts";

/** What no client may see of a channel: its credentials, and the operator's supplier. */
export type Secrets = Pick<Channel, "credentials" | "endpoints">;

/** Shorter parts of a credential are not secret: many texts contain them. */
const partLengthMin = 8;

/** The text without the secrets of a channel. */
export function hide(text: string, { credentials, endpoints }: Secrets): string {
  const hosts = [...endpoints.values()].map(({ hostname }) => hostname).filter((name) => name.includes("."));
  const hidden = [...credentials.flatMap(({ secret }) => [secret, ...partsOf(secret)]), ...hosts];
  return hidden.reduce((rest, secret) => rest.replaceAll(new RegExp(RegExp.escape(secret), "gi"), "[redacted]"), text);
}

/** The texts in a credential that is a JSON object: providers quote a key's id, or the headers that they got. */
function partsOf(credential: string): string[] {
  if (!credential.trimStart().startsWith("{")) {
    return [];
  }
  try {
    return Object.values(JSON.parse(credential))
      .filter((part) => typeof part === "string")
      .filter((part) => part.length >= partLengthMin);
  } catch {
    // It only looks like one.
    return [];
  }
}
