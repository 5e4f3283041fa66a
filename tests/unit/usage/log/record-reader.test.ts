import { expect, test } from "bun:test";
import { commonCount } from "@sluice/control-plane/usage/log/call-record.ts";
import { RecordReader } from "@sluice/control-plane/usage/log/record-reader.ts";

const own = `"01a22974-b804-7136-9054-2348f7879148",1,2,3,4,5,6,7,null,8,9,10,11,12`;

const start = '["a kind",';

/** A record of a key, from a client. */
function recordOf(keyId: number, client: string): Buffer {
  const beginning = Array.from({ length: commonCount - 1 }, () => keyId).join(",");
  return Buffer.from(`${start}[1,${beginning},${own},"${client}"]`);
}

test("what is kept of clients is bounded over all keys, however many clients each of them has", () => {
  let made = 0;
  const reader = new RecordReader({
    start: Buffer.from(start),
    common: ([, keyId]) => keyId,
    end: (fields) => {
      made += 1;
      return fields.at(-1);
    },
  });
  const read = (keyId: number, client: string): unknown[] => {
    const record = recordOf(keyId, client);
    expect(reader.read(record, 0, record.length)).toBe(true);
    return [reader.common, reader.end];
  };
  for (let keyId = 1; keyId <= 5; keyId += 1) {
    for (let client = 0; client < 1_000; client += 1) {
      read(keyId, `${client}`);
    }
  }
  read(1, "0");
  expect(made).toBe(5_000);
  expect(read(6, "one more")).toEqual([6, "one more"]);
  expect(read(1, "0")).toEqual([1, "0"]);
  expect(made).toBe(5_002);
});

test("a line that begins with anything else is none that is read, whatever was read before", () => {
  const reader = new RecordReader({ start: Buffer.from(start), common: ([, keyId]) => keyId, end: () => true });
  const record = recordOf(1, "a client");
  const isRead = (line: Buffer): boolean => reader.read(line, 0, line.length);
  expect(isRead(record)).toBe(true);
  for (let at = 0; at < start.length; at += 1) {
    const other = Buffer.from(record);
    other[at] = 0x78;
    expect(isRead(other)).toBe(false);
  }
  expect(isRead(record.subarray(0, 3))).toBe(false);
  expect(isRead(record)).toBe(true);
});
