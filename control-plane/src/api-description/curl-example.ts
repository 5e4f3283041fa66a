import type { JsonSchema } from "@sluice/contracts/native-route";
import type { Json, Operation } from "./model.ts";

/** A call of the operation with curl, with the least that it has to send. */
export function curlExample(
  path: string,
  method: string,
  { requestBody, security, parameters = [] }: Operation,
): string {
  const [first] = security;
  const login = Object.keys(first ?? {})[0] ?? "";
  const query = parameters
    .filter((each) => each["in"] === "query" && each["required"] === true)
    .map(({ name }) => `${String(name)}=...`);
  const address = `$BASE_URL${path}${query.length === 0 ? "" : `?${query.join("&")}`}`;
  const lines = [`curl ${method === "get" ? "" : `-X ${method.toUpperCase()} `}"${address}"`];
  if (security.some((each) => "accessToken" in each)) {
    lines.push('-H "Authorization: Bearer $ACCESS_TOKEN"');
  } else if (login === "apiKey" || login === "metricsToken") {
    lines.push(`-H "Authorization: Bearer $${login === "apiKey" ? "API_KEY" : "METRICS_TOKEN"}"`);
  } else if (login !== "") {
    lines.push("-b cookies.txt");
  }
  const contents = (requestBody?.["content"] ?? {}) as Record<string, { readonly schema: JsonSchema }>;
  const [type, content] = Object.entries(contents)[0] ?? [];
  if (type === "application/json" && content !== undefined) {
    lines.push('-H "Content-Type: application/json"', `-d '${JSON.stringify(leastOf(content.schema))}'`);
  } else if (type !== undefined) {
    lines.push(`-H "Content-Type: ${type}"`, "--data-binary @body");
  }
  return lines.join(" \\\n  ");
}

/** The required fields of a body, each with a value of its type. */
export function leastOf(schema: JsonSchema): Json {
  const properties = (schema["properties"] ?? {}) as Readonly<Record<string, JsonSchema>>;
  const required = (schema["required"] ?? []) as readonly string[];
  return Object.fromEntries(required.map((name) => [name, sampleOf(properties[name] ?? {})]));
}

function sampleOf(schema: JsonSchema): unknown {
  const { type, enum: choices, const: only } = schema;
  if (only !== undefined || Array.isArray(choices)) {
    return only ?? (choices as unknown[])[0];
  }
  switch (type) {
    case "integer":
    case "number":
      return schema["minimum"] ?? 1;
    case "boolean":
      return true;
    case "array":
      return [];
    case "object":
      return leastOf(schema);
    default:
      return "...";
  }
}
