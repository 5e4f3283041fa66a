import { noUnits, type Units } from "../../models/units.ts";
import type { Clock } from "../../platform/clock.ts";
import type { ParsedRequest } from "../model.ts";
import { resultListOf, type SurfaceKind } from "../surfaces.ts";
import { bookable, type UsageLimits, withinHeld, withOutput } from "../usage-count/judge-usage.ts";
import { audioUnits, estimateAudio, measureAudio } from "../usage-count/measure-audio.ts";
import { asSold, type UnitPrice } from "../usage-count/sold-sound.ts";
import { asObject, type Json, parseObject, type ReportedUnits } from "../usage-count/units.ts";
import {
  countDeliveredAnswer,
  countPictures,
  type Delivered,
  DeliveredCount,
} from "./measure-usage/count-delivered.ts";
import { estimateInput } from "./measure-usage/estimate-input.ts";
import { isFiltered, readAnswer, usageOf } from "./measure-usage/read-usage.ts";

/** What a call is charged for, and who counted it; `none` is free. */
export type Measured = {
  readonly units: Units;
  readonly usageSource: "provider" | "estimated" | "none";
  /** The provider reported more than is plausible, or not a count at all. */
  readonly isImplausible: boolean;
};

const free: Measured = { units: noUnits, usageSource: "none", isImplausible: false };
/** A passed-through path costs the price of a request; any usage in its responses is about other calls. */
const requestAlone: Measured = { units: noUnits, usageSource: "estimated", isImplausible: false };
/** Kinds whose output is tokens, so a response without tokens has no output. */
const textKinds: ReadonlySet<SurfaceKind> = new Set(["chat", "completions", "responses"]);
const spokenTokensPerCharacter = 4 / 3;
const pictureEvent = /^image_(?:generation|edit)\.completed$/;
/** The highest bit rate of audio files: gives the least time that a file of this size lasts. */
const soundBytesPerSecondMax = 176_400n;

/** A call with a provider's response, as far as needed to measure it. */
export type AnsweredCall = {
  readonly kind: SurfaceKind;
  readonly request: ParsedRequest;
  readonly limits: UsageLimits;
  /** The model's price. */
  readonly price: UnitPrice;
};

/**
 * What a complete response is, judged by its form: a result, an error in a body with status 200, no JSON object where
 * one is required, or one without the requested list.
 */
export type AnswerForm = "answer" | "error_event" | "no_json" | "no_result";

/** Measures a response that came whole. */
export function measureAnswer(body: Buffer, call: AnsweredCall): Measured & { form: AnswerForm } {
  const { kind, limits } = call;
  if (kind === "pass") {
    return { ...(body.length === 0 ? free : requestAlone), form: "answer" };
  }
  const list = resultListOf(kind);
  const { usage: reported, json, isObject } = readAnswer(body, list);
  const form = json !== null ? formOf(json, list) : isObject || list === null ? "answer" : "no_json";
  if (form !== "answer" || body.length === 0) {
    return { ...free, form };
  }
  const images = kind === "images" ? countPictures(body) : 0;
  const usage = reported === null ? null : { ...reported, images };
  const answer = (): Json => json ?? parseObject(body.toString("utf8")) ?? {};
  const counted = () => withinHeld({ ...countAnswer(body, answer, call), images }, limits);
  const measured = completedUnits(call, usage, counted, () => isFiltered(answer()));
  return { ...soldAsPriced(measured, call, counted), form };
}

/** The properties by which a stream is measured. */
export type StreamedAnswer = AnsweredCall & {
  /** Whether it was completed; `aborted` when the client left before. */
  readonly end: "completed" | "failed" | "aborted";
  /** The last usage reported by the provider, or null. */
  readonly reported: ReportedUnits | null;
  /** The provider's content filter ended it. */
  readonly isFiltered: boolean;
  /** What its events delivered to the client. */
  readonly delivered: Delivered;
  /** What was sent to the client: the first pieces, and the total size. */
  readonly pieces: readonly Uint8Array[];
  readonly bytesSent: number;
};

/**
 * The rule: charge what was delivered, by the provider's count if it arrived and counts any of it, else by ours. An
 * interrupted response is charged for what was sent until then: by the provider's count if it reported one that names
 * output, else by ours. Nothing delivered, or no output, is free. A client that leaves also owes the input, because the
 * provider has read it.
 */
export function measureStream(answer: StreamedAnswer): Measured {
  return soldAsPriced(measureEnded(answer), answer, () => withinHeld(countStream(answer), answer.limits));
}

