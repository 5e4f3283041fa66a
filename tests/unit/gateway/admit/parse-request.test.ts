import { describe, expect, test } from "bun:test";
import { checkContentType, parseRequest } from "@sluice/control-plane/gateway/admit/parse-request.ts";
import type { RequestBounds } from "@sluice/control-plane/gateway/model.ts";
import { findOperation } from "@sluice/control-plane/gateway/operations/table.ts";
import { AppError } from "@sluice/control-plane/platform/errors.ts";

function boundsOf(path: string, body: object): RequestBounds & { bytes: number } {
  const bytes = Buffer.from(JSON.stringify({ model: "m", ...body }));
  return { ...parseRequest(bytes, "application/json", findOperation(path)).bounds, bytes: bytes.length };
}

function codeOf(run: () => unknown): string {
  try {
    run();
  } catch (error) {
    if (error instanceof AppError) {
      return `${error.code} ${error.param}`;
    }
    throw error;
  }
  return "nothing was thrown";
}

const ask = [{ role: "user", content: "hi" }];
const withPart = (part: object) => ({ messages: [{ role: "user", content: [{ type: "text", text: "x" }, part] }] });

describe("a chat", () => {
  const chat = (body: object) => boundsOf("/v1/chat/completions", { messages: ask, ...body });

  test("reads no more than its bytes, and writes up to its limit for each choice", () => {
    const bounds = chat({ n: 3, max_tokens: 7 });
    expect(bounds).toMatchObject({ inputTokensMax: bounds.bytes, isOneContext: true, outputTokensMax: 7, choices: 3 });
    expect(bounds).toMatchObject({ outputImages: 0, audioMs: 0, characters: 0 });
  });

  test.each([
    [{ max_tokens: 5, max_completion_tokens: 900 }, 900],
    [{ max_tokens: 900, max_completion_tokens: 5 }, 900],
    [{ max_output_tokens: 5 }, null],
    [{}, null],
  ])("accepts only limits that a provider of chats knows: %p", (body, expected) => {
    expect(chat(body).outputTokensMax).toBe(expected);
  });

  test("counts its images", () => {
    const image = { type: "image_url", image_url: { url: "https://example.com/a.png" } };
    expect(chat(withPart(image))).toMatchObject({ inputImages: 1 });
  });

  test.each([
    ["a file", withPart({ type: "file", file: { file_data: "data:application/pdf;base64,AAAA" } })],
    ["a part of an unknown kind", withPart({ type: "video_url", video_url: { url: "https://example.com" } })],
  ])("may read more than its bytes with %s", (_what, body) => {
    expect(chat(body).inputTokensMax).toBeNull();
  });
});

describe("a response", () => {
  const respond = (body: object) => boundsOf("/v1/responses", { input: "hi", ...body });

  test("reads no more than its bytes, and writes up to its limit", () => {
    const bounds = respond({ max_output_tokens: 9, max_tokens: 1, n: 1 });
    expect(bounds).toMatchObject({ inputTokensMax: bounds.bytes, outputTokensMax: 9, choices: 1, inputImages: 0 });
  });

  test("counts images anywhere in its input", () => {
    const picture = { type: "input_image", image_url: "data:image/png;base64,AAAA" };
    const input = [
      { role: "user", content: [picture, { type: "input_text", text: "x" }] },
      { type: "function_call_output", call_id: "c", output: [picture] },
      {
        type: "computer_call_output",
        call_id: "c",
        output: { type: "computer_screenshot", image_url: "data:image/png;base64,AA" },
      },
    ];
    expect(respond({ input })).toMatchObject({ inputImages: 3, inputTokensMax: expect.any(Number) });
  });

  test("may read more than its bytes with a file", () => {
    const file = { type: "input_file", file_data: "data:application/pdf;base64,AAAA" };
    expect(respond({ input: [{ role: "user", content: [file] }] }).inputTokensMax).toBeNull();
  });

  test("with only client-side tools reads no more than its bytes", () => {
    expect(
      respond({
        tools: [
          { type: "function", name: "f" },
          { type: "custom", name: "g" },
        ],
      }).inputTokensMax,
    ).not.toBeNull();
  });

  test("in the background is refused, because its usage would never be seen", () => {
    expect(codeOf(() => respond({ background: true }))).toBe("unpriced_option background");
    expect(respond({ background: false }).outputTokensMax).toBeNull();
  });

  test("with an image from inside a private network is refused", () => {
    const input = [{ role: "user", content: [{ type: "input_image", image_url: "http://169.254.169.254/a" }] }];
    expect(codeOf(() => respond({ input }))).toBe("invalid_value input.image_url");
  });
});

