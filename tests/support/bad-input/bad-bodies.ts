import { type BadInput, bodyBytesMax, jsonAnd, jsonWith } from "./oddity.ts";

const bytes = (...values: number[]): Uint8Array<ArrayBuffer> => Uint8Array.from(values);

/** Bodies that are not JSON objects, that come in another form, or that are made to be expensive. */
export const badBodies: readonly BadInput[] = [
  ["9 no JSON", { body: "hello" }, { code: "invalid_json" }],
  ["9 nothing", { body: "" }, { code: "invalid_json" }],
  ["9 null", { body: "null" }, { code: "invalid_json" }],
  ["9 an array", { body: "[]" }, { code: "invalid_json" }],
  ["9 a string", { body: '"x"' }, { code: "invalid_json" }],
  ["9 a number", { body: "1" }, { code: "invalid_json" }],
  ["9 a byte order mark", { body: `\ufeff${jsonWith({})}` }, { code: "invalid_json" }],
  [
    "9 invalid UTF-8",
    { body: Buffer.concat([Buffer.from('{"a":"'), bytes(0xc3, 0x28), Buffer.from('"}')]) },
    { code: "invalid_json" },
  ],
  ["9 UTF-16", { body: Buffer.from(jsonWith({}), "utf16le") }, { code: "invalid_json" }],
  [
    "9 a surrogate half in UTF-8",
    { body: Buffer.concat([Buffer.from('{"a":"'), bytes(0xed, 0xa0, 0x80), Buffer.from('"}')]) },
    { code: "invalid_json" },
  ],
  ["9 garbage after the end", { body: `${jsonWith({})}x` }, { code: "invalid_json" }],
  ["9 two bodies", { body: `${jsonWith({})}${jsonWith({})}` }, { code: "invalid_json" }],
  ["9 a comment", { body: jsonAnd('"a":1/**/') }, { code: "invalid_json" }],
  ["9 a trailing comma", { body: jsonAnd('"a":1,') }, { code: "invalid_json" }],
  ["9 NaN", { body: jsonAnd('"temperature":NaN') }, { code: "invalid_json" }],
  ["9 a NUL in a string", { body: jsonAnd('"a":"\0"') }, { code: "invalid_json" }],
  ["9 cut off in a string", { body: '{"model":"gpt-4o-mini' }, { code: "invalid_json" }],
  ["10 plain text", { headers: { "content-type": "text/plain" } }, { code: "unsupported_media_type" }],
  [
    "10 a form",
    { headers: { "content-type": "application/x-www-form-urlencoded" } },
    { code: "unsupported_media_type" },
  ],
  ["10 nearly JSON", { headers: { "content-type": "application/jsonp" } }, { code: "unsupported_media_type" }],
  [
    "10 no content type",
    { body: bytes(0x7b, 0x7d), headers: { "content-type": null } },
    { code: "unsupported_media_type" },
  ],
  ["10 JSON where a form is due", { path: "/v1/audio/transcriptions" }, { code: "unsupported_media_type" }],
  [
    "11 gzip",
    { headers: { "content-encoding": "gzip" }, body: Bun.gzipSync(jsonWith({})) },
    { code: "unsupported_encoding" },
  ],
  ["11 deflate, said in capitals", { headers: { "content-encoding": "DEFLATE" } }, { code: "unsupported_encoding" }],
  [
    "11 an encoding of two steps",
    { headers: { "content-encoding": "identity, br" } },
    { code: "unsupported_encoding" },
  ],
  [
    "12 a body over the limit",
    { body: () => jsonWith({ user: "x".repeat(bodyBytesMax) }) },
    { code: "request_too_large" },
  ],
  [
    "13 10,000 arrays in each other",
    { body: jsonAnd(`"a":${"[".repeat(10_000)}${"]".repeat(10_000)}`) },
    { code: "invalid_json" },
  ],
  [
    "13 10,000 objects in each other",
    { body: jsonAnd(`"a":${'{"a":'.repeat(10_000)}1${"}".repeat(10_000)}`) },
    { code: "invalid_json" },
  ],
  ["13 arrays that never end", { body: "[".repeat(100_000) }, { code: "invalid_json" }],
  ["13 a million keys", { body: () => jsonAnd(`"a":{${'"b":0,'.repeat(1_000_000)}"c":0}`) }, { code: "invalid_json" }],
  [
    "13 a million keys at the top",
    { body: () => jsonAnd(`${Array.from({ length: 1_000_000 }, (_, n) => `"${n}":0`).join()}`) },
    { code: "invalid_json" },
  ],
  ["13 a million keys without values", { body: () => `{${'"b",'.repeat(1_000_000)}"c"}` }, { code: "invalid_json" }],
  ["13 two million values", { body: () => jsonAnd(`"a":[${"0,".repeat(2_000_000)}0]`) }, { code: "invalid_json" }],
  ["13 brackets that only close", { body: () => "}".repeat(4_000_000) }, { code: "invalid_json" }],
  ["13 two models", { body: jsonAnd('"model":"other"') }, { code: "invalid_json" }],
  ["13 two models, one escaped", { body: jsonAnd('"mod\\u0065l":"other"') }, { code: "invalid_json" }],
  ["13 stream twice", { body: jsonAnd('"stream":false,"stream":true') }, { code: "invalid_json" }],
  ["13 max_tokens twice", { body: jsonAnd('"max_tokens":1,"max_tokens":100000') }, { code: "invalid_json" }],
  [
    "14 fields of a prototype",
    { body: '{"__proto__":{"model":"gpt-4o-mini"},"messages":[{"role":"user","content":"x"}]}' },
    { code: "missing_field", param: "model" },
  ],
  [
    "14 fields of a constructor",
    { body: '{"constructor":{"prototype":{"model":"gpt-4o-mini"}},"messages":[{"role":"user","content":"x"}]}' },
    { code: "missing_field", param: "model" },
  ],
  [
    "18 another destination",
    { body: jsonWith({ api_base: "http://127.0.0.1:1" }) },
    { code: "unknown_field", param: "api_base" },
  ],
  [
    "18 a base URL",
    { body: jsonWith({ base_url: "http://127.0.0.1:1" }) },
    { code: "unknown_field", param: "base_url" },
  ],
  ["18 a configuration", { body: jsonWith({ user_config: {} }) }, { code: "unknown_field", param: "user_config" }],
  [
    "18 more headers",
    { body: jsonWith({ extra_headers: { "x-a": "b" } }) },
    { code: "unknown_field", param: "extra_headers" },
  ],
  ["18 another key", { body: jsonAnd('"api\\u005fkey":"x"') }, { code: "unknown_field", param: "api_key" }],
];
