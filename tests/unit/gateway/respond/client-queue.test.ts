import { describe, expect, test } from "bun:test";
import { ClientQueue } from "@sluice/control-plane/gateway/respond/stream-events/client-queue.ts";
import type { AnswerSink } from "@sluice/control-plane/platform/answer-stream.ts";

function open() {
  const told: string[] = [];
  const sink: AnswerSink = {
    waitingBytes: 0,
    push: (piece) => told.push(Buffer.from(piece).toString()),
    pushPart: (packet, start, end) => told.push(packet.toString("utf8", start, end)),
    flush: () => told.push("flush"),
    close: () => told.push("close"),
    break: () => told.push("break"),
  };
  const queue = new ClientQueue({ stallTimeoutMs: 60_000, onGone: () => undefined });
  const pushAll = () => {
    queue.push(Buffer.from("late"));
    queue.pushPart(Buffer.from("later"), 0, 5);
    queue.flush();
    queue.close();
    queue.break();
  };
  return { queue, sink, told, pushAll };
}

describe("after the end of a stream", () => {
  test.each(["close", "break"] as const)("nothing reaches its client: %s", (end) => {
    const { queue, sink, told, pushAll } = open();
    queue.push(Buffer.from("before"));
    queue.sendTo(sink);
    queue.pushPart(Buffer.from("a packet"), 2, 8);
    queue[end]();
    const all = ["before", "packet", end];
    expect(told).toEqual(all);
    pushAll();
    expect(told.filter((each) => each !== "flush")).toEqual(all);
  });

  test("nothing more reaches a client that comes only then", () => {
    const { queue, sink, told, pushAll } = open();
    queue.push(Buffer.from("all of it"));
    queue.close();
    queue.sendTo(sink);
    pushAll();
    expect(told.filter((each) => each !== "flush")).toEqual(["all of it", "close"]);
  });
});
