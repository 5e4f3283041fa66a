import { redact } from "../../platform/log.ts";
import { countText } from "../usage-count/text-tokens.ts";
import { type ToldUnits, toUnits } from "../usage-count/units.ts";

/** What a session has to know of an event of the provider; everything else passes unread. */
export type ServerEvent =
  | { readonly kind: "response_begun"; readonly id: string }
  | {
      readonly kind: "response_ended";
      readonly id: string;
      /** `completed`, `cancelled`, `failed`, `incomplete`; null when none was said. */
      readonly status: string | null;
      /** Null when the provider did not count. */
      readonly units: ToldUnits | null;
      /** The provider ended it because of what was said in it. */
      readonly isFiltered: boolean;
    }
  /** What the user said was written down beside the conversation; the provider counts it by itself. */
  | { readonly kind: "transcribed"; readonly units: ToldUnits | null }
  | { readonly kind: "error"; readonly isRequestFault: boolean; readonly eventId: string | null };

type Json = Readonly<Record<string, unknown>>;

/** One of these occurs in every event that matters; finding them costs a small part of what parsing would. */
const marks = ['"response.created"', '"response.done"', '.input_audio_transcription.completed"', '"error"'];

/** Reads an event that matters; null for all others and for invalid events. */
export function readServerEvent(frame: string): ServerEvent | null {
  if (!marks.some((mark) => frame.includes(mark))) {
    return null;
  }
  const event = parseObject(frame);
  switch (event["type"]) {
    case "response.created":
      return { kind: "response_begun", id: textOf(asObject(event["response"])["id"]) ?? "" };
    case "response.done": {
      const response = asObject(event["response"]);
      return {
        kind: "response_ended",
        id: textOf(response["id"]) ?? "",
        status: textOf(response["status"]),
        units: toldIn(response["usage"]),
        isFiltered: asObject(response["status_details"])["reason"] === "content_filter",
      };
    }
    case "conversation.item.input_audio_transcription.completed":
      return { kind: "transcribed", units: toldIn(event["usage"]) };
    case "error": {
      const isRequestFault = asObject(event["error"])["type"] === "invalid_request_error";
      return { kind: "error", isRequestFault, eventId: textOf(asObject(event["error"])["event_id"]) };
    }
    default:
      return null;
  }
}

/** What a piece of a response carries; null for an event that carries none. */
export type Delta = {
  readonly responseId: string;
  readonly kind: "text" | "audio";
  readonly length: number;
  readonly signs: number;
};

const deltaMark = '.delta"';
const audioMark = /"type":\s*"response\.(output_)?audio\.delta"/;
const responseIdPattern = /"response_id":\s*"([^"\\]{1,200})"/;
const deltaPattern = /"delta":\s*"/;

/** Finds the size of a piece without parsing it: pieces of sound are long and come often. */
export function readDelta(frame: string): Delta | null {
  if (!frame.includes(deltaMark)) {
    return null;
  }
  const begin = deltaPattern.exec(frame);
  const responseId = responseIdPattern.exec(frame)?.[1];
  if (begin === null || responseId === undefined) {
    return null;
  }
  const start = begin.index + begin[0].length;
  const stop = endOfText(frame, start);
  const length = stop - start;
  return audioMark.test(frame)
    ? { responseId, kind: "audio", length, signs: 0 }
    : { responseId, kind: "text", length, signs: countText(frame.slice(start, stop)).signs };
}

/** Where the closing quote of a text is; a quote after an odd number of backslashes is part of the text. */
function endOfText(frame: string, start: number): number {
  for (let at = frame.indexOf('"', start); at !== -1; at = frame.indexOf('"', at + 1)) {
    let before = at;
    while (before > start && frame[before - 1] === "\\") {
      before -= 1;
    }
    if ((at - before) % 2 === 0) {
      return at;
    }
  }
  return frame.length;
}

/** What a provider says of an error as the client may see it: nothing that is, or looks like, a credential. */
export function cleanError(text: string, credential: string | null): string {
  return redact(credential === null ? text : text.replaceAll(credential, "[redacted]"));
}

/**
 * Reads a usage object. Prices do not distinguish text and audio: each token costs what the model's input or output
 * costs, so the price of a model with audio has to be that of its audio. Cached tokens are those of both. A
 * transcription may be counted in seconds instead.
 */
const toldIn = (value: unknown): ToldUnits | null => toUnits(asObject(value));

function parseObject(text: string): Json {
  try {
    return asObject(JSON.parse(text));
  } catch {
    return {};
  }
}

function asObject(value: unknown): Json {
  return typeof value === "object" && value !== null ? (value as Json) : {};
}

function textOf(value: unknown): string | null {
  return typeof value === "string" ? value : null;
}
