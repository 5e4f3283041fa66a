import { noUnits, type Units } from "../../models/units.ts";
import { amountOf } from "../../platform/amount.ts";
import { parseObject } from "./units.ts";

/** What a transcription reports about its audio. */
export type MeasuredAudio = { readonly soundMs: number; readonly textBytes: number };

/** 150 words a minute are about 15 bytes of text a second. */
const spokenBytesPerSecond = 15;
const textBytesPerToken = 5;
/** Subtitles write times like this: `00:01:02,500`, `01:02.500`. */
const timePattern = /(?:(\d{1,3}):)?([0-5]?\d):([0-5]\d)[.,](\d{3})/g;

/** The units of the audio. It is sold by its time or by tokens, and only the tokens of its text can be counted. */
export function audioUnits({ soundMs, textBytes }: MeasuredAudio): Units {
  return { ...noUnits, outputTokens: Math.ceil(textBytes / textBytesPerToken), audioMs: amountOf(soundMs) };
}

/** Audio about which only the length of its text is known. */
export function estimateAudio(textBytes: number): MeasuredAudio {
  return { soundMs: Math.ceil((textBytes * 1000) / spokenBytesPerSecond), textBytes };
}

/**
 * Judges how long audio lasted by a whole response: by its reported duration, the last time of its subtitles, else
 * the time somebody needs to say it.
 */
export function measureAudio(answer: string): MeasuredAudio {
  const json = parseObject(answer);
  const { duration, text } = json ?? {};
  const transcript = json === null ? answer.trim() : typeof text === "string" ? text : "";
  const textBytes = Buffer.byteLength(transcript);
  const soundMs = Math.ceil(Number(duration ?? 0) * 1000);
  if (soundMs > 0 && Number.isFinite(soundMs)) {
    return { soundMs, textBytes };
  }
  const last = [...transcript.matchAll(timePattern)].at(-1);
  return last === undefined ? estimateAudio(textBytes) : { soundMs: toMs(last), textBytes };
}

function toMs([, ...parts]: readonly string[]): number {
  const [hours = 0, minutes = 0, seconds = 0, milliseconds = 0] = parts.map((part) => Number(part ?? 0));
  return ((hours * 60 + minutes) * 60 + seconds) * 1000 + milliseconds;
}
