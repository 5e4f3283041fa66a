import { expect, test } from "bun:test";
import { countText, toTokens } from "@sluice/control-plane/gateway/usage-count/text-tokens.ts";
import { processorMsOf } from "../../../support/values/processor-time.ts";

/** What the tokenizer o200k_base says about them. */
const samples: readonly (readonly [string, number, string])[] = [
  [
    "English",
    29,
    "The gateway counts what was delivered. When a provider breaks off in the middle of an answer, only the part that reached the client is charged.",
  ],
  [
    "German",
    31,
    "Das Gateway zählt, was geliefert wurde. Bricht ein Anbieter mitten in einer Antwort ab, wird nur der Teil berechnet, der den Client erreicht hat.",
  ],
  [
    "Spanish",
    29,
    "La pasarela cuenta lo que se entregó. Cuando un proveedor interrumpe una respuesta, solo se cobra la parte que llegó al cliente.",
  ],
  [
    "French",
    30,
    "La passerelle compte ce qui a été livré. Quand un fournisseur interrompt une réponse, seule la partie reçue par le client est facturée.",
  ],
  [
    "Portuguese",
    27,
    "O gateway conta o que foi entregue. Quando um fornecedor interrompe uma resposta, só é cobrada a parte que chegou ao cliente.",
  ],
  [
    "Russian",
    31,
    "Шлюз считает то, что было доставлено. Если поставщик обрывает ответ, оплачивается только та часть, которая дошла до клиента.",
  ],
  [
    "Arabic",
    33,
    "تحسب البوابة ما تم تسليمه. عندما يقطع المزود الإجابة في منتصفها، لا يُحتسب إلا الجزء الذي وصل إلى العميل.",
  ],
  ["Hindi", 37, "गेटवे वही गिनता है जो पहुँचाया गया। जब कोई प्रदाता उत्तर बीच में तोड़ देता है, तो केवल पहुँचे हुए हिस्से का शुल्क लगता है।"],
  ["Chinese", 25, "网关统计已送达的内容。如果提供商在回答中途中断，只对到达客户端的部分收费。"],
  [
    "Japanese",
    44,
    "ゲートウェイは届けられた内容を数えます。プロバイダーが回答の途中で中断した場合、クライアントに届いた部分だけが課金されます。",
  ],
  [
    "Korean",
    35,
    "게이트웨이는 전달된 내용을 셉니다. 공급자가 답변 도중에 끊으면 클라이언트에 도달한 부분만 청구됩니다.",
  ],
  [
    "code",
    72,
    "export function countText(text: string): TextCount {\n  let signs = 0;\n  for (let at = 0; at < text.length; at += 1) {\n    signs += text.charCodeAt(at) >= firstSign ? 1 : 0;\n  }\n  return { letters: text.length - signs, signs };\n}\n",
  ],
  [
    "JSON",
    54,
    '{"city":"Lisbon","days":[{"date":"2026-11-23","high":17,"low":11,"rain":0.2},{"date":"2026-11-24","high":18,"low":12,"rain":0}]}',
  ],
];

test.each(samples)("the count for %s is at most a tokenizer's, and at least a third of it", (_what, tokens, text) => {
  const counted = toTokens(countText(text), 0);
  expect(counted).toBeLessThanOrEqual(tokens);
  expect(counted).toBeGreaterThan(tokens / 3);
});

test("50 million characters are counted within a second", () => {
  const count = () => expect(toTokens(countText("x".repeat(50_000_000)), 1)).toBe(10_000_000);
  expect(processorMsOf(count)).toBeLessThan(1_000);
});
