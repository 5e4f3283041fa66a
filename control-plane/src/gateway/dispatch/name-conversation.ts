import type { AdmittedCall } from "../model.ts";

/** The headers by which clients name their conversations. */
const headerNames = ["session-id", "session_id", "x-claude-code-session-id"];
const nameLengthMax = 256;

/**
 * The conversation that a call belongs to, as its client names it; null if it does not. Names of different users, and
 * of different models, never meet.
 */
export function nameConversation({ call, request, principal, model }: AdmittedCall): string | null {
  const named = request.cacheKey ?? headerNames.map((name) => call.headers.get(name)).find(isName) ?? null;
  return isName(named) ? `${principal.gatewayUserId}\n${model.name}\n${named}` : null;
}

function isName(text: string | null): text is string {
  return text !== null && text !== "" && text.length <= nameLengthMax;
}
