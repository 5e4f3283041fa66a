/** Reads what a request of Gemini wants. */
import { asArray, asObject, type JsonObject, optionalCount } from "../api/prompt.ts";
import type { OfferedTool, ToolChoice, Wishes } from "../api/wishes.ts";
import { fieldOf, partsOf, resultOf } from "./parts.ts";

const candidatesMax = 8;

/** @throws RequestRefused */
export function readWishes(body: JsonObject): Wishes {
  const config = asObject(fieldOf(body, "generationConfig"));
  return {
    choices: Math.min(countOf(config, "candidateCount") ?? 1, candidatesMax),
    stop: asArray(fieldOf(config, "stopSequences")).filter((one) => typeof one === "string"),
    tools: asArray(body["tools"]).flatMap(declaredTools),
    toolChoice: readToolChoice(body),
    structure: readStructure(config),
    reasoning: readReasoning(asObject(fieldOf(config, "thinkingConfig"))),
    toolResults: partsOf(asArray(body["contents"]).at(-1))
      .map(resultOf)
      .filter((result) => result !== null)
      .map((result) => JSON.stringify(result["response"] ?? {})),
  };
}

/** @throws RequestRefused */
export function readTokensMax(body: JsonObject): number | null {
  return countOf(asObject(fieldOf(body, "generationConfig")), "maxOutputTokens");
}

function countOf(config: JsonObject, name: string): number | null {
  return optionalCount({ [name]: fieldOf(config, name) }, name, 1);
}

function declaredTools(tool: unknown): readonly OfferedTool[] {
  return asArray(fieldOf(asObject(tool), "functionDeclarations"))
    .map(asObject)
    .flatMap((declaration) => {
      const { name } = declaration;
      const parameters = fieldOf(declaration, "parametersJsonSchema") ??
        declaration["parameters"] ?? { type: "object" };
      return typeof name === "string" ? [{ name, parameters: toJsonSchema(parameters) }] : [];
    });
}

function readToolChoice(body: JsonObject): ToolChoice {
  const config = asObject(fieldOf(asObject(fieldOf(body, "toolConfig")), "functionCallingConfig"));
  const allowed = fieldOf(config, "allowedFunctionNames");
  return {
    mode: config["mode"] === "ANY" ? "required" : config["mode"] === "NONE" ? "none" : "auto",
    forced: null,
    allowed: Array.isArray(allowed) ? allowed.map(String) : null,
    isParallel: true,
  };
}

function readStructure(config: JsonObject): Wishes["structure"] {
  if (fieldOf(config, "responseMimeType") !== "application/json") {
    return null;
  }
  const schema = fieldOf(config, "responseJsonSchema") ?? fieldOf(config, "responseSchema");
  return schema === undefined ? "json" : { schema: toJsonSchema(schema) };
}

function readReasoning(config: JsonObject): Wishes["reasoning"] {
  const budget = fieldOf(config, "thinkingBudget");
  const level = fieldOf(config, "thinkingLevel");
  const isShown = fieldOf(config, "includeThoughts") === true;
  const isOff = budget === 0 || level === "minimal" || (budget === undefined && level === undefined && !isShown);
  return isOff ? "none" : isShown ? "shown" : "hidden";
}

/** Google writes the types of a schema in capitals. */
function toJsonSchema(schema: unknown): unknown {
  if (Array.isArray(schema)) {
    return schema.map(toJsonSchema);
  }
  if (typeof schema !== "object" || schema === null) {
    return schema;
  }
  const entries = Object.entries(schema).map(([name, value]) => [
    name,
    name === "type" && typeof value === "string" ? value.toLowerCase() : toJsonSchema(value),
  ]);
  return Object.fromEntries(entries);
}
