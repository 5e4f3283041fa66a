import { isSearch } from "../../options/check-tools.ts";
import type { JsonObject } from "../model.ts";
import { readCount } from "./read-count.ts";

const usesMax = 100;
/** A model seldom searches more often than this when nothing limits it; what it does beyond is charged all the same. */
const usesUsual = 10;

/**
 * The most searches that the tools of a Messages request allow.
 * @throws AppError `invalid_value` for a limit that is no number, or too high
 */
export function readSearches(tools: unknown): number {
  const searches = Array.isArray(tools) ? tools.filter(isSearchObject) : [];
  return searches.reduce((sum, tool) => sum + (readCount(tool, "max_uses", 1, usesMax) ?? usesUsual), 0);
}

function isSearchObject(tool: unknown): tool is JsonObject {
  return typeof tool === "object" && tool !== null && isSearch(tool as JsonObject);
}
