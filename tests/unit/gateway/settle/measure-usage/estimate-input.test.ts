import { describe, expect, test } from "bun:test";
import { parseRequest } from "@sluice/control-plane/gateway/admit/parse-request.ts";
import { findOperation } from "@sluice/control-plane/gateway/operations/table.ts";
import { estimateInput } from "@sluice/control-plane/gateway/settle/measure-usage/estimate-input.ts";
import { processorMsOf } from "../../../../support/values/processor-time.ts";

const words = "some words and more ".repeat(5_000);
const picture = `data:image/png;base64,${"iVBORw0KGgo/".repeat(10_000)}`;
const pictureTokens = 85;

const tokensOf = (path: string, body: object, write = JSON.stringify) =>
  estimateInput(parseRequest(Buffer.from(write({ model: "m", ...body })), "application/json", findOperation(path)));
const chatOf = (content: unknown, more: object = {}) =>
  tokensOf("/v1/chat/completions", { messages: [{ role: "user", content }], ...more });
const part = (text: string) => ({ type: "text", text });
const image = (url: string) => ({ type: "image_url", image_url: { url } });
const plain = tokensOf("/v1/completions", { prompt: words });

/** The text of a request costs what it does without a disguise, or a little more. */
function expectText(tokens: number): void {
  expect(tokens).toBeGreaterThanOrEqual(plain - 5);
  expect(tokens).toBeLessThan(plain * 1.03);
}

describe("text that looks like a file is charged as text", () => {
  test.each([
    ["after the prefix of one", chatOf([part(`;base64,${words}`)])],
    ["as the address of an image", chatOf([part(`data:image/png;base64,${words}`)])],
    ["without a part", chatOf(`data:image/png;base64,${words}`)],
    ["in a tool", chatOf([part("x")], { tools: [{ type: "function", function: { name: "f", data: words } }] })],
    ["as a file of text", chatOf([{ type: "file", file: { file_data: `data:text/plain;base64,${words}` } }])],
    ["in an item", tokensOf("/v1/responses", { input: [{ role: "user", content: [part(`;base64,${words}`)] }] })],
    ["in a prompt", tokensOf("/v1/completions", { prompt: `data:image/png;base64,${words}` })],
    ["in what is embedded", tokensOf("/v1/embeddings", { input: `;base64,${words}` })],
  ])("%s", (_where, tokens) => expectText(tokens));

  test("beside a real one, wherever that is", () => {
    const hidden = part(`;base64,${words}`);
    for (const content of [
      [hidden, image(picture)],
      [image(picture), hidden],
      [image(picture), hidden, image(picture)],
    ]) {
      const pictures = content.length - 1;
      expectText(chatOf(content) - pictures * pictureTokens);
    }
  });
});

describe("a file is charged for the least that it can be", () => {
  test.each<[string, (value: unknown) => string]>([
    ["as it is", JSON.stringify],
    ["with a backslash before each slash", (value) => JSON.stringify(value).replaceAll("/", "\\/")],
  ])("an image beside text, written %s", (_how, write) => {
    const messages = [{ role: "user", content: [image(picture), part("a".repeat(500))] }];
    const tokens = tokensOf("/v1/chat/completions", { messages }, write) - pictureTokens;
    expect([tokens > 100, tokens < 150]).toEqual([true, true]);
  });

  test("an image of an item", () => {
    const content = [{ type: "input_image", image_url: picture }];
    expect(tokensOf("/v1/responses", { input: [{ role: "user", content }] })).toBeLessThan(150);
  });

  test("an image to edit", () => {
    expect(tokensOf("/v1/images/generations", { prompt: "x", image: picture })).toBeLessThan(50);
  });

  test.each([
    [10, 1],
    [200_000, 3],
  ])("a document of %i bytes has %i pages", (bytes, pages) => {
    const url = `data:application/pdf;base64,${Buffer.alloc(bytes).toString("base64")}`;
    const input = [{ role: "user", content: [{ type: "input_file", file_data: url }] }];
    for (const tokens of [chatOf([{ type: "file", file: { file_data: url } }]), tokensOf("/v1/responses", { input })]) {
      expect(Math.floor(tokens / 258)).toBe(pages === 1 ? 1 : 4);
    }
  });
});

test("endless prefixes take no longer than their length", () => {
  const marks = (count: number) => chatOf([image(picture), part(';base64,"'.repeat(count))]);
  expect(processorMsOf(() => marks(100_000))).toBeLessThan(2_000);
});
