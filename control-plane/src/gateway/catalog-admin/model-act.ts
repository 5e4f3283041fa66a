import { type SaveModelInput, saveModelInput } from "@sluice/contracts/catalog-admin";
import { type Decimal, decimalToScaled } from "@sluice/contracts/money";
import { type PriceColumn, priceColumns, pricedUnits, priceEffect, priceOf } from "@sluice/contracts/priced-units";
import type { Act } from "../../admin/approvals/port.ts";
import { recordAct } from "../../admin/approvals/service.ts";
import { type ModelState, plain, saveModel } from "./save-model.ts";

export type CatalogActs = { readonly model: Act<SaveModelInput> };

/**
 * Creating or changing a model. A lower price is a discount for all, and a new model may be a cheap copy of another.
 */
export function modelAct(): Act<SaveModelInput> {
  return {
    kind: "model.save",
    schema: saveModelInput,
    reasonOf: ({ reason = "" }) => reason,
    perform: async (tx, input, origin) => {
      const { before, after } = await saveModel(tx, input);
      const what = { action: "model.save", subjectKind: "model", subjectId: after.name };
      await recordAct(tx, origin, { ...what, before, after, reason: input.reason });
      const changed = priceColumns.filter((name) => before === null || before[name] !== after[name]);
      return {
        isNew: true,
        amount: null,
        takesTwo: before === null || isCheaper(before, after),
        effects: {
          model: after.name,
          ...(before === null ? { model_is: "new" } : {}),
          ...Object.fromEntries(changed.map((name) => [priceEffect(name), changeText(name, before, after)])),
        },
        finish: async () => ({ model: after }),
      };
    },
  };
}

function changeText(name: PriceColumn, before: ModelState | null, after: ModelState): string {
  const to = plain(after[name]) ?? "as plain tokens";
  return before === null ? to : `${plain(before[name]) ?? "as plain tokens"} → ${to}`;
}

/** More decimal places than any price has. */
const priceScale = 12;

/** Whether anything that a call is charged for becomes cheaper. */
function isCheaper(before: ModelState, after: ModelState): boolean {
  return pricedUnits.some((unit) => {
    const charged = (model: ModelState) => decimalToScaled(priceOf<string>(model, unit) as Decimal, priceScale);
    return charged(after) < charged(before);
  });
}
