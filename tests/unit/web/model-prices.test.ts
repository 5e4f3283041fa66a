import { expect, test } from "bun:test";
import { formatsOf } from "@sluice/web/src/i18n/format.ts";
import { chatModels, firstPrice, isPricedByToken, shownTokenPrice } from "@sluice/web/src/i18n/model-prices.ts";

const free = {
  input_usd_per_m: "0.00000000",
  output_usd_per_m: "0",
  request_usd: "0",
  image_usd: "0",
  second_usd: "0",
};
const formats = formatsOf("en", "UTC");

test("a model that is paid by the image, the second or the call is not shown as free by the token", () => {
  const others = [
    { ...free, image_usd: "0.04" },
    { ...free, second_usd: "0.0001" },
    { ...free, request_usd: "0.002" },
  ];
  expect(others.map(isPricedByToken)).toEqual([false, false, false]);
  expect(others.map((model) => shownTokenPrice(formats, model, model.input_usd_per_m))).toEqual(["–", "–", "–"]);
  expect(others.map(firstPrice)).toEqual(["0.04", "0.0001", "0.002"]);
});

test("a model whose tokens cost something, or that costs nothing, has a price for them", () => {
  const embedding = { ...free, input_usd_per_m: "0.02" };
  const both = { ...free, output_usd_per_m: "8", image_usd: "0.04" };
  expect([free, embedding, both].map(isPricedByToken)).toEqual([true, true, true]);
  expect(shownTokenPrice(formats, embedding, embedding.output_usd_per_m)).toBe("$0.00");
  expect(firstPrice(embedding)).toBe("0.02");
});

test("only models of kind chat are offered for conversations", () => {
  const kinds = (["chat", "embedding", "image", "audio", "rerank", "moderation", "realtime"] as const).map((kind) => ({
    kind,
  }));
  expect(chatModels(kinds)).toEqual([{ kind: "chat" }]);
});
