import { expect, test } from "bun:test";
import { planTexts } from "@sluice/contracts/plan-texts";
import { planWords } from "@sluice/contracts/plan-words";

const plan = { name: "Monthly", description: "For a month.", features: ["All models"] };

test("a language has its own words where they are written, and those of the plan elsewhere", () => {
  const texts = {
    de: { name: "Monatlich", features: ["Alle Modelle", "Ohne Vertrag"] },
    zh: { description: "一个月。" },
  };
  expect(planWords({ ...plan, texts }, "de")).toEqual({
    name: "Monatlich",
    description: "For a month.",
    features: ["Alle Modelle", "Ohne Vertrag"],
  });
  expect(planWords({ ...plan, texts }, "zh")).toEqual({ ...plan, description: "一个月。" });
  expect(planWords({ ...plan, texts }, "fr")).toEqual(plan);
});

test("texts in unknown languages, without words or too long are refused", () => {
  for (const wrong of [
    { xx: { name: "A" } },
    { de: { name: " " } },
    { de: { features: [] } },
    { de: { title: "A" } },
  ]) {
    expect(planTexts.safeParse(wrong).success).toBe(false);
  }
  expect(planTexts.safeParse({ de: { name: "a".repeat(101) } }).success).toBe(false);
});
