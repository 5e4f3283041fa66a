import { describe, expect, test } from "bun:test";
import { readApiKey } from "@sluice/control-plane/gateway/admit/authenticate-key.ts";
import { parseRequest } from "@sluice/control-plane/gateway/admit/parse-request.ts";
import { checkQuery } from "@sluice/control-plane/gateway/dispatch/compose-request.ts";
import { geminiPathOf, readGeminiPath } from "@sluice/control-plane/gateway/operations/gemini-path.ts";
import { findOperation, isPlainPath } from "@sluice/control-plane/gateway/operations/table.ts";
import { AppError } from "@sluice/control-plane/platform/errors.ts";

const path = "/v1beta/models/gemini-3:generateContent";
const streamed = "/v1beta/models/gemini-3:streamGenerateContent";
const text = (value: string) => ({ role: "user", parts: [{ text: value }] });
const parse = (fields: object, at = path) =>
  parseRequest(Buffer.from(JSON.stringify(fields)), "application/json", findOperation(at));

function refusalOf(run: () => unknown): unknown {
  try {
    run();
    return "accepted";
  } catch (error) {
    return error instanceof AppError ? [error.code, error.param] : error;
  }
}

describe("a name that no provider reads as the one it resembles", () => {
  test.each([
    ["generationConfig.MaxOutputTokens", { generationConfig: { MaxOutputTokens: 1 } }],
    ["generationConfig.max_outputTokens", { generationConfig: { max_outputTokens: 1 } }],
    ["Contents", { Contents: [] }],
  ])("%s is refused, so that nothing is held by it", (param, fields) => {
    expect(refusalOf(() => parse({ contents: [text("Hi")], ...fields }))).toEqual(["unknown_field", param]);
  });

  test("a file has one type", () => {
    const inlineData = { mimeType: "image/png", mime_type: "audio/wav", data: "AAAA" };
    const contents = [{ role: "user", parts: [{ inlineData }] }];
    expect(refusalOf(() => parse({ contents }))).toEqual([
      "unknown_field",
      "contents[0].parts[0].inlineData.mime_type",
    ]);
  });

  test("a content has its parts under one name", () => {
    const contents = [{ role: "user", parts: [{ text: "Hi" }], Parts: [{ file_data: {} }] }];
    expect(refusalOf(() => parse({ contents }))).toEqual(["unknown_field", "contents[0].Parts"]);
  });
});

describe("a path of the Gemini API", () => {
  test("names the model, and whether the response is streamed", () => {
    const request = parse({ contents: [text("Hi")] });
    expect([request.model, request.isStream]).toEqual(["gemini-3", false]);
    expect(parse({ contents: [text("Hi")] }, streamed).isStream).toBe(true);
    expect(findOperation(path)).toMatchObject({ dialect: "gemini", handling: "call", stream: "candidates" });
  });

  test.each([
    ["/v1beta/models/vendor%2Fmodel:generateContent", "vendor/model"],
    ["/v1beta/models/a:generateContent", "a"],
  ])("%s decodes its model, which is encoded for the channel again", (asked, model) => {
    expect(readGeminiPath(asked)).toEqual({ model, action: "generateContent" });
    expect(geminiPathOf({ action: "generateContent" }, model)).toBe(asked);
  });

  test.each([
    "/v1beta/models/../files:generateContent",
    "/v1beta/models/a:predict",
    "/v2/models/a:generateContent",
    "/v1beta/models/a%zz:generateContent",
    "/v1beta/models/a/b:generateContent",
    "/v1beta/files",
    "/V1beta/models/a:generateContent",
  ])("%s is none", (asked) => {
    expect(readGeminiPath(asked)).toBeNull();
    expect(isPlainPath(asked)).toBe(false);
  });

  test("is asked for events, or not streamed at all", () => {
    expect(refusalOf(() => checkQuery("", findOperation(streamed)))).toEqual(["invalid_parameter", "alt"]);
    expect(refusalOf(() => checkQuery("?alt=sse", findOperation(streamed)))).toBe("accepted");
    expect(refusalOf(() => checkQuery("", findOperation(path)))).toBe("accepted");
  });
});

describe("the key of such a call", () => {
  const key = `sk-${"a".repeat(48)}`;
  const keyOf = (headers: Record<string, string>, query = "", at = path) =>
    refusalOf(() => {
      throw readApiKey({ headers: new Headers(headers), path: at, query });
    });

  test("may be in Google's header or in the query, and there in no other call", () => {
    expect(keyOf({ "x-goog-api-key": key })).toBe(key);
    expect(keyOf({}, `?key=${key}`)).toBe(key);
    expect(keyOf({}, `?key=${key}`, "/v1/chat/completions")).toEqual(["missing_api_key", null]);
    expect(keyOf({ "x-goog-api-key": key }, "", "/v1/chat/completions")).toEqual(["missing_api_key", null]);
  });

  test("may not contradict another one", () => {
    expect(keyOf({ "x-goog-api-key": key, authorization: `Bearer ${key}` })).toBe(key);
    expect(keyOf({ "x-goog-api-key": `${key}b`, authorization: `Bearer ${key}` })).toEqual([
      "ambiguous_credentials",
      null,
    ]);
    expect(keyOf({ "x-goog-api-key": key }, "?key=other")).toEqual(["ambiguous_credentials", null]);
  });
});