function measureEnded(answer: StreamedAnswer): Measured {
  const { kind, end, reported, bytesSent, delivered } = answer;
  if (end === "aborted") {
    return measureAborted(answer);
  }
  if (bytesSent === 0 && reported === null) {
    return free;
  }
  if (kind === "pass") {
    return requestAlone;
  }
  const usage = withPictures(reported, delivered);
  const counted = () => withinHeld(countStream(answer), answer.limits);
  if (end === "completed") {
    return completedUnits(answer, usage, counted, () => answer.isFiltered);
  }
  if (usage !== null && usage.isOdd !== true && (usage.outputTokens > 0n || usage.images > 0)) {
    return { ...bookable(usage, answer.limits), usageSource: "provider" };
  }
  const units = bytesSent === 0 ? noUnits : counted();
  return hasOutput(units) ? { units, usageSource: "estimated", isImplausible: usage?.isOdd === true } : free;
}

/** A response that had begun when its client left, with nothing more known about it: it owes its input. */
export function measureUnread(call: AnsweredCall): Measured {
  const delivered = { outputTokens: 0, textBytes: 0, pictures: 0, items: 0 };
  const heard = { reported: null, isFiltered: false, delivered };
  return measureStream({ ...call, ...heard, end: "aborted", pieces: [], bytesSent: 0 });
}

/**
 * The provider was read for a while after the client left: charges what it reported, or else what it had read and what
 * the client had received.
 */
function measureAborted(answer: StreamedAnswer): Measured {
  const { kind, limits, delivered, reported } = answer;
  if (kind === "pass") {
    return requestAlone;
  }
  const usage = withPictures(reported, delivered);
  if (usage !== null && usage.isOdd !== true && (usage.outputTokens > 0n || usage.images > 0)) {
    return { ...bookable(usage, limits), usageSource: "provider" };
  }
  const counted = countStream(answer);
  const input = usage === null || usage.isOdd === true ? owedInput(answer) : usage;
  const units = {
    ...counted,
    inputTokens: input.inputTokens > counted.inputTokens ? input.inputTokens : counted.inputTokens,
    cacheReadTokens: input.cacheReadTokens,
    audioMs: input.audioMs > counted.audioMs ? input.audioMs : counted.audioMs,
  };
  return { units: withinHeld(units, limits), usageSource: "estimated", isImplausible: usage?.isOdd === true };
}

/** What a provider that begins to respond has read. */
function owedInput(call: AnsweredCall): Units {
  const { kind, request } = call;
  if (kind === "speech") {
    return spokenUnits(call);
  }
  if (kind === "transcription") {
    return { ...noUnits, audioMs: (BigInt(request.inputBytes) * 1000n) / soundBytesPerSecondMax };
  }
  return { ...noUnits, inputTokens: BigInt(estimateInput(request)) };
}

/**
 * Where the counted unit has no price, charges our own count in the unit that has one: audio by its time, its tokens or
 * its characters, images by their tokens if a provider reports none.
 */
function soldAsPriced(measured: Measured, call: AnsweredCall, counted: () => Units): Measured {
  const { kind, limits, price } = call;
  if (kind === "speech" && measured.usageSource === "provider" && price.output === 0n) {
    return { ...measured, units: withinHeld(spokenUnits(call), limits), usageSource: "estimated" };
  }
  if (kind === "images" && measured.usageSource === "provider" && isDrawnForNothing(measured.units, price)) {
    const units = withOutput(measured.units, counted(), limits);
    return { units, usageSource: "estimated", isImplausible: true };
  }
  if (kind !== "transcription" || measured.usageSource === "none") {
    return measured;
  }
  const heard = counted();
  const least = owedInput(call).audioMs;
  const audioMs = heard.audioMs > least ? heard.audioMs : least;
  const { units, isConverted } = asSold(measured.units, { ...heard, audioMs }, price);
  return isConverted ? { ...measured, units: bookable(units, limits).units, usageSource: "estimated" } : measured;
}

function isDrawnForNothing({ outputTokens, images }: Units, price: UnitPrice): boolean {
  return outputTokens === 0n && images > 0 && price.image === 0n && price.output > 0n;
}

/** Images are counted as they pass, whatever the provider reports about tokens. */
function withPictures(reported: ReportedUnits | null, { pictures }: Delivered): ReportedUnits | null {
  return reported === null || pictures <= reported.images ? reported : { ...reported, images: pictures };
}

/** Follows the events of a stream. */
export class StreamMeter {
  readonly #count = new DeliveredCount();
  readonly #clock: Pick<Clock, "tick">;
  #reported: ReportedUnits | null = null;
  #isFiltered = false;
  #outputTick: number | null = null;

  constructor(clock: Pick<Clock, "tick">) {
    this.#clock = clock;
  }

  /** @param isDelivered whether the client was still there */
  add(payload: Record<string, unknown>, isDelivered: boolean): void {
    this.#reported = addEventUsage(this.#reported, payload);
    this.#isFiltered ||= isFiltered(payload);
    if (isDelivered) {
      this.#count.add(payload);
      if (this.#outputTick === null && this.#count.hasOutput) {
        this.#outputTick = this.#clock.tick();
      }
    }
  }

