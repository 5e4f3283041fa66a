import { expect, test } from "bun:test";
import { type SentText, TextReceiver, TextSender } from "@sluice/control-plane/platform/spool/sent-texts.ts";
import { sharedBlockBytes } from "@sluice/control-plane/platform/spool/shared-texts.ts";

/** A text in a block of its own. */
function textInBlock(text: string): Uint8Array {
  const bytes = new Uint8Array(new SharedArrayBuffer(sharedBlockBytes), 100, text.length);
  bytes.set(Buffer.from(text));
  return bytes;
}

const isWithMemory = (sent: SentText): boolean => "memory" in sent && sent.memory !== null;
const textOf = (bytes: Uint8Array): string => Buffer.from(bytes).toString();

test("a text in shared memory arrives where it is, and its memory is sent once", () => {
  const [sender, receiver] = [new TextSender(), new TextReceiver()];
  const text = textInBlock("rows of calls");
  const sent = [text, text.subarray(5), text.subarray(0, 4)].map((each) => sender.toMessage(each));
  expect(sent.map(isWithMemory)).toEqual([true, false, false]);
  const received = sent.map((each) => receiver.fromMessage(each));
  expect(received.map(textOf)).toEqual(["rows of calls", "of calls", "rows"]);
  expect(received.every(({ buffer }) => buffer === text.buffer)).toBe(true);
});

test("texts arrive whole however many memories take the place of others, also within one message", () => {
  const [sender, receiver] = [new TextSender(), new TextReceiver()];
  const texts = Array.from({ length: 20 }, (_, index) => textInBlock(`text ${index}`));
  const order = [...texts, ...texts.slice(0, 5), ...texts.toReversed(), ...texts];
  const received = order.map((each) => sender.toMessage(each)).map((each) => receiver.fromMessage(each));
  expect(received.map(textOf)).toEqual(order.map(textOf));
});

test("a text that has its memory to itself is not kept by the other thread", () => {
  const sender = new TextSender();
  const own = Buffer.from("rows of a spool");
  const large = new Uint8Array(new SharedArrayBuffer(2 * sharedBlockBytes));
  expect(sender.toMessage(own)).toBe(own);
  expect(sender.toMessage(large)).toBe(large);
  expect(new TextReceiver().fromMessage(own)).toBe(own);
});

test("a thread that was started again gets memories that the one before had", () => {
  const text = textInBlock("rows");
  const before = new TextSender();
  before.toMessage(text);
  expect(isWithMemory(before.toMessage(text))).toBe(false);
  expect(() => new TextReceiver().fromMessage(before.toMessage(text))).toThrow("no memory has come for place 0");
  expect(isWithMemory(new TextSender().toMessage(text))).toBe(true);
});
