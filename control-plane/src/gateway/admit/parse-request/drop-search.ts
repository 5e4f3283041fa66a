import type { Edit } from "../../../platform/edit-json.ts";
import type { ReadObject } from "../../../platform/read-json.ts";
import { itemRanges, topLevelOf } from "../../../platform/scan-json.ts";
import type { JsonObject } from "../../operations/model.ts";

/** The tools that are left of a request, the edit that removes the others, and the note to the client about it. */
type Left = { readonly tools: unknown; readonly edit: Edit | null; readonly dropped: string | null };

const optional: ReadonlySet<unknown> = new Set([undefined, null, "auto", "none"]);

/**
 * Removes the provider's search from the tools of a response if its use is optional and there are other tools: Codex
 * sends it with every call. A response without it is still what the client asked for. All other bytes stay.
 */
export function dropSearch(bytes: Buffer, { fields, topLevel }: ReadObject): Left {
  const { tools, tool_choice: choice } = fields;
  if (!Array.isArray(tools) || !optional.has(choice)) {
    return { tools, edit: null, dropped: null };
  }
  const kept = tools.filter((tool) => !isSearch(tool));
  const isWhole = kept.length === 0 || kept.length === tools.length;
  const place = isWhole ? undefined : (topLevel ?? topLevelOf(bytes)).get("tools");
  if (place === undefined) {
    return { tools, edit: null, dropped: null };
  }
  const texts = itemRanges(bytes, place)
    .filter((_, index) => !isSearch(tools[index]))
    .map((range) => bytes.subarray(...range));
  const list = texts.flatMap((item, index) => (index === 0 ? [item] : [Buffer.from(","), item]));
  const text = Buffer.concat([Buffer.from("["), ...list, Buffer.from("]")]);
  return { tools: kept, edit: { place, text }, dropped: "web_search" };
}

function isSearch(tool: unknown): boolean {
  const type = (tool as JsonObject | null)?.["type"];
  return type === "web_search" || type === "web_search_2025_08_26" || type === "web_search_preview";
}