describe("a completion", () => {
  const complete = (body: object) => boundsOf("/v1/completions", body);

  test.each([
    [{ prompt: "a" }, 1],
    [{ prompt: ["a", "b", "c"], n: 2 }, 6],
    [{ prompt: [1, 2, 3], n: 2 }, 2],
    [{ prompt: [[1], [2]], best_of: 5, n: 2 }, 10],
  ])("writes as often as requested, shown or not: %p", (body, choices) => {
    expect(complete(body).choices).toBe(choices);
  });

  test("has as many contexts as prompts, so that its bytes bound it", () => {
    const bounds = complete({ prompt: ["a", "b"], max_tokens: 3 });
    expect(bounds).toMatchObject({ inputTokensMax: bounds.bytes, isOneContext: false, outputTokensMax: 3 });
  });
});

describe("requests other than text", () => {
  test("an image costs as often as it is requested", () => {
    expect(boundsOf("/v1/images/generations", { prompt: "a", n: 4 })).toMatchObject({ outputImages: 4, choices: 4 });
    expect(boundsOf("/v1/images/generations", { prompt: "a" })).toMatchObject({ outputImages: 1 });
    expect(codeOf(() => boundsOf("/v1/images/generations", { prompt: "a", n: 129 }))).toBe("invalid_value n");
  });

  test("speech is counted by characters as people count them", () => {
    expect(boundsOf("/v1/audio/speech", { input: "añ😀", voice: "alloy" })).toMatchObject({ characters: 3 });
  });

  test("speech of input without countable characters is refused", () => {
    const refusal = (input: unknown) => codeOf(() => boundsOf("/v1/audio/speech", { input, voice: "alloy" }));
    expect([undefined, null, ""].map(refusal)).toEqual(Array(3).fill("missing_field input"));
    expect([["long"], { text: "long" }, 12].map(refusal)).toEqual(Array(3).fill("invalid_type input"));
  });

  test("vectors, ranks and moderations write nothing; a query is read with each document", () => {
    expect(boundsOf("/v1/embeddings", { input: ["a", "b"] })).toMatchObject({
      outputTokensMax: 0,
      isOneContext: false,
    });
    expect(boundsOf("/v1/moderations", { input: "a" }).outputTokensMax).toBe(0);
    const ranks = boundsOf("/v1/rerank", { query: "four", documents: ["a", "b", "c"] });
    expect(ranks).toMatchObject({ outputTokensMax: 0, inputTokensMax: ranks.bytes + 12 });
  });

  test("a moderation may omit its model", () => {
    const operation = findOperation("/v1/moderations");
    const request = parseRequest(Buffer.from('{"input":"a"}'), "application/json", operation);
    expect(request.model).toBe("omni-moderation-latest");
  });

  test("a path without rules costs no token, whatever is sent there", () => {
    const operation = findOperation("/v1/files");
    const request = parseRequest(Buffer.alloc(1_000), "multipart/form-data; boundary=x", operation);
    expect(request.bounds).toMatchObject({ inputTokensMax: 0, outputTokensMax: 0, outputImages: 0, audioMs: 0 });
  });
});

