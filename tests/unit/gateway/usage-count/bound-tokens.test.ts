import { expect, test } from "bun:test";
import { boundTokens } from "@sluice/control-plane/gateway/usage-count/bound-tokens.ts";

/** What the tokenizer o200k_base says about them; those of numbers and of random letters make more of these. */
const samples: readonly (readonly [text: string, tokens: number])[] = [
  [
    "The gateway counts what was delivered. When a provider breaks off in the middle of an answer, only the part that reached the client is charged.",
    29,
  ],
  [
    "Das Gateway zählt, was geliefert wurde. Bricht ein Anbieter mitten in einer Antwort ab, wird nur der Teil berechnet, der den Client erreicht hat.",
    31,
  ],
  [
    "Шлюз считает то, что было доставлено. Если поставщик обрывает ответ, оплачивается только та часть, которая дошла до клиента.",
    31,
  ],
  ["गेटवे वही गिनता है जो पहुँचाया गया। जब कोई प्रदाता उत्तर बीच में तोड़ देता है, तो केवल पहुँचे हुए हिस्से का शुल्क लगता है।", 37],
  ["网关统计已送达的内容。如果提供商在回答中途中断，只对到达客户端的部分收费。", 25],
  // One for each digit and mark.
  ["3.14159265358979323846", 22],
  ['{"a":[1,2],"b":{}}', 12],
  // Four bytes each, which a tokenizer may turn into four tokens.
  ["\u{1F9FF}\u{1FAF7}", 8],
];

test.each(samples)("counts no fewer tokens than a tokenizer: %s", (text, tokens) => {
  expect(boundTokens(text)).toBeGreaterThanOrEqual(tokens);
  expect(boundTokens(text)).toBeLessThanOrEqual(tokens * 2.2);
});

test("counts letters that are not a word as short tokens", () => {
  const letters = Array.from({ length: 400 }, (_, index) => String.fromCharCode(97 + ((index * 7 + index ** 2) % 26)));
  expect(boundTokens(letters.join(""))).toBeGreaterThan(280);
});

test("reads all of a text, whatever it begins with", () => {
  expect(boundTokens(`${"word ".repeat(20_000)}${"语".repeat(50_000)}`)).toBeGreaterThanOrEqual(75_000);
});
