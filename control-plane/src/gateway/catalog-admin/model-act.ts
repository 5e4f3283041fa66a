import { type AdoptModelsInput, type SaveModelInput, saveModelInput } from "@sluice/contracts/catalog-admin";
import { type Decimal, decimalToScaled } from "@sluice/contracts/money";
import {
  listFor,
  type PriceColumn,
  priceColumns,
  pricedUnits,
  priceEffect,
  priceOf,
} from "@sluice/contracts/priced-units";
import type { Act } from "../../admin/approvals/port.ts";
import { recordAct } from "../../admin/approvals/service.ts";
import { longPromptText, type ModelState, plain, saveModel } from "./save-model.ts";

export type CatalogActs = { readonly model: Act<SaveModelInput>; readonly adopt: Act<AdoptModelsInput> };

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
          ...longPromptEffect(before, after),
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

function longPromptEffect(before: ModelState | null, after: ModelState): { readonly price_long_prompt?: string } {
  const none = "as other prompts";
  const was = before === null ? none : (longPromptText(before) ?? none);
  const is = longPromptText(after) ?? none;
  return was === is ? {} : { price_long_prompt: before === null ? is : `${was} → ${is}` };
}

/** More decimal places than any price has. */
const priceScale = 12;

/** Whether anything that a call is charged for becomes cheaper, for a prompt of any length. */
function isCheaper(before: ModelState, after: ModelState): boolean {
  const bounds = [before, after].map(({ long_prompt: long }) => long?.above_tokens ?? 0);
  return [0, ...bounds, ...bounds.map((bound) => bound + 1)].some((promptTokens) =>
    pricedUnits.some((unit) => {
      const charged = (model: ModelState) =>
        decimalToScaled(priceOf<string>(listFor(model, promptTokens), unit) as Decimal, priceScale);
      return charged(after) < charged(before);
    }),
  );
}
