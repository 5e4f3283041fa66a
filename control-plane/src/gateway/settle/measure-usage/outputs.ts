import { type Bytes, viewOf } from "@sluice/http-client/packet-part";
import { noUnits, type Units } from "../../../models/units.ts";
import type { ParsedRequest } from "../../model.ts";
import type { Output } from "../../operations/model.ts";
import { documentsPerSearch } from "../../operations/read-bounds/check-documents.ts";
import { bookable, withinHeld, withOutput } from "../../usage-count/judge-usage.ts";
import { audioUnits, estimateAudio, measureAudio } from "../../usage-count/measure-audio.ts";
import type { AnsweredCall, Delivered, Measured, StreamedResponse } from "../../usage-count/model.ts";
import { asSold, type UnitPrice } from "../../usage-count/sold-sound.ts";
import type { Json } from "../../usage-count/units.ts";
import { countDeliveredAnswer, countPictures } from "./count-delivered.ts";
import { estimateInput } from "./estimate-input.ts";

const spokenTokensPerCharacter = 4 / 3;
/** The highest bit rate of audio files: gives the least time that a file of this size lasts. */
const soundBytesPerSecondMax = 176_400;

/** How one kind of output is counted, and in which unit it is charged. */
export type OutputRules = {
  /** Its output is tokens, so a response without tokens has no output. */
  readonly isText: boolean;
  /** The images in a complete response. */
  countImages(body: Bytes): number;
  /** Our own count of a complete response without reported usage. */
  countAnswer(body: Buffer, answer: () => Json, call: AnsweredCall): Units;
  /** Our own count of a stream without reported usage. */
  countStream(answer: StreamedResponse): Units;
  /** The input that a provider has read when it begins to respond. */
  owedInput(call: AnsweredCall): Units;
  /** Where the counted unit has no price, charges our own count in the unit that has one. */
  soldAsPriced(measured: Measured, call: AnsweredCall, own: OwnCount): Measured;
};

/** Our own count of a response, within what was held for it. */
export type OwnCount = { counted(): Units };

const items: OutputRules = {
  isText: false,
  countImages: () => 0,
  countAnswer: (_body, answer, { request }) => estimateUnits(request, countDeliveredAnswer(answer())),
  countStream: ({ request, delivered }) => estimateUnits(request, delivered),
  owedInput: ({ request }) => ({ ...noUnits, inputTokens: estimateInput(request) }),
  soldAsPriced: (measured) => measured,
};

/** The vectors of the Gemini API. Some of its models report no usage at all, so our own count has to be fair. */
const vectors: OutputRules = {
  ...items,
  countAnswer(_body, answer, { request }) {
    const { embeddings, embedding } = answer();
    const isEmpty = Array.isArray(embeddings) ? embeddings.length === 0 : (embedding ?? null) === null;
    return isEmpty ? noUnits : { ...noUnits, inputTokens: request.bounds.countedTokens ?? 0 };
  },
};

/** Ranks are sold by the token or by search units; a response that counts only what has no price would be free. */
const ranks: OutputRules = {
  ...items,
  soldAsPriced(measured, { request, price, limits }, content) {
    const { inputTokens, searches } = measured.units;
    const isBySearch = price.search > 0;
    const isByToken = price.input > 0;
    const isPaid = (isBySearch && searches > 0) || (isByToken && inputTokens > 0) || !(isBySearch || isByToken);
    if (measured.usageSource === "none" || isPaid) {
      return measured;
    }
    const own = isBySearch
      ? { ...measured.units, searches: Math.ceil((request.bounds.ranks?.documents ?? 1) / documentsPerSearch) }
      : { ...measured.units, inputTokens: content.counted().inputTokens };
    return { ...measured, units: bookable(own, limits).units, usageSource: "estimated" };
  },
};

/** Images are sold by the image or by the token; if a provider reports no tokens, our own count applies. */
const images: OutputRules = {
  ...items,
  countImages: (body) => countPictures(viewOf(body)),
  soldAsPriced(measured, { limits, price }, own) {
    if (measured.usageSource !== "provider" || !isDrawnForNothing(measured.units, price)) {
      return measured;
    }
    const units = withOutput(measured.units, own.counted(), limits);
    return { units, usageSource: "estimated", isImplausible: true };
  },
};

/** Speech is sold by the character or by the token. */
const speech: OutputRules = {
  ...items,
  countAnswer: (_body, _answer, call) => spokenUnits(call),
  countStream: (answer) => (answer.bytesSent > 0 ? spokenUnits(answer) : noUnits),
  owedInput: spokenUnits,
  soldAsPriced(measured, call) {
    return measured.usageSource === "provider" && call.price.output === 0
      ? { ...measured, units: withinHeld(spokenUnits(call), call.limits), usageSource: "estimated" }
      : measured;
  },
};

/** A transcript is sold by the time of the recording or by the token. */
const transcript: OutputRules = {
  ...items,
  countAnswer: (body) => audioUnits(measureAudio(body.toString("utf8"))),
  countStream({ delivered: { textBytes }, pieces }) {
    return audioUnits(
      textBytes > 0 ? estimateAudio(textBytes) : measureAudio(Buffer.concat(pieces.map(viewOf)).toString("utf8")),
    );
  },
  owedInput: ({ request }) => ({ ...noUnits, audioMs: leastMs(request) }),
  soldAsPriced(measured, { request, limits, price }, own) {
    if (measured.usageSource === "none") {
      return measured;
    }
    const heard = own.counted();
    const least = leastMs(request);
    const audioMs = heard.audioMs > least ? heard.audioMs : least;
    const { units, isConverted } = asSold(measured.units, { ...heard, audioMs }, price);
    return isConverted ? { ...measured, units: bookable(units, limits).units, usageSource: "estimated" } : measured;
  },
};

/** The rules by output. Null where nothing is measured, because a call costs the price of a request. */
export const outputs: Readonly<Record<Output, OutputRules | null>> = {
  text: { ...items, isText: true },
  items,
  vectors,
  ranks,
  images,
  speech,
  transcript,
  unmeasured: null,
  nothing: null,
};

function isDrawnForNothing(units: Units, price: UnitPrice): boolean {
  return units.outputTokens === 0 && units.images > 0 && price.image === 0 && price.output > 0;
}

/** The shortest possible time of a recording of this size. */
function leastMs({ inputBytes }: ParsedRequest): number {
  return Math.floor((inputBytes * 1000) / soundBytesPerSecondMax);
}

/**
 * Speech is sold by the character, and its audio reveals nothing: each character of the text is an input token. A model
 * whose speech is sold by the token generates one per 50 ms, in which nobody says more than about a character.
 */
function spokenUnits({ request, price }: AnsweredCall): Units {
  const { characters } = request.bounds;
  const outputTokens = price.output > 0 ? Math.ceil(characters * spokenTokensPerCharacter) : 0;
  return { ...noUnits, inputTokens: characters, outputTokens };
}

/** Our own count for a response without reported usage: see `text-tokens.ts` for the rule. */
function estimateUnits(request: ParsedRequest, { outputTokens, pictures, items: results }: Delivered): Units {
  if (outputTokens === 0 && pictures === 0 && results === 0) {
    return noUnits;
  }
  return {
    ...noUnits,
    inputTokens: estimateInput(request),
    outputTokens,
    images: pictures,
  };
}
