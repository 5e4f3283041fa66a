import type { AdmittedCall, CallHeaders } from "../model.ts";

/** The headers by which clients name their conversations. */
const headerNames = ["session-id", "session_id", "x-claude-code-session-id"];
const nameLengthMax = 256;

/**
 * The conversation that a call belongs to, as its client names it; null if it does not. Names of different users, and
 * of different models, never meet.
 */
export function nameConversation({ call, request, principal, model }: AdmittedCall): string | null {
  const named = request.cacheKey ?? findName(call.headers);
  return isName(named) ? `${principal.gatewayUserId}\n${model.name}\n${named}` : null;
}

function findName(headers: CallHeaders): string | null {
  for (const name of headerNames) {
    const value = headers.get(name);
    if (isName(value)) {
      return value;
    }
  }
  return null;
}

function isName(text: string | null): text is string {
  return text !== null && text !== "" && text.length <= nameLengthMax;
}
