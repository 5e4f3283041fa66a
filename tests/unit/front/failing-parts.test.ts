import { afterEach, expect, test } from "bun:test";
import type { AnswerSink, AnswerStream } from "@sluice/control-plane/platform/answer-stream.ts";
import { servedRequest, until } from "../../support/front/front-client.ts";
import { type FrontRig, startFrontRig } from "../../support/front/front-rig.ts";
import { connectRaw } from "../../support/wire/raw-tcp-client.ts";

/* What is wrong in one call costs that call, and never the connections of others or the front's own books. */

let rig: FrontRig;

afterEach(() => rig.stop());

const post = servedRequest("body");
const failures = () => rig.lines.filter((line) => line.includes("front.unexpected"));

/** Fails where it is asked to, and tells whether it was told that its client is gone. */
class FailingStream implements AnswerStream {
  goneCount = 0;
  readonly #failsIn: keyof AnswerStream;

  constructor(failsIn: keyof AnswerStream) {
    this.#failsIn = failsIn;
  }

  sendTo(sink: AnswerSink): void {
    sink.push(Buffer.from("first"));
    this.#failIn("sendTo");
  }

  onTaken(): void {
    this.#failIn("onTaken");
  }

  onGone(): void {
    this.goneCount += 1;
    this.#failIn("onGone");
  }

  #failIn(place: keyof AnswerStream): void {
    if (place === this.#failsIn) {
      throw new Error(`failed in ${place}`);
    }
  }
}

test("a listener that throws when the client leaves keeps nobody else from being told, and no connection open", async () => {
  const told: string[] = [];
  rig = startFrontRig({
    settings: { connectionsMax: 1 },
    answer: ({ signal }) => {
      signal.addEventListener("abort", () => {
        told.push("first");
        throw new Error("a listener failed");
      });
      signal.addEventListener("abort", { handleEvent: () => void told.push("second") });
      return new Promise(() => undefined);
    },
  });
  const connection = await connectRaw(rig.port);
  connection.send(post);
  await until(() => rig.calls.length === 1);
  connection.close();
  await until(() => told.length === 2);
  expect(told).toEqual(["first", "second"]);
  expect([rig.front.connections, rig.front.running]).toEqual([0, 0]);
  expect(failures()).toHaveLength(1);
  // The address has its place again.
  const next = await connectRaw(rig.port);
  await until(() => rig.front.connections === 1);
  expect(rig.counts.turned_away).toBe(0);
  next.close();
});

test("a stream that throws when its client leaves keeps no connection open", async () => {
  const stream = new FailingStream("onGone");
  rig = startFrontRig({ answer: () => Promise.resolve({ status: 200, headers: {}, body: stream }) });
  const connection = await connectRaw(rig.port);
  connection.send(post);
  await connection.waitForText("first");
  connection.close();
  await until(() => stream.goneCount === 1);
  expect([rig.front.connections, rig.calls[0]?.aborted]).toEqual([0, true]);
  expect(failures()).toHaveLength(1);
});

test("a stream that throws when it may continue is told that its client is gone, and its connection is cut", async () => {
  const stream = new FailingStream("onTaken");
  rig = startFrontRig({ answer: () => Promise.resolve({ status: 200, headers: {}, body: stream }) });
  const connection = await connectRaw(rig.port);
  connection.send(post);
  await connection.ended;
  const text = Buffer.from(connection.received()).toString();
  expect(text).toContain("first");
  expect(text).not.toContain("\r\n0\r\n");
  expect(stream.goneCount).toBe(1);
  expect(failures()).toHaveLength(1);
  await until(() => rig.front.connections === 0);
});

test("a stream that throws when it begins is told that its client is gone, and the client gets an error", async () => {
  const stream = new FailingStream("sendTo");
  rig = startFrontRig({ answer: () => Promise.resolve({ status: 200, headers: {}, body: stream }) });
  const connection = await connectRaw(rig.port);
  connection.send(post);
  await connection.waitForText("internal_error");
  connection.close();
  expect(Buffer.from(connection.received()).toString()).toStartWith("HTTP/1.1 500");
  expect(stream.goneCount).toBe(1);
});

test("a header that would end the head of a response is never written, and its stream is told", async () => {
  const body = new FailingStream("onTaken");
  rig = startFrontRig({ answer: () => Promise.resolve({ status: 200, headers: { "x-a": "b\r\nx-c: d" }, body }) });
  const connection = await connectRaw(rig.port);
  connection.send(post);
  await connection.waitForText("internal_error");
  connection.close();
  const text = Buffer.from(connection.received()).toString();
  expect(text).not.toContain("x-c");
  expect(text).toStartWith("HTTP/1.1 500");
  expect(body.goneCount).toBe(1);
});

test("a response that can't be written in any form ends its connection, and is logged", async () => {
  rig = startFrontRig({ settings: { headers: { "x-a": "b\r\nx-c: d" } } });
  const connection = await connectRaw(rig.port);
  connection.send(post);
  await until(() => failures().length > 0 && rig.front.connections === 0);
  connection.close();
  expect(connection.received()).toHaveLength(0);
  expect(failures()).toHaveLength(1);
});
