import type { BodyView } from "@sluice/contracts/traces";

/** Shows JSON with line breaks, and everything else unchanged. */
export function readableBody({ encoding, content }: BodyView): string {
  if (encoding === "text" && /^\s*[[{]/.test(content)) {
    try {
      return JSON.stringify(JSON.parse(content), null, 2);
    } catch {
      // The text is a stream of events, or a truncated body.
      return content;
    }
  }
  return content;
}
