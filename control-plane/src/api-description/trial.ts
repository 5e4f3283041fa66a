import type { ApiTrial } from "@sluice/contracts/api-trial";
import type { JsonSchema } from "@sluice/contracts/native-route";
import { previewedOperations } from "@sluice/contracts/previewed-operations";
import { leastOf } from "./curl-example.ts";
import type { Operation } from "./model.ts";

/**
 * How the operation is tried on the page; null for what a page can't or shouldn't send: files and other bodies than JSON,
 * messages of payment gateways, and what monitoring reads.
 */
export function trialOf(path: string, method: string, operation: Operation): ApiTrial | null {
  const { parameters = [], requestBody, security } = operation;
  const contents = (requestBody?.["content"] ?? {}) as Record<string, { readonly schema: JsonSchema }>;
  const json = contents["application/json"];
  const isRaw = requestBody !== undefined && (json === undefined || json.schema["type"] !== "object");
  if (isRaw || operation["x-access"] === "metrics_token") {
    return null;
  }
  const names = security.flatMap((each) => Object.keys(each));
  return {
    method: method.toUpperCase(),
    path,
    parameters: parameters.flatMap(({ name, in: place, required }) =>
      place === "path" || place === "query" ? [{ name: String(name), in: place, isRequired: required === true }] : [],
    ),
    body: json === undefined ? null : JSON.stringify(leastOf(json.schema), null, 2),
    credential: names.includes("apiKey")
      ? "api_key"
      : names.includes("userSession") || names.includes("adminSession")
        ? "login"
        : "none",
    takesToken: names.includes("accessToken"),
    needsRecentLogin: operation["x-fresh-login"] === true,
    isPreviewed: previewedOperations.some((each) => each === path),
  };
}
