import {
  type AnswerConverter,
  ConversionError,
  type ConversionSettings,
  type JsonObject,
  type PlainFacts,
} from "@sluice/dialect-conversion/model";
import type { Bytes } from "@sluice/http-client/packet-part";
import { makeAnswerId } from "./answer-names.ts";
import { convertWithinBounds } from "./bounded-conversion.ts";
import { findConversion, type Way } from "./conversions.ts";
import { convertWhole, EventConverter, toEventBytes } from "./convert-answer.ts";
import { withCountedThoughts } from "./count-thoughts.ts";

/* Conversions as plain data, so that another thread can do them. */

/** A request to be converted. */
export type ConversionOrder = Way & {
  readonly bytes: Uint8Array;
  readonly settings: Omit<ConversionSettings, "makeId">;
  /** The upstream is asked for the usage of a stream. */
  readonly asksUsage: boolean;
};

export type ConvertedOrder = {
  readonly body: Uint8Array;
  /** The body without the usage option; null if it has none. */
  readonly plainBody: Uint8Array | null;
  readonly dropped: readonly string[];
  readonly facts: PlainFacts;
  readonly ready: JsonObject | null;
};

/** Why a request was not converted. */
export type ConversionRefusal = { readonly refusal: Pick<ConversionError, "message" | "param"> };

export function convertOrder({
  bytes,
  settings,
  asksUsage,
  ...way
}: ConversionOrder): ConvertedOrder | ConversionRefusal {
  try {
    const { convert } = findConversion(way);
    const { converted, body: plain } = convertWithinBounds(convert, bytes, { ...settings, makeId: makeAnswerId });
    const { body: fields, dropped, facts, ready = null } = converted;
    const asked = asksUsage
      ? Buffer.from(JSON.stringify({ ...fields, stream_options: { include_usage: true } }))
      : null;
    return { body: asked ?? plain, plainBody: asked === null ? null : plain, dropped, facts, ready };
  } catch (error) {
    if (!(error instanceof ConversionError)) {
      throw error;
    }
    return { refusal: { message: error.message, param: error.param } };
  }
}

/** How the responses to one request are converted. */
export type AnswerWay = Way & {
  readonly facts: PlainFacts;
  /** The upstream counts thoughts only in the total of its usage. */
  readonly isThoughtInTotal: boolean;
};

/** A whole response to be converted. */
export type AnswerOrder = AnswerWay & {
  readonly body: Uint8Array;
  /** For a client that asked for a stream: how many of its events it has; null for one that did not. */
  readonly eventsSent: number | null;
};

/** The bytes of a response for its client. */
export type ConvertedAnswer = { readonly bytes: Bytes; readonly isEvents: boolean };

/** @returns null for a response that can't be converted */
export function convertAnswer({ body, eventsSent, ...way }: AnswerOrder): ConvertedAnswer | null {
  const answers = answersFor(way);
  const whole = convertWhole(Buffer.from(body.buffer, body.byteOffset, body.byteLength), answers);
  if (whole === null) {
    return null;
  }
  return encodeWhole(whole, way, eventsSent);
}

/** A whole response as its client expects it: as the events of a stream, if it asked for one and knows no other form. */
export function encodeWhole(whole: JsonObject, way: AnswerWay, eventsSent: number | null): ConvertedAnswer {
  const answers = answersFor(way);
  const events = eventsSent === null ? null : toEventBytes(whole, answers, eventsSent);
  return { bytes: events ?? Buffer.from(JSON.stringify(whole)), isEvents: events !== null };
}

/** The converter of a streamed response. */
export function openConverter(way: AnswerWay): EventConverter {
  return new EventConverter(answersFor(way).stream());
}

function answersFor({ facts, isThoughtInTotal, ...way }: AnswerWay): AnswerConverter {
  const answers = findConversion(way).answersFrom(facts, makeAnswerId);
  return isThoughtInTotal ? withCountedThoughts(answers) : answers;
}