describe("a form", () => {
  const form = (path: string, parts: readonly [string, string | Buffer][]) => {
    const pieces = parts.flatMap(([disposition, value]) => [
      Buffer.from(`--cut\r\nContent-Disposition: form-data; ${disposition}\r\n\r\n`),
      Buffer.from(value),
      Buffer.from("\r\n"),
    ]);
    const bytes = Buffer.concat([...pieces, Buffer.from("--cut--\r\n")]);
    return { ...parseRequest(bytes, "multipart/form-data; boundary=cut", findOperation(path)), bytes: bytes.length };
  };
  const sound: [string, Buffer] = ['name="file"; filename="a.mp3"', Buffer.alloc(5_000)];

  test("with audio lasts no longer than 4 kbit/s allow", () => {
    const { bounds, bytes, isStream } = form("/v1/audio/transcriptions", [['name="model"', "whisper-1"], sound]);
    expect(bounds.audioMs).toBe(bytes * 2);
    expect([bounds.inputTokensMax, isStream]).toEqual([bytes, false]);
  });

  test("may request a stream, and may repeat fields that do not matter", () => {
    const parts: [string, string | Buffer][] = [
      ['name="model"', "m"],
      ['name="stream"', "true"],
      ['name="timestamp_granularities[]"', "word"],
      ['name="timestamp_granularities[]"', "segment"],
      sound,
    ];
    expect(form("/v1/audio/transcriptions", parts).isStream).toBeTrue();
  });

  test("for images counts those it contains and those it requests", () => {
    const parts: [string, string][] = [
      ['name="model"', "gpt-image-1"],
      ['name="n"', "3"],
      ['name="image[]"; filename="a.png"', "x"],
      ['name="image[]"; filename="b.png"', "x"],
      ['name="mask"; filename="m.png"', "x"],
    ];
    expect(form("/v1/images/edits", parts).bounds).toMatchObject({ inputImages: 3, outputImages: 3, choices: 3 });
  });

  test.each([
    [
      "an invalid number",
      [
        ['name="model"', "m"],
        ['name="n"', "many"],
      ],
      "invalid_value n",
    ],
    [
      "two numbers",
      [
        ['name="n"', "1"],
        ['name="n"', "9"],
        ['name="model"', "m"],
      ],
      "invalid_value n",
    ],
    ["a model in a file", [['name="model"; filename="m"', "m"]], "invalid_value model"],
    ["no model", [['name="n"', "1"]], "missing_field model"],
  ] as [string, [string, string][], string][])("with %s is refused", (_what, parts, code) => {
    expect(codeOf(() => form("/v1/images/edits", parts))).toBe(code);
  });
});

test("a model name is a string", () => {
  for (const model of [7, true, [], ["m"], {}]) {
    expect(codeOf(() => boundsOf("/v1/chat/completions", { model, messages: ask }))).toBe("invalid_type model");
  }
  for (const model of [null, ""]) {
    expect(codeOf(() => boundsOf("/v1/chat/completions", { model, messages: ask }))).toBe("missing_field model");
  }
});

test("JSON is forwarded as what it was parsed as, whatever content type a client declares", () => {
  const body = Buffer.from(JSON.stringify({ model: "m", messages: ask }));
  for (const type of ["application/json", "Application/JSON; charset=utf-7", "application/vnd.odd+json; a=b"]) {
    expect(
      checkContentType(new Headers({ "content-type": type }), findOperation("/v1/chat/completions")),
    ).toBeUndefined();
    expect(parseRequest(body, type, findOperation("/v1/chat/completions")).contentType).toBe("application/json");
  }
});

test("a body is accepted with the content type that its path takes", () => {
  const check = (path: string, headers: Record<string, string>) =>
    codeOf(() => checkContentType(new Headers(headers), findOperation(path)));
  const [chats, edits] = ["/v1/chat/completions", "/v1/images/edits"];
  const json = { "content-type": "application/json; charset=utf-8" };
  expect(check(chats, json)).toBe("nothing was thrown");
  expect(check(chats, { ...json, "content-encoding": "Identity" })).toBe("nothing was thrown");
  expect(check(chats, { ...json, "content-encoding": "gzip" })).toStartWith("unsupported_encoding");
  expect(check(chats, { "content-type": "text/plain" })).toStartWith("unsupported_media_type");
  expect(check(edits, json)).toStartWith("unsupported_media_type");
  expect(check(edits, { "content-type": "multipart/form-data; boundary=B" })).toBe("nothing was thrown");
});
