import { expect, test } from "bun:test";
import { readPriceFile } from "@sluice/control-plane/gateway/catalog-admin/price-data/read-price-file.ts";
import { threadMs } from "../../../support/values/processor-time.ts";

const model = (index: number) => ({
  id: `model-${index}`,
  match: { or: [{ equals: `model-${index}` }, { starts_with: `model-${index}-` }] },
  prices: [{ prices: { input_mtok: 1, output_mtok: { base: 2, tiers: [{ start: 200_000, price: 4 }] } } }],
});
const fileOf = (...models: readonly (readonly unknown[])[]): Buffer =>
  Buffer.from(JSON.stringify(models.map((each, at) => ({ id: `p${at}`, name: `P ${at}`, models: each }))));
const many = (count: number): unknown[] => Array.from({ length: count }, (_, index) => model(index));

test("a large file of prices never keeps calls waiting for long", async () => {
  const file = fileOf(many(15_000));
  let longestMs = 0;
  let last = threadMs();
  const timer = setInterval(() => {
    const now = threadMs();
    longestMs = Math.max(longestMs, now - last);
    last = now;
  }, 1);
  const began = threadMs();
  const [provider] = await readPriceFile(file);
  const tookMs = threadMs() - began;
  clearInterval(timer);
  expect(provider?.models).toHaveLength(15_000);
  // Of processor time: the text is scanned and parsed at once, and the checks of the models take most of it.
  expect(longestMs).toBeLessThan(tookMs * 0.6);
}, 60_000);

test("a file has a limit of models, over all of its providers", async () => {
  const reading = readPriceFile(fileOf(many(10_001), many(10_000)));
  await expect(reading).rejects.toMatchObject({ fields: { content: expect.stringContaining("20,000 models") } });
});

test("the first thing that is wrong is named by its place", async () => {
  const reading = readPriceFile(fileOf([model(1)], [model(1), { ...model(2), id: "" }]));
  await expect(reading).rejects.toMatchObject({ fields: { content: expect.stringContaining("1.models.1.id") } });
});
