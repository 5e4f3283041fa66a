import { type SaveModelInput, saveModelInput } from "@sluice/contracts/catalog-admin";
import { type Decimal, decimalToScaled } from "@sluice/contracts/money";
import type { Act } from "../../admin/approvals/port.ts";
import { writeActDown } from "../../admin/approvals/service.ts";
import { type ModelState, plain, saveModel } from "./save-model.ts";

export type CatalogActs = { readonly model: Act<SaveModelInput> };

const priceNames = [
  "input_usd_per_m",
  "output_usd_per_m",
  "cache_read_usd_per_m",
  "cache_write_usd_per_m",
  "reasoning_usd_per_m",
  "request_usd",
  "image_usd",
  "second_usd",
] as const;
type PriceName = (typeof priceNames)[number];

/** Making or changing a model. A lower price is a discount for every call, and a new model may be a cheap copy of another. */
export function modelAct(): Act<SaveModelInput> {
  return {
    kind: "model.save",
    schema: saveModelInput,
    reasonOf: ({ reason = "" }) => reason,
    perform: async (tx, input, origin) => {
      const { before, after } = await saveModel(tx, input);
      const what = { action: "model.save", subjectKind: "model", subjectId: after.name };
      await writeActDown(tx, origin, { ...what, before, after, reason: input.reason });
      const changed = priceNames.filter((name) => before === null || before[name] !== after[name]);
      return {
        isNew: true,
        amount: null,
        takesTwo: before === null || isCheaper(before, after),
        effects: {
          model: after.name,
          ...(before === null ? { model_is: "new" } : {}),
          ...Object.fromEntries(
            changed.map((name) => [`price_${name.replace(/_usd$/, "")}`, changeText(name, before, after)]),
          ),
        },
        finish: async () => ({ model: after }),
      };
    },
  };
}

function changeText(name: PriceName, before: ModelState | null, after: ModelState): string {
  const to = plain(after[name]) ?? "as plain tokens";
  return before === null ? to : `${plain(before[name]) ?? "as plain tokens"} → ${to}`;
}

/** Whether anything that a call is charged for costs less than before. */
function isCheaper(before: ModelState, after: ModelState): boolean {
  return priceNames.some((name) => chargedOf(after, name) < chargedOf(before, name));
}

/** More places than any price has. */
const priceScale = 12;

/** What counts for a price, which is that of plain tokens where it has none of its own. */
function chargedOf(model: ModelState, name: PriceName): bigint {
  const fallback = name === "reasoning_usd_per_m" ? model.output_usd_per_m : model.input_usd_per_m;
  return decimalToScaled((model[name] ?? fallback) as Decimal, priceScale);
}
