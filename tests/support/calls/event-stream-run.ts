/** A stream of events whose upstream a test controls, with all its effects. */
import type { StreamEnding, StreamOpening } from "@sluice/control-plane/gateway/model.ts";
import type { StreamOwner } from "@sluice/control-plane/gateway/respond/stream-events/stream-owner.ts";
import { EventStream } from "@sluice/control-plane/gateway/respond/stream-events.ts";
import { readableAnswer } from "@sluice/control-plane/platform/answer-stream.ts";
import { PushedBody } from "../wire/pushed-body.ts";

export const errorEvent = Buffer.from('data: {"error":{"code":"stream_interrupted"}}\n\n');

export type EventStreamRun = {
  readonly stream: EventStream;
  /** What the client reads. */
  readonly readable: ReadableStream<Uint8Array>;
  readonly body: PushedBody;
  readonly opening: Promise<StreamOpening>;
  readonly sent: () => string;
  /** How often the call was told of bytes that were sent. */
  readonly told: () => number;
  readonly endings: readonly StreamEnding[];
  readonly usages: readonly unknown[];
  /** For each event, whether the client was still there. */
  readonly delivered: readonly boolean[];
};

const afterAbort = { timeoutMs: 5_000, bytesMax: 100_000 };

/**
 * @param read how the client reads the stream
 * @param onOpening is called when the stream has told whether there is anything for the client
 */
export function runEventStream(
  more: Partial<StreamOwner> = {},
  read = readableAnswer,
  onOpening: (stream: EventStream) => void = () => undefined,
): EventStreamRun {
  const pieces: Buffer[] = [];
  const endings: StreamEnding[] = [];
  const usages: unknown[] = [];
  const delivered: boolean[] = [];
  const body = new PushedBody();
  let told = 0;
  const keepPart = (packet: Buffer, start: number, end: number): void => {
    pieces.push(Buffer.copyBytesFrom(packet, start, end - start));
  };
  const stream = new EventStream({
    kind: { channel: {}, usageDialect: "chat", model: "m" },
    converter: null,
    form: "choices",
    hidesUsage: true,
    stallTimeoutMs: 60_000,
    firstEventMs: () => 60_000,
    keeper: { keepPart },
    onSent: (packet, start, end) => {
      told += 1;
      keepPart(packet, start, end);
    },
    afterAbort,
    onPayload: (payload, isDelivered) => {
      usages.push(payload["usage"] ?? null);
      delivered.push(isDelivered);
    },
    textOf: () => null,
    onShape: () => undefined,
    onTexts: () => undefined,
    follow: () => undefined,
    onEnding: (ending, onSettled) => {
      endings.push(ending);
      const closing = { errorEvent: ending.kind === "completed" ? null : errorEvent, postscript: null };
      queueMicrotask(() => onSettled(closing));
    },
    ...more,
  });
  const opening = new Promise<StreamOpening>((resolve) =>
    stream.open(body, (opened) => {
      onOpening(stream);
      resolve(opened);
    }),
  );
  const readable = read(stream.stream);
  const sent = () => Buffer.concat(pieces).toString("utf8");
  return { stream, readable, body, opening, sent, told: () => told, endings, usages, delivered };
}

export const chunk = (delta: object) => JSON.stringify({ choices: [{ index: 0, delta }], usage: null });
export const usage = { prompt_tokens: 1, completion_tokens: 2 };
export const usageChunk = JSON.stringify({ choices: [], usage });
