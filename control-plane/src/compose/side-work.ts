import { parseRequest } from "../gateway/admit/parse-request.ts";
import type { ParseOrder } from "../gateway/model.ts";
import { findOperation } from "../gateway/operations/table.ts";
import { type ConversionOutcome, convertBody } from "../messages-compat/convert-body.ts";
import { AppError } from "../platform/errors.ts";
import type { SideAnswer } from "../platform/side-thread.ts";
import type { ParsedAside, SerializedError, SideWork } from "./side-thread.ts";

/* The code that the second thread runs; the counterpart of `side-thread.ts`. */

type Done = { readonly result: ParsedAside | ConversionOutcome; readonly transfer: readonly ArrayBuffer[] };

function parse({ body: sent, contentType, path, mayAskForUsage }: ParseOrder): Done {
  const parsed = parseRequest(sent, contentType, findOperation(path), mayAskForUsage);
  const transfer: ArrayBuffer[] = [];
  const transferred = (bytes: Uint8Array): Uint8Array | "sent" => {
    if (bytes.buffer === sent.buffer && bytes.byteLength === sent.byteLength) {
      return "sent";
    }
    const own = ownBuffer(bytes);
    transfer.push(own.buffer);
    return own;
  };
  const body = transferred(parsed.body);
  const plainBody = parsed.plainBody === null ? null : transferred(parsed.plainBody);
  return { result: { ...parsed, body, plainBody }, transfer };
}

function convert(order: Extract<SideWork, { kind: "convert" }>): Done {
  const outcome = convertBody(order);
  if ("refusal" in outcome) {
    return { result: outcome, transfer: [] };
  }
  const body = ownBuffer(outcome.call.body);
  return { result: { ...outcome, call: { ...outcome.call, body } }, transfer: [body.buffer] };
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
    const done = data.kind === "parse" ? parse(data) : convert(data);
    answer = { result: done.result };
    ({ transfer } = done);
  } catch (thrown) {
    answer = { error: toSerializedError(thrown) };
  }
  postMessage(answer, [...transfer]);
});
