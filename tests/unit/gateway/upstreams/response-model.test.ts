import { expect, test } from "bun:test";
import { renameInAnswer, renameInFirstEvent } from "@sluice/control-plane/gateway/upstreams/response-model.ts";

const names = { sent: "vendor/m-1", asked: 'client"s' };
const answer = (text: string) => renameInAnswer(Buffer.from(text), names).toString();
const event = (text: string) => renameInFirstEvent(Buffer.from(text), names).toString();

test("a response repeats the client's name of its model, and all other bytes stay", () => {
  const content = '"content":[{"type":"tool_use","input":{"model":"vendor/m-1"}}], "n":1.0';
  expect(answer(`{${content},"model" : "vendor\\/m-1" }`)).toBe(`{${content},"model" : "client\\"s" }`);
  expect(answer(`{"model":"another",${content}}`)).toBe(`{"model":"another",${content}}`);
  expect(answer(`{${content}}`)).toBe(`{${content}}`);
  expect(answer("not JSON")).toBe("not JSON");
});

test("so does the first event of a stream", () => {
  const begun = (model: string) =>
    `event: message_start\ndata: {"type":"message_start","message":{"model": ${model},"x":"$&"}}\n\n`;
  expect(event(begun('"vendor/m-1"'))).toBe(begun('"client\\"s"'));
  expect(event(begun('"another"'))).toBe(begun('"another"'));
  expect(event("event: ping\ndata: {}\n\n")).toBe("event: ping\ndata: {}\n\n");
});
