import { expect, test } from "bun:test";
import { presentError } from "@sluice/node-agent/present-error.ts";
import { processorMsOf } from "../../support/values/processor-time.ts";

const apiKey = "pk/canary+7a$31f0e5c94d1d8b62==";
const secrets = { apiKey, hostname: "api.provider.example" };
const shown = (text: string): string => presentError(Buffer.from(text), secrets);

test.each([
  ["as it is", apiKey],
  ["with slashes escaped", apiKey.replaceAll("/", "\\/")],
  ["with signs as code points", apiKey.replaceAll("=", "\\u003d").replaceAll("+", "\\u002B")],
  ["with every letter as a code point", [...apiKey].map((sign) => `\\u00${sign.charCodeAt(0).toString(16)}`).join("")],
  ["in an address", encodeURIComponent(apiKey)],
  ["in an address, with small letters", encodeURIComponent(apiKey).toLowerCase()],
  ["in a page", apiKey.replaceAll("+", "&#43;").replaceAll("=", "&#x3D;").replaceAll("/", "&#47;")],
])("a key is hidden in an error that quotes it %s", (_, written) => {
  expect(shown(`{"error":{"message":"bad key '${written}'."}}`)).toBe(`{"error":{"message":"bad key '*'."}}`);
});

test("the provider's host is hidden however it is written", () => {
  expect(shown("https://API.Provider.example/v1, api.provider.example")).toBe("https://provider/v1, provider");
});

test("other text stays as it is", () => {
  const text = '{"error":{"message":"Größe: 3 > 2 \\u003d, pk/canary, provider.example"}}';
  expect(shown(text)).toBe(text);
});

test.each(["a", "\\", "\\a", "\\u0061", "%61", "&#97;"])("a long error of only %p takes little time", (part) => {
  const key = `${"a".repeat(200)}b`;
  const body = Buffer.from(part.repeat(Math.floor(65_536 / part.length)));
  const present = () => presentError(body, { apiKey: key, hostname: secrets.hostname });
  expect(processorMsOf(present)).toBeLessThan(1_000);
});
