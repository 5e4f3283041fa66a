/** Refuses what the real provider refuses, with its words. */
import { refuse } from "../api/json-answer.ts";
import { asArray, asObject, type JsonObject } from "../api/prompt.ts";
import { isSignedBy } from "../api/signature.ts";
import type { IncomingRequest } from "../script/incoming-request.ts";
import { callOf, fieldOf, partsOf, resultOf } from "./parts.ts";

const fields = new Set([
  ...["contents", "systemInstruction", "tools", "toolConfig", "safetySettings", "generationConfig"],
  ...["cachedContent", "model", "serviceTier", "store", "labels"],
]);
const countFields = new Set([...fields, "generateContentRequest"]);

type Turn = { readonly role: unknown; readonly parts: readonly JsonObject[] };

/** The body, whose contents are in order. @throws RequestRefused */
export function requireContents(request: IncomingRequest, signatureKey: string, isCount = false): JsonObject {
  const body = request.jsonObject;
  if (body === null) {
    throw refuse("Invalid JSON payload received. Unexpected token.");
  }
  const known = isCount ? countFields : fields;
  for (const name of Object.keys(body)) {
    if (!known.has(name.replace(/_([a-z])/g, (_, letter: string) => letter.toUpperCase()))) {
      throw refuse(`Invalid JSON payload received. Unknown name "${name}": Cannot find field.`);
    }
  }
  const prompt = isCount ? asObject(fieldOf(body, "generateContentRequest") ?? body) : body;
  const contents = asArray(prompt["contents"]).map((content): Turn => {
    const { role } = asObject(content);
    return { role: role ?? "user", parts: partsOf(content) };
  });
  if (contents.length === 0) {
    throw refuse("* GenerateContentRequest.contents: contents is not specified\n");
  }
  checkTurns(contents);
  checkSignatures(contents, request.model ?? "", signatureKey);
  return prompt;
}

function checkTurns(contents: readonly Turn[]): void {
  for (const [index, { role, parts }] of contents.entries()) {
    if (role !== "user" && role !== "model" && role !== "function") {
      throw refuse("Please use a valid role: user, model.");
    }
    if (parts.length === 0) {
      throw refuse(`* GenerateContentRequest.contents[${index}].parts: contents.parts must not be empty.\n`);
    }
    const calls = parts.filter((part) => callOf(part) !== null).length;
    const results = (contents[index + 1]?.parts ?? []).filter((part) => resultOf(part) !== null).length;
    if (calls > 0 && calls !== results) {
      throw refuse(
        "Please ensure that the number of function response parts is equal to the number of function call parts of the function call turn.",
      );
    }
    if (calls === 0 && results > 0) {
      throw refuse("Please ensure that function response turn comes immediately after a function call turn.");
    }
  }
}

/** Since version 3, the calls of the current turn must come back with the signature that their first one had. */
function checkSignatures(contents: readonly Turn[], model: string, key: string): void {
  const isNeeded = Number(/^gemini-(\d+)/.exec(model)?.[1] ?? 0) >= 3;
  const start = contents.findLastIndex(
    ({ role, parts }) => role === "user" && parts.every((part) => resultOf(part) === null),
  );
  for (const [index, { parts }] of contents.entries()) {
    const first = parts.find((part) => callOf(part) !== null);
    const name = String(callOf(first ?? {})?.["name"]);
    if (first !== undefined && isNeeded && index > start && fieldOf(first, "thoughtSignature") === undefined) {
      throw refuse(`Function call is missing a thought_signature in functionCall parts. Function call \`${name}\`.`);
    }
    const signatures = parts.map((part) => fieldOf(part, "thoughtSignature")).filter((one) => one !== undefined);
    if (signatures.some((signature) => !isSignedBy(key, signature, null))) {
      throw refuse("Thought signature is not valid.");
    }
  }
}
