import type { BodyView } from "@sluice/contracts/traces";
import { redactForms } from "../../platform/log.ts";

/** Members of JSON objects that hold a credential, whatever it looks like. The value may be cut off at the end of the body. */
const credentialMember =
  /("(?:authorization|authorization_token|x-api-key|api[_-]?key|password|passwd|client_secret|access_token|refresh_token|private_key)"\s*:\s*")(?:[^"\\]|\\.)+("?)/gi;

/**
 * A body without what looks like a credential: of a tool, for example, which a client passes to the provider. What is not text is
 * left as it is.
 */
export function maskCredentials(body: BodyView): BodyView {
  return body.encoding === "text" ? { ...body, content: maskText(body.content) } : body;
}

function maskText(text: string): string {
  return redactForms(text.replace(credentialMember, "$1[redacted]$2"));
}
