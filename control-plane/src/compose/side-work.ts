import { viewOf } from "@sluice/http-client/packet-part";
import { parseRequest } from "../gateway/admit/parse-request.ts";
import type { ParseOrder } from "../gateway/model.ts";
import { findOperation } from "../gateway/operations/table.ts";
import {
  type AnswerOrder,
  type ConversionOrder,
  type ConversionRefusal,
  type ConvertedAnswer,
  type ConvertedOrder,
  convertAnswer,
  convertOrder,
} from "../gateway/upstreams/conversion-order.ts";
import { AppError } from "../platform/errors.ts";
import type { SideAnswer } from "../platform/side-thread.ts";
import type { ParsedAside, SerializedError, SideWork } from "./side-thread.ts";

/* The code that the second thread runs; the counterpart of `side-thread.ts`. */

type Result = ParsedAside | ConvertedOrder | ConversionRefusal | ConvertedAnswer | null;
type Done = { readonly result: Result; readonly transfer: readonly ArrayBuffer[] };

function parse({ body: sent, contentType, path }: ParseOrder): Done {
  const parsed = parseRequest(sent, contentType, findOperation(path));
  const transfer: ArrayBuffer[] = [];
  const transferred = (bytes: Uint8Array): Uint8Array | "sent" => {
    if (bytes.buffer === sent.buffer && bytes.byteLength === sent.byteLength) {
      return "sent";
    }
    const own = ownBuffer(bytes);
    transfer.push(own.buffer);
    return own;
  };
  const body = transferred(viewOf(parsed.body));
  const plainBody = parsed.plainBody === null ? null : transferred(viewOf(parsed.plainBody));
  return { result: { ...parsed, body, plainBody }, transfer };
}

function convert(order: ConversionOrder): Done {
  const converted = convertOrder(order);
  if ("refusal" in converted) {
    return { result: converted, transfer: [] };
  }
  const body = ownBuffer(converted.body);
  const plainBody = converted.plainBody === null ? null : ownBuffer(converted.plainBody);
  const transfer = plainBody === null ? [body.buffer] : [body.buffer, plainBody.buffer];
  return { result: { ...converted, body, plainBody }, transfer };
}

function convertWhole(order: AnswerOrder): Done {
  const converted = convertAnswer(order);
  if (converted === null) {
    return { result: null, transfer: [] };
  }
  const bytes = ownBuffer(viewOf(converted.bytes));
  return { result: { ...converted, bytes }, transfer: [bytes.buffer] };
}

function work(order: SideWork): Done {
  switch (order.kind) {
    case "parse":
      return parse(order);
    case "convert":
      return convert(order);
    case "convert_answer":
      return convertWhole(order);
  }
}

/** Copies the bytes into their own buffer, so that it can be transferred. */
function ownBuffer(bytes: Uint8Array): Uint8Array<ArrayBuffer> {
  const isAlone = bytes.byteLength === bytes.buffer.byteLength && bytes.buffer instanceof ArrayBuffer;
  return isAlone ? new Uint8Array(bytes.buffer) : new Uint8Array(bytes);
}

function toSerializedError(thrown: unknown): SerializedError {
  if (!(thrown instanceof AppError)) {
    return null;
  }
  const { code, message, status, param } = thrown;
  return { code, message, status, param };
}

addEventListener("message", ({ data }: MessageEvent<SideWork>) => {
  let answer: SideAnswer;
  let transfer: readonly ArrayBuffer[] = [];
  try {
    const done = work(data);
    answer = { result: done.result };
    ({ transfer } = done);
  } catch (thrown) {
    answer = { error: toSerializedError(thrown) };
  }
  postMessage(answer, [...transfer]);
});