describe("the bounds of a Gemini request", () => {
  test("are its bytes, its limit on output and its candidates, in both spellings", () => {
    const fields = { contents: [text("Hi")], generationConfig: { maxOutputTokens: 50, candidateCount: 2 } };
    expect(parse(fields).bounds).toMatchObject({ outputTokensMax: 50, choices: 2 });
    const snake = { contents: [text("Hi")], generation_config: { max_output_tokens: 50, candidate_count: 2 } };
    expect(parse(snake).bounds).toMatchObject({ outputTokensMax: 50, choices: 2 });
    expect(parse({ contents: [text("Hi")] }).bounds).toMatchObject({ outputTokensMax: null, choices: 1 });
  });

  test("count images, wherever they are, and leave documents to the context of the model", () => {
    const picture = { inlineData: { mimeType: "image/png", data: "AAAA" } };
    const answer = { functionResponse: { name: "f", response: {}, parts: [picture] } };
    const { bounds } = parse({ contents: [{ parts: [picture, { text: "x" }, answer] }] });
    expect(bounds).toMatchObject({ inputImages: 2, fileLetters: 8 });
    expect(bounds.inputTokensMax).not.toBeNull();
    const document = { inline_data: { mime_type: "application/pdf", data: "AAAA" } };
    expect(parse({ contents: [{ parts: [document] }] }).bounds).toMatchObject({ inputTokensMax: null, inputPages: 1 });
  });

  test.each([
    [{}, ["missing_field", "contents"]],
    [{ contents: "Hi" }, ["invalid_type", "contents"]],
    [{ contents: [text("Hi")], model: "dearer" }, ["unknown_field", "model"]],
    [{ contents: [text("Hi")], CONTENTS: [] }, ["unknown_field", "CONTENTS"]],
    [
      { contents: [text("Hi")], generationConfig: { maxOutputTokens: 5, max_output_tokens: 5_000 } },
      ["unknown_field", "generationConfig.max_output_tokens"],
    ],
    [{ contents: [text("Hi")], cachedContent: "cachedContents/1" }, ["provider_object", "cachedContent"]],
    [{ contents: [text("Hi")], serviceTier: "priority" }, ["unpriced_option", "serviceTier"]],
    [{ contents: [text("Hi")], tools: [{ googleSearch: {} }] }, ["unpriced_option", "tools[0].googleSearch"]],
    [{ contents: [text("Hi")], tools: [{ code_execution: {} }] }, ["unpriced_option", "tools[0].code_execution"]],
    [
      { contents: [text("Hi")], generationConfig: { responseModalities: ["TEXT", "IMAGE"] } },
      ["unpriced_option", "generationConfig.responseModalities"],
    ],
    [
      { contents: [{ parts: [{ fileData: { fileUri: "https://x" } }] }] },
      ["provider_object", "contents[0].parts[0].fileData"],
    ],
    [
      { contents: [{ parts: [{ inlineData: { mimeType: "audio/wav", data: "AA" } }] }] },
      ["unpriced_option", "contents[0].parts[0].inlineData"],
    ],
    [{ contents: [text("Hi")], generationConfig: { maxOutputTokens: -1 } }, ["invalid_value", "maxOutputTokens"]],
  ])("refuse %j", (fields, refusal) => {
    expect(refusalOf(() => parse(fields))).toEqual(refusal);
  });

  test("let functions, schemas, thinking and safety settings pass", () => {
    const fields = {
      contents: [
        text("Hi"),
        { role: "model", parts: [{ functionCall: { name: "f", args: {} }, thoughtSignature: "s" }] },
      ],
      systemInstruction: { parts: [{ text: "Be brief." }] },
      tools: [{ functionDeclarations: [{ name: "f" }] }],
      toolConfig: { functionCallingConfig: { mode: "AUTO" } },
      safetySettings: [{ category: "HARM_CATEGORY_HARASSMENT", threshold: "BLOCK_NONE" }],
      generationConfig: {
        thinkingConfig: { thinkingBudget: 100 },
        responseMimeType: "application/json",
        responseSchema: {},
      },
    };
    expect(parse(fields).model).toBe("gemini-3");
  });
});
