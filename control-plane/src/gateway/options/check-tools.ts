import { AppError } from "../../platform/errors.ts";
import { refuseInnerDisguise } from "./known-names.ts";

type JsonObject = Record<string, unknown>;

/** Tools that the client runs itself. All others are run by a provider, which charges for them. */
const ownTypes: ReadonlySet<unknown> = new Set(["function", "custom", "local_shell", "apply_patch"]);
/** The type of a tool as a field name, as some providers have it: such tools need no type. */
const hostedFields = new Set([
  ...["google_search", "googleSearch", "google_search_retrieval", "googleSearchRetrieval", "google_maps", "googleMaps"],
  ...["code_execution", "codeExecution", "url_context", "urlContext", "web_search", "retrieval", "mcp"],
]);

/** The tools of the Messages API that the client runs itself, by their type with its date. */
const ownTypedTools = /^(?:(?:bash|text_editor|memory|computer)|(?:browser|computer)_toolset)_\d{8}$/;

/** The search of the Messages API, by its date. It has a price of its own: a model without one refuses it. */
const searchTool = /^web_search_\d{8}$/;

/**
 * Refuses tools that a provider runs: each use of them costs extra, and has no price here.
 * @throws AppError `unpriced_option`, `invalid_type`, `unknown_field`
 */
export function checkTools(tools: unknown, param = "tools"): void {
  const list = listOf(tools, param);
  for (let index = 0; index < list.length; index += 1) {
    checkTool(list[index], `${param}[${index}]`);
  }
}

/**
 * The same for the tools of the Messages API; a search is left to the price of the model.
 * @throws AppError `unpriced_option`, `invalid_type`, `unknown_field`
 */
export function checkTypedTools(tools: unknown, param = "tools"): void {
  const list = listOf(tools, param);
  for (let index = 0; index < list.length; index += 1) {
    checkTypedTool(list[index], `${param}[${index}]`, isSearch);
  }
}

/** Whether a tool of the Messages API is a search that its provider makes. */
export function isSearch({ type }: JsonObject): boolean {
  return typeof type === "string" && searchTool.test(type);
}

/**
 * @param isPriced whether the tool has a price besides those of tokens
 * @throws AppError as `checkTypedTools` does
 */
export function checkTypedTool(
  tool: unknown,
  param: string,
  isPriced: (tool: JsonObject) => boolean = () => false,
): void {
  const fields = objectOf(tool, param);
  for (const name of Object.keys(fields)) {
    refuseInnerDisguise(name, param);
  }
  const type = fields["type"] ?? "custom";
  if (isPriced(fields)) {
    return;
  }
  if (type !== "custom" && !(typeof type === "string" && ownTypedTools.test(type))) {
    throw unpricedTool(type, `${param}.type`);
  }
}

function listOf(tools: unknown, param: string): readonly unknown[] {
  if (tools === undefined || tools === null) {
    return noTools;
  }
  if (!Array.isArray(tools)) {
    throw new AppError("invalid_type", { message: `'${param}' must be an array.`, param });
  }
  return tools;
}

const noTools: readonly unknown[] = [];

function objectOf(tool: unknown, param: string): JsonObject {
  if (!isObject(tool)) {
    throw new AppError("invalid_type", { message: `'${param}' must be an object.`, param });
  }
  return tool;
}

function checkTool(item: unknown, param: string): void {
  const tool = objectOf(item, param);
  for (const name of Object.keys(tool)) {
    refuseInnerDisguise(name, param);
    if (hostedFields.has(name)) {
      throw unpricedTool(name, `${param}.${name}`);
    }
  }
  if (!isOwn(tool)) {
    throw unpricedTool(tool["type"], `${param}.type`);
  }
  if (tool["type"] === "namespace") {
    checkTools(tool["tools"], `${param}.tools`);
  }
}

/** Whether the client runs a tool. Providers that accept one without a type treat it as a function. */
export function isOwn(tool: JsonObject): boolean {
  const { type = "function" } = tool;
  switch (type) {
    case "namespace":
      return true;
    case "tool_search":
      return tool["execution"] === "client";
    case "shell":
      return isObject(tool["environment"]) && tool["environment"]["type"] === "local";
    default:
      return ownTypes.has(type);
  }
}

function unpricedTool(type: unknown, param: string): AppError {
  const what = (typeof type === "string" ? type : JSON.stringify(type)).slice(0, 64);
  return new AppError("unpriced_option", {
    message: `The tool '${what}' is not offered. The provider runs it and charges for each use, which has no price here.`,
    param,
  });
}

function isObject(value: unknown): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