  /** Everything so far. */
  get heard(): Pick<StreamedAnswer, "reported" | "isFiltered" | "delivered"> {
    return { reported: this.#reported, isFiltered: this.#isFiltered, delivered: this.#count.delivered };
  }

  /** When the first output came; null before it. */
  get outputTick(): number | null {
    return this.#outputTick;
  }
}

/** Adds the usage in an event's payload to what is known; each finished image counts. */
export function addEventUsage(known: ReportedUnits | null, payload: Record<string, unknown>): ReportedUnits | null {
  if (!mayReportUsage(payload)) {
    return known;
  }
  const usage = usageOf(payload);
  const isPicture = typeof payload["type"] === "string" && pictureEvent.test(payload["type"]);
  if (!isPicture) {
    return usage ?? known;
  }
  return { ...(usage ?? known ?? noUnits), images: (known?.images ?? 0) + 1 };
}

/** Fast path: nearly every event is without usage, and each goes through here. */
function mayReportUsage(payload: Record<string, unknown>): boolean {
  const { choices } = payload;
  const first: unknown = Array.isArray(choices) ? choices[0] : null;
  return payload["usage"] != null || payload["type"] !== undefined || asObject(first)["usage"] != null;
}

/**
 * A complete response. A count of zero tokens for text is not accepted, unless the provider filtered it out; anyone who
 * asked for no output (to have a prompt scored) gets that.
 */
function completedUnits(
  { kind, limits }: AnsweredCall,
  usage: ReportedUnits | null,
  counted: () => Units,
  wasFiltered: () => boolean,
): Measured {
  const isOutput = ({ outputTokens }: Units) => outputTokens > 0n || !textKinds.has(kind);
  const isAskedForNone = limits.held.outputTokens === 0n;
  if (usage !== null && usage.isOdd !== true && (isOutput(usage) || isAskedForNone)) {
    return { ...bookable(usage, limits), usageSource: "provider" };
  }
  const own = counted();
  if (!isOutput(own) && !isAskedForNone) {
    return free;
  }
  if (usage === null || usage.isOdd === true) {
    return { units: own, usageSource: "estimated", isImplausible: usage !== null };
  }
  return wasFiltered()
    ? { ...bookable(usage, limits), usageSource: "provider" }
    : { units: withOutput(usage, own, limits), usageSource: "estimated", isImplausible: true };
}

/** Whether any of an interrupted response was of use. */
function hasOutput({ outputTokens, inputTokens, audioMs, images }: Units): boolean {
  return outputTokens > 0n || inputTokens > 0n || audioMs > 0n || images > 0;
}

/** Our own count of a complete response without reported usage. */
function countAnswer(body: Buffer, answer: () => Json, call: AnsweredCall): Units {
  const { kind, request } = call;
  if (kind === "transcription") {
    return audioUnits(measureAudio(body.toString("utf8")));
  }
  if (kind === "speech") {
    return spokenUnits(call);
  }
  return estimateUnits(request, countDeliveredAnswer(answer()));
}

/** The same for a stream. */
function countStream(answer: StreamedAnswer): Units {
  const { kind, request, delivered, pieces, bytesSent } = answer;
  if (kind === "speech") {
    return bytesSent > 0 ? spokenUnits(answer) : noUnits;
  }
  if (kind === "transcription") {
    const { textBytes } = delivered;
    return audioUnits(textBytes > 0 ? estimateAudio(textBytes) : measureAudio(Buffer.concat(pieces).toString("utf8")));
  }
  return estimateUnits(request, delivered);
}

/**
 * Speech is sold by the character, and its audio reveals nothing: each character of the text is an input token. A model
 * whose speech is sold by the token generates one per 50 ms, in which nobody says more than about a character.
 */
function spokenUnits({ request, price }: AnsweredCall): Units {
  const { characters } = request.bounds;
  const outputTokens = price.output > 0n ? Math.ceil(characters * spokenTokensPerCharacter) : 0;
  return { ...noUnits, inputTokens: BigInt(characters), outputTokens: BigInt(outputTokens) };
}

/** Our own count for a response without reported usage: see `text-tokens.ts` for the rule. */
function estimateUnits(request: ParsedRequest, { outputTokens, pictures, items }: Delivered): Units {
  if (outputTokens === 0 && pictures === 0 && items === 0) {
    return noUnits;
  }
  return {
    ...noUnits,
    inputTokens: BigInt(estimateInput(request)),
    outputTokens: BigInt(outputTokens),
    images: pictures,
  };
}

/**
 * Some providers respond with 200 and report the error in the body. A list without items may be a complete response.
 */
function formOf(json: Record<string, unknown>, list: string | null): AnswerForm {
  const hasError = json["object"] === "error" || Boolean(json["error"]);
  if (hasError && ["choices", "data", "output", "results"].every((name) => isEmpty(json[name]))) {
    return "error_event";
  }
  return list === null || Array.isArray(json[list]) ? "answer" : "no_result";
}

function isEmpty(value: unknown): boolean {
  return value === undefined || value === null || (Array.isArray(value) && value.length === 0);
}
