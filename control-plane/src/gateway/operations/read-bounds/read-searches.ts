import { AppError } from "../../../platform/errors.ts";
import { isSearch } from "../../options/check-tools.ts";
import type { JsonObject } from "../model.ts";
import { readCount } from "./read-count.ts";

const usesMax = 100;

/**
 * The most searches that the tools of a Messages request allow.
 * @throws AppError `missing_field` for a search without a limit, which could cost anything; `invalid_value` for a limit
 *   that is not a number, or is too high
 */
export function readSearches(tools: unknown): number {
  const searches = Array.isArray(tools) ? [...tools.entries()].filter(([, tool]) => isSearchObject(tool)) : [];
  return searches.reduce((sum, [index, tool]) => sum + readUses(tool, index), 0);
}

function readUses(tool: JsonObject, index: number): number {
  const uses = readCount(tool, "max_uses", 1, usesMax);
  if (uses === null) {
    throw new AppError("missing_field", {
      message: `tools.${index}.max_uses: Field required, because each search is charged`,
      param: `tools[${index}].max_uses`,
    });
  }
  return uses;
}

function isSearchObject(tool: unknown): tool is JsonObject {
  return typeof tool === "object" && tool !== null && isSearch(tool as JsonObject);
}
