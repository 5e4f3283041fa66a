import type { ParsedRequest } from "../model.ts";
import type { SurfaceKind } from "../surfaces.ts";
import { noUnits, type Units } from "../usage-log/model.ts";
import {
  countDeliveredAnswer,
  countDeliveredEvents,
  countPictures,
  type Delivered,
} from "./measure-usage/count-delivered.ts";
import { type Heard, hearAnswer, hearText } from "./measure-usage/hear-answer.ts";
import { readAnswer, usageOf } from "./measure-usage/read-usage.ts";
import { atMost, parseObject } from "./measure-usage/units.ts";

/** What a call is charged for, and who counted it; `none` is free. */
export type Measured = { readonly units: Units; readonly usageSource: "provider" | "estimated" | "none" };

const free: Measured = { units: noUnits, usageSource: "none" };
/** A path that is passed through costs what the price of a request says; its answers tell of usage of other calls. */
const requestAlone: Measured = { units: noUnits, usageSource: "estimated" };
const bytesPerToken = 4;
/** Where tokens are the output, so that an answer without any is no output. */
const textKinds: ReadonlySet<SurfaceKind> = new Set(["chat", "completions", "responses"]);
const pictureEvent = /^image_(?:generation|edit)\.completed$/;

/**
 * Measures an answer that came whole. The form says what it is: `error` for one that says so in a body of status 200,
 * `other` for one that is no JSON object.
 */
export function measureAnswer(
  body: Buffer,
  request: ParsedRequest,
  kind: SurfaceKind,
  bound: Units,
): Measured & { form: "object" | "error" | "other" } {
  if (kind === "pass") {
    return { ...(body.length === 0 ? free : requestAlone), form: "other" };
  }
  const { usage, json, isObject } = readAnswer(body);
  const isError = json !== null && isErrorAnswer(json);
  const form = isError ? "error" : isObject ? "object" : "other";
  if (isError || body.length === 0) {
    return { ...free, form };
  }
  const counted = (): Units => within(bound, countAnswer(body, json, request, kind));
  const { units, usageSource } = completedUnits(kind, usage, counted);
  const images = kind === "images" ? countPictures(body) : 0;
  return { units: { ...units, images }, usageSource, form };
}

/** What a stream is measured by. */
export type StreamedAnswer = {
  readonly kind: SurfaceKind;
  readonly isComplete: boolean;
  /** The last usage that the provider told, or null. */
  readonly reported: Units | null;
  readonly request: ParsedRequest;
  /** The most that an answer to the request can use. */
  readonly bound: Units;
  /** What was sent to the client: the first pieces of it, and how much it was in all. */
  readonly pieces: readonly Uint8Array[];
  readonly bytesSent: number;
};

/**
 * The written rule: charge what was delivered, by the provider's count where it came, else by ours. An answer that broke
 * off, or that the client gave up, is charged for what went out until then: by the provider's count if one had been told
 * that names output, else by ours. Nothing delivered, or no output, is free.
 */
export function measureStream(answer: StreamedAnswer): Measured {
  const { kind, isComplete, reported, bytesSent } = answer;
  if (bytesSent === 0 && reported === null) {
    return free;
  }
  if (kind === "pass") {
    return requestAlone;
  }
  const counted = (): Units => within(answer.bound, countStream(answer));
  if (isComplete) {
    return completedUnits(kind, reported, counted);
  }
  if (reported !== null && (reported.outputTokens > 0n || reported.images > 0)) {
    return { units: reported, usageSource: "provider" };
  }
  const units = bytesSent === 0 ? noUnits : counted();
  return hasOutput(units) ? { units, usageSource: "estimated" } : free;
}

/** What the payload of an event adds to what is known of the usage; each picture that is done counts. */
export function addEventUsage(known: Units | null, payload: Record<string, unknown>): Units | null {
  const told = usageOf(payload);
  const isPicture = typeof payload["type"] === "string" && pictureEvent.test(payload["type"]);
  if (!isPicture) {
    return told ?? known;
  }
  return { ...(told ?? known ?? noUnits), images: (known?.images ?? 0) + 1 };
}

function completedUnits(kind: SurfaceKind, reported: Units | null, counted: () => Units): Measured {
  const isOutput = ({ outputTokens }: Units) => outputTokens > 0n || !textKinds.has(kind);
  if (reported !== null) {
    return isOutput(reported) || isOutput(counted()) ? { units: reported, usageSource: "provider" } : free;
  }
  const units = counted();
  return isOutput(units) ? { units, usageSource: "estimated" } : free;
}

/** Our own count charges no more than was set aside: a picture in the body has more bytes than a model takes tokens. */
function within(bound: Units, counted: Units): Units {
  return {
    ...counted,
    inputTokens: atMost(counted.inputTokens, bound.inputTokens),
    outputTokens: atMost(counted.outputTokens, bound.outputTokens),
    audioMs: atMost(counted.audioMs, bound.audioMs),
  };
}

/** Whether anything of an answer that broke off was of use. */
function hasOutput({ outputTokens, inputTokens, audioMs }: Units): boolean {
  return outputTokens > 0n || inputTokens > 0n || audioMs > 0n;
}

/** Our own count of a whole answer whose usage never came. */
function countAnswer(
  body: Buffer,
  json: Record<string, unknown> | null,
  request: ParsedRequest,
  kind: SurfaceKind,
): Units {
  if (kind === "transcription") {
    return heardUnits(hearAnswer(body.toString("utf8")));
  }
  if (kind === "speech") {
    return spokenUnits(request);
  }
  return estimateUnits(request.inputBytes, countDeliveredAnswer(json ?? parseObject(body.toString("utf8")) ?? {}));
}

/** The same for a stream. */
function countStream({ kind, request, pieces, bytesSent }: StreamedAnswer): Units {
  const delivered = countDeliveredEvents(pieces, bytesSent);
  if (kind === "speech") {
    return spokenUnits(request);
  }
  if (kind === "transcription") {
    const { textBytes } = delivered;
    return heardUnits(textBytes > 0 ? hearText(textBytes) : hearAnswer(Buffer.concat(pieces).toString("utf8")));
  }
  return estimateUnits(request.inputBytes, delivered);
}

/** Speech is sold by the character, and its sound tells nothing: each character of the text is an input token. */
function spokenUnits({ bounds }: ParsedRequest): Units {
  return { ...noUnits, inputTokens: BigInt(bounds.characters) };
}

/** What was heard: sound is sold by its time or by tokens, of which only those of the text can be told. */
function heardUnits({ soundMs, textBytes }: Heard): Units {
  return { ...noUnits, outputTokens: BigInt(Math.ceil(textBytes / bytesPerToken)), audioMs: BigInt(soundMs) };
}

/**
 * Our own count for an answer whose usage never came: the rule is one token for each event that carried text, or for
 * each 4 bytes of text, whichever is more; and one input token for each 4 bytes of the request.
 */
function estimateUnits(requestBytes: number, { textBytes, textEvents, items }: Delivered): Units {
  if (textBytes === 0 && textEvents === 0 && items === 0) {
    return noUnits;
  }
  return {
    ...noUnits,
    inputTokens: BigInt(Math.ceil(requestBytes / bytesPerToken)),
    outputTokens: BigInt(Math.max(textEvents, Math.ceil(textBytes / bytesPerToken))),
  };
}

/** Some providers answer 200 and say in the body that it went wrong. */
function isErrorAnswer(json: Record<string, unknown>): boolean {
  const hasError = json["object"] === "error" || Boolean(json["error"]);
  return hasError && ["choices", "data", "output", "results"].every((name) => json[name] === undefined);
}
