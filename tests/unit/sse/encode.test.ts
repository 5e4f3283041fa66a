import { expect, test } from "bun:test";
import { encodeSseComment, encodeSseEvent } from "@sluice/sse/encode";

test("a named event is three lines", () => {
  expect(encodeSseEvent({ event: "ping", data: '{"type":"ping"}' })).toBe('event: ping\ndata: {"type":"ping"}\n\n');
});

test("every line of the data gets a line of its own, whatever its line end was", () => {
  expect(encodeSseEvent({ data: "a\nb\r\nc\rd\n" })).toBe("data: a\ndata: b\ndata: c\ndata: d\ndata: \n\n");
});

test("id and reconnection time stand in front of the data", () => {
  expect(encodeSseEvent({ data: "", id: "7", retryMs: 250 })).toBe("id: 7\nretry: 250\ndata: \n\n");
});

test.each([
  { event: "a\nb", data: "" },
  { event: "a\rb", data: "" },
  { id: "1\n", data: "" },
  { id: "\0", data: "" },
  { retryMs: 1.5, data: "" },
  { retryMs: -1, data: "" },
])("a field that would break the format is refused: %j", (fields) => {
  expect(() => encodeSseEvent(fields)).toThrow(RangeError);
});

test("a comment stays one line", () => {
  expect(encodeSseComment("still\nhere")).toBe(": still here\n\n");
});
