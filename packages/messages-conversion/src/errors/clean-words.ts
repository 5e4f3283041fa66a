const credentialPatterns: readonly (readonly [RegExp, string])[] = [
  [/\b(?:sk|pk|rk|gsk|xai|nvapi|hf|r8)[-_][A-Za-z0-9_*-]{6,}/g, "[redacted]"],
  [/\b(?:AKIA|ASIA)[A-Z0-9]{12,}/g, "[redacted]"],
  [/\beyJ[\w-]{8,}\.[\w-]{8,}\.[\w-]*/g, "[redacted]"],
  [/\bAIza[\w-]{10,}/g, "[redacted]"],
  [/\b(Bearer|Basic)\s+[\w.~+/=-]{6,}/gi, "$1 [redacted]"],
  [/\b(key|token|secret|password|api_key)=[^&\s"]+/gi, "$1=[redacted]"],
  [/\b((?:api[ _-]?key|secret|password)["']?:\s*["']?)[\w.~+/=*-]{8,}/gi, "$1[redacted]"],
  [/\b[a-z][a-z0-9+.-]{1,20}:\/\/[^\s"'<>)]+/gi, "[address]"],
  [/\[[0-9a-f]{0,4}:[0-9a-f.]{0,4}:[0-9a-f:.]{0,40}\](?::\d{1,5})?/gi, "[address]"],
  [/(?<![\w.])(?:\d{1,3}\.){3}\d{1,3}(?::\d{1,5})?(?!\.?\w)/g, "[address]"],
  [/\blocalhost(?::\d{1,5})?/gi, "[address]"],
  [/\borg-[A-Za-z0-9]{8,}/g, "[redacted]"],
];

/**
 * An upstream's message as a client may read it: without our credentials and addresses, and with the model under the
 * name that the client used.
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
