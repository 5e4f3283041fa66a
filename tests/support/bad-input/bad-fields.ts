import { type BadInput, goodRequest, jsonAnd, jsonWith } from "./oddity.ts";

const image = (url: unknown): string =>
  jsonWith({
    messages: [
      {
        role: "user",
        content: [
          { type: "text", text: "x" },
          { type: "image_url", image_url: { url } },
        ],
      },
    ],
  });
const message = (turn: object): string => jsonWith({ messages: [goodRequest.messages[0], turn] });

/** Fields with invalid values, methods that are not allowed, and models that nobody serves. */
export const badFields: readonly BadInput[] = [
  ["15 no model", { body: '{"messages":[{"role":"user","content":"x"}]}' }, { code: "missing_field", param: "model" }],
  ["15 a model that is null", { body: jsonWith({ model: null }) }, { code: "missing_field", param: "model" }],
  ["15 an empty model", { body: jsonWith({ model: "" }) }, { code: "missing_field", param: "model" }],
  [
    "15 a model that is not text",
    { body: jsonWith({ model: ["gpt-4o-mini"] }) },
    { code: "invalid_type", param: "model" },
  ],
  ["15 an unknown model", { body: jsonWith({ model: "gpt-99" }) }, { code: "model_not_found", param: "model" }],
  [
    "15 a model that is not for this key",
    { user: "bound to another model" },
    { code: "model_not_found", param: "model" },
  ],
  [
    "15 a model of 10 KB",
    { body: jsonWith({ model: "m".repeat(10_240) }) },
    { code: "model_not_found", param: "model" },
  ],
  [
    "15 a path for a model",
    { body: jsonWith({ model: "../../v1/models" }) },
    { code: "model_not_found", param: "model" },
  ],
  ["15 the model for all paths", { body: jsonWith({ model: "*" }) }, { code: "model_not_found", param: "model" }],
  [
    "15 a model with a NUL",
    { body: jsonWith({ model: "gpt-4o-mini\0" }) },
    { code: "model_not_found", param: "model" },
  ],
  [
    "15 a form without a model",
    { path: "/v1/audio/transcriptions", headers: { "content-type": "multipart/form-data; boundary=b" }, body: "--b--" },
    { code: "missing_field", param: "model" },
  ],
  [
    "15 a form with two models",
    {
      path: "/v1/audio/transcriptions",
      headers: { "content-type": "multipart/form-data; boundary=b" },
      body: form('name="model"', 'name="model"'),
    },
    { code: "invalid_value", param: "model" },
  ],
  [
    "15 a form with a hidden model",
    {
      path: "/v1/audio/transcriptions",
      headers: { "content-type": "multipart/form-data; boundary=b" },
      body: form('name="model"', "name*=utf-8''model"),
    },
    { code: "invalid_value" },
  ],
  [
    "15 a form of a million parts",
    {
      path: "/v1/audio/transcriptions",
      headers: { "content-type": "multipart/form-data; boundary=b" },
      body: () => `${"--b\r\n".repeat(1_000_000)}\r\n\r\n`,
    },
    { code: "invalid_value" },
  ],
  [
    "15 a form whose parts have no end",
    {
      path: "/v1/audio/transcriptions",
      headers: { "content-type": "multipart/form-data; boundary=b" },
      body: () => form(...Array.from({ length: 100_000 }, (_, n) => `name="x${n}"`)),
    },
    { code: "invalid_value" },
  ],
  ...["-1", "0", "1.5", '"5"', "1e309", "9007199254740993", "[]", "true"].flatMap((value): BadInput[] => [
    [
      `16 max_tokens ${value}`,
      { body: jsonAnd(`"max_tokens":${value}`) },
      { code: "invalid_value", param: "max_tokens" },
    ],
    [`16 n ${value}`, { body: jsonAnd(`"n":${value}`) }, { code: "invalid_value", param: "n" }],
  ]),
  [
    "16 max_completion_tokens -1",
    { body: jsonAnd('"max_completion_tokens":-1') },
    { code: "invalid_value", param: "max_completion_tokens" },
  ],
  [
    "16 max_output_tokens 0",
    { path: "/v1/responses", body: jsonAnd('"max_output_tokens":0,"input":"x"') },
    { code: "invalid_value", param: "max_output_tokens" },
  ],
  ["16 n 1000", { body: jsonAnd('"n":1000') }, { code: "invalid_value", param: "n" }],
  ["17 stream as text", { body: jsonAnd('"stream":"true"') }, { code: "invalid_type", param: "stream" }],
  ["17 stream as number", { body: jsonAnd('"stream":1') }, { code: "invalid_type", param: "stream" }],
  [
    "17 usage options as text",
    { body: jsonAnd('"stream":true,"stream_options":"usage"') },
    { code: "invalid_type", param: "stream_options" },
  ],
  ...[
    ...[
      "http://169.254.169.254/latest/meta-data/",
      "http://[::ffff:169.254.169.254]/",
      "http://0x7f.1/",
      "http://2130706433/",
    ],
    ...[
      "http://localhost/",
      "http://localhost./",
      "http://a.localhost/",
      "http://[::1]:5432/",
      "https://10.0.0.1/x.png",
    ],
    ...["file:///etc/passwd", "ftp://example.com/x.png", "gopher://x", "javascript:alert(1)", "x", "", "data:,x y"],
  ].map(
    (url): BadInput => [
      `19 an image at '${url}'`,
      { body: image(url) },
      { code: "invalid_value", param: "messages[0].content[1].image_url" },
    ],
  ),
  [
    "19 an image that is not text",
    { body: image(7) },
    { code: "invalid_value", param: "messages[0].content[1].image_url" },
  ],
  [
    "19 an image of 50 MB",
    { body: () => image(`data:image/png;base64,${"A".repeat(50_000_000)}`) },
    { code: "request_too_large" },
  ],
  ["20 no messages", { body: '{"model":"gpt-4o-mini"}' }, { code: "missing_field", param: "messages" }],
  [
    "20 messages that are not an array",
    { body: jsonWith({ messages: {} }) },
    { code: "invalid_type", param: "messages" },
  ],
  ["20 an empty conversation", { body: jsonWith({ messages: [] }) }, { code: "invalid_value", param: "messages" }],
  [
    "20 a message that is null",
    { body: jsonWith({ messages: [null] }) },
    { code: "invalid_type", param: "messages[0]" },
  ],
  [
    "20 an unknown role",
    { body: message({ role: "admin", content: "x" }) },
    { code: "invalid_value", param: "messages[1].role" },
  ],
  [
    "20 a role out of a prototype",
    { body: message({ role: "__proto__", content: "x" }) },
    { code: "invalid_value", param: "messages[1].role" },
  ],
  ["20 no role", { body: message({ content: "x" }) }, { code: "invalid_value", param: "messages[1].role" }],
  [
    "20 content that is null",
    { body: message({ role: "user", content: null }) },
    { code: "invalid_value", param: "messages[1].content" },
  ],
  ["20 no content", { body: message({ role: "user" }) }, { code: "invalid_value", param: "messages[1].content" }],
  [
    "20 content that is a number",
    { body: message({ role: "system", content: 1 }) },
    { code: "invalid_value", param: "messages[1].content" },
  ],
  [
    "20 an empty turn of the assistant",
    { body: message({ role: "assistant", content: null }) },
    { code: "invalid_value", param: "messages[1].content" },
  ],
  ...["PUT", "PATCH", "DELETE", "GET", "OPTIONS"].map(
    (method): BadInput => [`23 ${method}`, { method }, { code: "method_not_allowed" }],
  ),
  ["23 POST of models", { path: "/v1/models" }, { code: "method_not_allowed" }],
  ["23 DELETE of a model", { path: "/v1/models/gpt-4o-mini", method: "DELETE" }, { code: "method_not_allowed" }],
  ["28 a model that no channel serves", { body: jsonWith({ model: "unserved" }) }, { code: "no_upstream" }],
];

function form(...dispositions: string[]): string {
  const parts = dispositions.map((rest) => `--b\r\nContent-Disposition: form-data; ${rest}\r\n\r\nwhisper-1\r\n`);
  return `${parts.join("")}--b--\r\n`;
}
