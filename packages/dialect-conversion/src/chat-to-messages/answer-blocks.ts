import { isJsonObject, type JsonObject, textOf } from "@sluice/messages-conversion/json";
import type { Annotation, ReasoningDetail } from "./chat-answer.ts";
import { reasoningFormat, toPlacedId } from "./thinking-history.ts";

/** Where an entry of `reasoning_details` belongs. */
export type ReasoningPlace = {
  /** The position of the block in its message. */
  readonly position: number;
  /** The ordinal among the entries. */
  readonly index: number;
};

/** A block of thinking as clients give it back; null if there is nothing to give back. */
export function toThinkingDetail(thinking: string, signature: string, place: ReasoningPlace): ReasoningDetail | null {
  if (thinking === "" && signature === "") {
    return null;
  }
  const detail: ReasoningDetail = { ...placed("reasoning.text", place), text: thinking };
  return signature === "" ? detail : { ...detail, signature };
}

/** A block of redacted thinking as clients give it back. */
export function toRedactedDetail(data: unknown, place: ReasoningPlace): ReasoningDetail | null {
  const text = textOf(data);
  return text === null ? null : { ...placed("reasoning.encrypted", place), data: text };
}

function placed(type: ReasoningDetail["type"], { position, index }: ReasoningPlace): ReasoningDetail {
  return { type, id: toPlacedId(position), format: reasoningFormat, index };
}

/** The citations of a text that name an address; the two ends are those of the text within the whole content. */
export function toAnnotations(citations: readonly unknown[], start: number, end: number): Annotation[] {
  return citations.filter(isJsonObject).flatMap((citation): Annotation[] => {
    const url = addressOf(citation);
    const title = textOf(citation["title"]) ?? url ?? "";
    return url === null
      ? []
      : [{ type: "url_citation", url_citation: { url, title, start_index: start, end_index: end } }];
  });
}

function addressOf(citation: JsonObject): string | null {
  const source = textOf(citation["source"]);
  return textOf(citation["url"]) ?? (source !== null && /^https?:\/\//i.test(source) ? source : null);
}

/** The arguments of a call as JSON text. */
export function toArguments(input: unknown): string {
  return isJsonObject(input) ? JSON.stringify(input) : (textOf(input) ?? "{}");
}

/** What a model that refuses says about it, or null. */
export function refusalOf(holder: JsonObject): string | null {
  const { stop_reason: reason, stop_details: details } = holder;
  return reason === "refusal" && isJsonObject(details) ? textOf(details["explanation"]) : null;
}
