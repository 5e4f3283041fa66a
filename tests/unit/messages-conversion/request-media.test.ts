import { describe, expect, test } from "bun:test";
import type { ContentPart } from "@sluice/messages-conversion/chat-completions";
import type { JsonObject } from "@sluice/messages-conversion/json";
import type { ModelFlags } from "@sluice/messages-conversion/model-flags";
import { refusedCall, upstreamMessages } from "../../support/messages/messages-calls.ts";

const hello = { type: "text", text: "look" };
const png = { type: "image", source: { type: "base64", media_type: "image/png", data: "AA" } };
const pdf = { type: "document", source: { type: "base64", media_type: "application/pdf", data: "AA" } };

const asked = (block: JsonObject) => [{ role: "user", content: [hello, block] }];

/** What follows the text of the message. */
function partsFor(block: JsonObject, flags: Partial<ModelFlags> = {}): ContentPart[] {
  const [message] = upstreamMessages(asked(block), flags);
  const parts = Array.isArray(message?.content) ? message.content : [];
  return parts.slice(1);
}

const refusal = (block: JsonObject, flags: Partial<ModelFlags> = {}): string =>
  refusedCall({ messages: asked(block) }, flags).message;

describe("R5 images", () => {
  test.each<[string, JsonObject, string]>([
    ["R5 encoded images become a data URL", png, "data:image/png;base64,AA"],
    [
      "R5 B21 image URLs stay as they are",
      { type: "image", source: { type: "url", url: "https://x/y.png" } },
      "https://x/y.png",
    ],
  ])("%s", (_rule, block, url) => {
    expect(partsFor(block)).toEqual([{ type: "image_url", image_url: { url } }]);
  });

  test("R5 a single image is a part, too", () => {
    expect(upstreamMessages([{ role: "user", content: [png] }])).toEqual([
      { role: "user", content: [{ type: "image_url", image_url: { url: "data:image/png;base64,AA" } }] },
    ]);
  });

  test.each<[string, JsonObject, Partial<ModelFlags>, string]>([
    [
      "R5 stored files are refused with their path",
      { type: "image", source: { type: "file", file_id: "f" } },
      {},
      "messages.0.content.1.image.source: file sources are not supported",
    ],
    [
      "R5 vision=false refuses images with their path",
      png,
      { vision: false },
      "messages.0.content.1: images are not supported by this model",
    ],
    ["R5 a source is required", { type: "image" }, {}, "messages.0.content.1.image.source: Field required"],
    [
      "R5 the data is required",
      { type: "image", source: { type: "base64", media_type: "image/png" } },
      {},
      "messages.0.content.1.image.source.data: Field required",
    ],
  ])("%s", (_rule, block, flags, message) => {
    expect(refusal(block, flags)).toBe(message);
  });
});

describe("R6 documents", () => {
  test.each<[string, JsonObject, ContentPart[]]>([
    [
      "R6 a PDF is a file",
      pdf,
      [{ type: "file", file: { filename: "document.pdf", file_data: "data:application/pdf;base64,AA" } }],
    ],
    [
      "R6 its title is the name of the file",
      { ...pdf, title: "a.pdf" },
      [{ type: "file", file: { filename: "a.pdf", file_data: "data:application/pdf;base64,AA" } }],
    ],
    [
      "R6 plain text is a text",
      { type: "document", source: { type: "text", media_type: "text/plain", data: "T" } },
      [{ type: "text", text: "T" }],
    ],
    [
      "R6 plain text with a title is marked with it",
      { type: "document", title: 'X "1"', source: { type: "text", media_type: "text/plain", data: "T" } },
      [{ type: "text", text: '<document title="X &quot;1&quot;">\nT\n</document>' }],
    ],
    [
      "R6 blocks are their parts in order",
      {
        type: "document",
        source: { type: "content", content: [{ type: "text", text: "a" }, png, { type: "text", text: "b" }] },
      },
      [
        { type: "text", text: "a" },
        { type: "image_url", image_url: { url: "data:image/png;base64,AA" } },
        { type: "text", text: "b" },
      ],
    ],
    [
      "R6 content can be a text",
      { type: "document", source: { type: "content", content: "a" } },
      [{ type: "text", text: "a" }],
    ],
    [
      "R6 a search result is its title, source and text",
      {
        type: "search_result",
        title: "T",
        source: "https://x",
        content: [
          { type: "text", text: "a" },
          { type: "text", text: "b" },
        ],
      },
      [{ type: "text", text: "T\nhttps://x\na\nb" }],
    ],
  ])("%s", (_rule, block, expected) => {
    expect(partsFor(block, { files: true })).toEqual(expected);
  });

  test.each<[string, JsonObject, Partial<ModelFlags>, string]>([
    [
      "R6 B14 a PDF is refused where files are not taken, and never sent as an image",
      pdf,
      {},
      "messages.0.content.1: PDF documents are not supported by this model",
    ],
    [
      "R6 URLs are refused",
      { type: "document", source: { type: "url", url: "https://x" } },
      { files: true },
      "messages.0.content.1.document.source: url sources are not supported",
    ],
    [
      "R6 stored files are refused",
      { type: "document", source: { type: "file", file_id: "f" } },
      { files: true },
      "messages.0.content.1.document.source: file sources are not supported",
    ],
    [
      "R6 other encoded files are refused",
      { type: "document", source: { type: "base64", media_type: "text/html", data: "AA" } },
      { files: true },
      "messages.0.content.1.document.source.media_type: Input should be 'application/pdf'",
    ],
    [
      "R6 an image in a document needs a model that sees",
      { type: "document", source: { type: "content", content: [png] } },
      { vision: false },
      "messages.0.content.1.document.source.content.0: images are not supported by this model",
    ],
  ])("%s", (_rule, block, flags, message) => {
    expect(refusal(block, flags)).toBe(message);
  });

  test("R6 a PDF beside a tool result follows the tool message", () => {
    const messages = [
      { role: "user", content: "read it" },
      { role: "assistant", content: [{ type: "tool_use", id: "c1", name: "Read", input: {} }] },
      { role: "user", content: [{ type: "tool_result", tool_use_id: "c1", content: "PDF file read" }, pdf] },
    ];
    expect(upstreamMessages(messages, { files: true }).slice(2)).toEqual([
      { role: "tool", tool_call_id: "c1", content: "PDF file read" },
      {
        role: "user",
        content: [{ type: "file", file: { filename: "document.pdf", file_data: "data:application/pdf;base64,AA" } }],
      },
    ]);
  });
});
