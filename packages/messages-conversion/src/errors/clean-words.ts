const credentialPatterns: readonly (readonly [RegExp, string])[] = [
  [/\b(?:sk|pk|rk|gsk|xai|nvapi)-[A-Za-z0-9_*-]{6,}/g, "[redacted]"],
  [/\bAIza[\w-]{10,}/g, "[redacted]"],
  [/\b(Bearer|Basic)\s+[\w.~+/=-]{6,}/gi, "$1 [redacted]"],
  [/\b(key|token|secret|password|api_key)=[^&\s"]+/gi, "$1=[redacted]"],
  [/\bhttps?:\/\/[^\s"'<>)]+/gi, "[address]"],
  [/(?<![\w.])(?:\d{1,3}\.){3}\d{1,3}(?::\d{1,5})?(?!\.?\w)/g, "[address]"],
  [/\blocalhost(?::\d{1,5})?/gi, "[address]"],
  [/\borg-[A-Za-z0-9]{8,}/g, "[redacted]"],
];

/**
 * The words of an upstream as a client may read them: without credentials and addresses of ours, and with the model
 * under the name that the client used.
 */
export function cleanWords(text: string, requestedModel: string, upstreamModel: string): string {
  let clean = text;
  for (const [pattern, replacement] of credentialPatterns) {
    clean = clean.replace(pattern, replacement);
  }
  return upstreamModel === "" || upstreamModel === requestedModel
    ? clean
    : clean.replaceAll(upstreamModel, () => requestedModel);
}
