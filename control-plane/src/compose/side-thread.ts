import { type ErrorCode, errorTable } from "@sluice/contracts/errors";
import type { ParsedRequest, ParseOrder } from "../gateway/model.ts";
import type { AsideConversions } from "../gateway/upstreams/aside-conversions.ts";
import type {
  AnswerOrder,
  ConversionOrder,
  ConversionRefusal,
  ConvertedAnswer,
  ConvertedOrder,
} from "../gateway/upstreams/conversion-order.ts";
import { AppError } from "../platform/errors.ts";
import type { Log } from "../platform/log.ts";
import { programFile } from "../platform/program-files.ts";
import { SideThread } from "../platform/side-thread.ts";
import { joinInSlices } from "../platform/slices.ts";

/*
 * The second thread parses and converts large bodies; one takes as long as a thousand small calls. Bodies are copied, because the first thread may still need them.
 */

/** A request to the thread. */
export type SideWork =
  | ({ readonly kind: "parse" } & ParseOrder)
  | ({ readonly kind: "convert" } & ConversionOrder)
  | ({ readonly kind: "convert_answer" } & AnswerOrder);

/** A parsed request as the thread returns it, without the body if it is unchanged. */
export type ParsedAside = Omit<ParsedRequest, "body" | "plainBody"> & {
  readonly body: Uint8Array | "sent";
  readonly plainBody: Uint8Array | "sent" | null;
};

/** An AppError in serialized form; null for an unexpected error. */
export type SerializedError = {
  readonly code: ErrorCode;
  readonly message: string;
  readonly status: number;
  readonly param: string | null;
} | null;

/** The second thread, started when first needed. */
export function openSideThread(log: Log): SideThread {
  return new SideThread(programFile("control-plane/src/compose/side-work.ts"), toError, log);
}

export async function parseAside(thread: SideThread, order: ParseOrder): Promise<ParsedRequest> {
  const bytes = await joinInSlices([order.body], order.body.byteLength);
  const work: SideWork = { ...order, kind: "parse", body: bytes };
  const { body, plainBody, ...parsed } = (await thread.run(work, [bytes.buffer])) as ParsedAside;
  return {
    ...parsed,
    body: body === "sent" ? order.body : body,
    plainBody: plainBody === "sent" ? order.body : plainBody,
  };
}

/** Conversions of large bodies on the thread. */
export function openAsideConversions(thread: SideThread): AsideConversions {
  return {
    convert: async (order, signal) => {
      const bytes = await joinInSlices([order.bytes], order.bytes.byteLength);
      const work: SideWork = { ...order, kind: "convert", bytes };
      return (await thread.run(work, [bytes.buffer], signal)) as ConvertedOrder | ConversionRefusal;
    },
    convertAnswer: async (order, signal) => {
      const body = await joinInSlices([order.body], order.body.byteLength);
      const work: SideWork = { ...order, kind: "convert_answer", body };
      return (await thread.run(work, [body.buffer], signal)) as ConvertedAnswer | null;
    },
  };
}

function toError(error: unknown): Error {
  const sent = error as SerializedError;
  if (sent === null || !Object.hasOwn(errorTable, sent.code)) {
    return new Error("the side thread could not do its work");
  }
  const { code, message, status, param } = sent;
  return new AppError(code, { message, status, ...(param === null ? {} : { param }) });
}
