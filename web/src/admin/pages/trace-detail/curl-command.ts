import type { BodyView } from "@sluice/contracts/traces";

type Call = {
  readonly method: string;
  readonly path: string;
  /** Where the service is reached, without a slash at the end. */
  readonly origin: string;
  readonly body: BodyView | null;
};

const keyVariable = "GATEWAY_API_KEY";
const quoted = (text: string): string => `'${text.replaceAll("'", "'\\''")}'`;

/**
 * A traced request as a command for a shell, which reads the key from a variable: no trace has it. Null for a body that is not
 * text or was stored in part, as the command would send something else.
 */
export function curlCommand({ method, path, origin, body }: Call): string | null {
  if (body !== null && (body.encoding !== "text" || body.is_truncated)) {
    return null;
  }
  const lines = [
    `curl -X ${method} ${quoted(`${origin}${path}`)}`,
    `-H "Authorization: Bearer $${keyVariable}"`,
    ...(body === null ? [] : [`-H 'Content-Type: application/json'`, `--data-raw ${quoted(body.content)}`]),
  ];
  return lines.join(" \\\n  ");
}
