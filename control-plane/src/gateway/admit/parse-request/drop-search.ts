import { itemRanges, type JsonShape } from "../../../platform/scan-json.ts";
import type { JsonObject } from "../../operations/model.ts";

/** The tools that are left of a request, and the note to the client about what was removed. */
type Left = { readonly tools: unknown; readonly body: Buffer; readonly dropped: string | null };

const optional: ReadonlySet<unknown> = new Set([undefined, null, "auto", "none"]);

/**
 * Removes the provider's search from the tools of a response if its use is optional and there are other tools: Codex
 * sends it with every call. A response without it is still what the client asked for. All other bytes stay.
 */
export function dropSearch(bytes: Buffer, fields: JsonObject, shape: JsonShape): Left {
  const { tools, tool_choice: choice } = fields;
  const place = shape.topLevel.get("tools");
  if (!Array.isArray(tools) || place === undefined || !optional.has(choice)) {
    return { tools, body: bytes, dropped: null };
  }
  const kept = tools.filter((tool) => !isSearch(tool));
  if (kept.length === 0 || kept.length === tools.length) {
    return { tools, body: bytes, dropped: null };
  }
  const texts = itemRanges(bytes, place)
    .filter((_, index) => !isSearch(tools[index]))
    .map((range) => bytes.subarray(...range));
  const [start, end] = place;
  const list = texts.flatMap((text, index) => (index === 0 ? [text] : [Buffer.from(","), text]));
  const body = Buffer.concat([
    bytes.subarray(0, start),
    Buffer.from("["),
    ...list,
    Buffer.from("]"),
    bytes.subarray(end),
  ]);
  return { tools: kept, body, dropped: "web_search" };
}

function isSearch(tool: unknown): boolean {
  const type = (tool as JsonObject | null)?.["type"];
  return type === "web_search" || type === "web_search_2025_08_26" || type === "web_search_preview";
}
