import { redact } from "../../platform/log.ts";
import { readChatUsage } from "../usage-count/readers/chat-usage.ts";
import { Tally } from "../usage-count/tally.ts";
import { countText } from "../usage-count/text-tokens.ts";
import type { ReportedUnits } from "../usage-count/units.ts";

/** The provider events that a session has to know about; all others pass through unparsed. */
export type ServerEvent =
  | { readonly kind: "response_begun"; readonly id: string }
  | {
      readonly kind: "response_ended";
      readonly id: string;
      /** `completed`, `cancelled`, `failed`, `incomplete`; null when none was given. */
      readonly status: string | null;
      /** Null when the provider did not count. */
      readonly units: ReportedUnits | null;
      /** The provider's content filter ended it. */
      readonly isFiltered: boolean;
      /** Its final copy of everything that was delivered; null if it has none. */
      readonly output: Tally | null;
    }
  /** The user's speech was transcribed alongside the conversation; the provider counts it separately. */
  | {
      readonly kind: "transcribed";
      readonly itemId: string;
      readonly textBytes: number;
      /** Null when the provider did not count. */
      readonly units: ReportedUnits | null;
    }
  | { readonly kind: "error"; readonly isRequestFault: boolean; readonly eventId: string | null };

type Json = Readonly<Record<string, unknown>>;

/** Every event that matters contains one of these; searching for them costs a fraction of parsing. */
const marks = ['"response.created"', '"response.done"', '.input_audio_transcription.completed"', '"error"'];

/** Parses an event that matters; null for all others and for invalid events. */
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
        units: reportedUnits(response["usage"]),
        isFiltered: asObject(response["status_details"])["reason"] === "content_filter",
        output: Array.isArray(response["output"]) ? tallyOf(response["output"]) : null,
      };
    }
    case "conversation.item.input_audio_transcription.completed":
      return {
        kind: "transcribed",
        ...transcriptPieceIn(event, event["transcript"]),
        units: reportedUnits(event["usage"]),
      };
    case "error": {
      const isRequestFault = asObject(event["error"])["type"] === "invalid_request_error";
      return { kind: "error", isRequestFault, eventId: textOf(asObject(event["error"])["event_id"]) };
    }
    default:
      return null;
  }
}

/** What an event adds to an item of a response. */
export type Piece = {
  readonly responseId: string;
  /** The item's id. */
  readonly item: string;
} & (
  | { readonly kind: "text" | "audio"; readonly length: number; readonly signs: number }
  /** A part of an item, or the whole item, in one piece; its deltas may have come before. */
  | { readonly kind: "whole"; readonly part: string; readonly size: Tally }
);

/** A delta of the user's transcribed speech. */
export type TranscriptPiece = { readonly itemId: string; readonly textBytes: number };

const deltaMark = '.delta"';
const audioMark = /"type":\s*"response\.(output_)?audio\.delta"/;
const transcriptMark = '.input_audio_transcription.delta"';
const responseIdPattern = /"response_id":\s*"([^"\\]{1,200})"/;
const itemPattern = /"output_index":\s*(\d{1,9})/;
const deltaPattern = /"delta":\s*"/;

/** What an event adds to a response; null if nothing. */
export function readPiece(frame: string): Piece | null {
  const responseId = responseIdPattern.exec(frame)?.[1];
  if (responseId === undefined) {
    return null;
  }
  return frame.includes(deltaMark) ? readDelta(frame, responseId) : readWhole(frame, responseId);
}

/** Whether an event is an audio delta. */
export function carriesSound(frame: string): boolean {
  return frame.includes(deltaMark) && audioMark.test(frame);
}

/** What an event adds to the transcript of the user's speech. */
export function readTranscriptPiece(frame: string): TranscriptPiece | null {
  if (!frame.includes(transcriptMark)) {
    return null;
  }
  const event = parseObject(frame);
  const isTranscript = event["type"] === "conversation.item.input_audio_transcription.delta";
  return isTranscript ? transcriptPieceIn(event, event["delta"]) : null;
}

function transcriptPieceIn(event: Json, text: unknown): TranscriptPiece {
  return { itemId: textOf(event["item_id"]) ?? "", textBytes: Buffer.byteLength(textOf(text) ?? "") };
}

/** Events of this kind are rare and have many fields, so they are parsed. */
function readWhole(frame: string, responseId: string): Piece | null {
  const event = parseObject(frame);
  if (event["response_id"] !== responseId) {
    return null;
  }
  const { output_index: item = "", content_index: part = "all" } = event;
  return { responseId, item: String(item), kind: "whole", part: String(part), size: tallyOf(event) };
}

function tallyOf(value: unknown): Tally {
  const tally = new Tally();
  tally.add(value, "", 0);
  return tally;
}

/** Finds the size of a delta without parsing it: audio deltas are long and frequent. */
function readDelta(frame: string, responseId: string): Piece | null {
  const begin = deltaPattern.exec(frame);
  if (begin === null) {
    return null;
  }
  const item = itemPattern.exec(frame)?.[1] ?? "";
  const start = begin.index + begin[0].length;
  const stop = endOfText(frame, start);
  const length = stop - start;
  return audioMark.test(frame)
    ? { responseId, item, kind: "audio", length, signs: 0 }
    : { responseId, item, kind: "text", length, signs: countText(frame.slice(start, stop)).signs };
}

/** The position of a string's closing quote; a quote after an odd number of backslashes is part of the string. */
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

/** A provider's error message as the client may see it: without anything that is, or looks like, a credential. */
export function cleanError(text: string, credential: string | null): string {
  return redact(credential === null ? text : text.replaceAll(credential, "[redacted]"));
}

/**
 * Reads a usage object. Prices do not distinguish text and audio: each token costs what the model's input or output
 * costs, so the price of a model with audio has to be that of its audio. Cached tokens are those of both. A
 * transcription may be counted in seconds instead.
 */
const reportedUnits = (value: unknown): ReportedUnits | null => readChatUsage(asObject(value));

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
