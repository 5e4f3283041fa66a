import type { SiteModel } from "@sluice/contracts/site-catalogue";
import type { Formats } from "../../i18n/format.ts";
import type { ModelsTexts } from "../pages/models/messages/en.ts";
import type { ModelChoice, ModelFigures, ModelSort } from "./model-choice.ts";

/** What every part of the table of models needs. */
export type Shown = {
  /** The models with their own page, and the beginning of its URL. */
  readonly pages: ReadonlySet<string>;
  readonly base: string;
  readonly texts: ModelsTexts;
  readonly formats: Formats;
  readonly figures: ModelFigures;
  readonly price: (model: SiteModel, usdPerM: string) => string;
  readonly choice: ModelChoice;
  readonly change: (change: Partial<ModelChoice>) => void;
};

/** A column of figures, which is also a line of the comparison. */
export type ModelColumn = {
  readonly sort: ModelSort;
  readonly label: string;
  readonly text: (model: SiteModel) => string;
};

const dash = "–";

/** The columns after the name and the provider; those of measured figures only where one is shown. */
export function modelColumns({ texts, formats, figures, price }: Shown): readonly ModelColumn[] {
  const { performance, success } = figures;
  const shown = Object.values(performance);
  const measured: readonly (readonly [boolean, ModelColumn])[] = [
    [
      shown.length > 0,
      {
        sort: "first_byte",
        label: texts.firstByteShort,
        text: ({ name }) => orDash(performance[name]?.first_byte_ms, formats.milliseconds),
      },
    ],
    [
      shown.some(({ tokens_per_second: speed }) => speed !== null),
      {
        sort: "speed",
        label: texts.speedShort,
        text: ({ name }) => orDash(performance[name]?.tokens_per_second, formats.number),
      },
    ],
    [
      Object.keys(success).length > 0,
      { sort: "success", label: texts.answered, text: ({ name }) => orDash(success[name], formats.percent) },
    ],
  ];
  const { input, output, cache_read: cached } = texts.unitPrices;
  return [
    { sort: "input", label: input, text: (model) => price(model, model.input_usd_per_m) },
    { sort: "output", label: output, text: (model) => price(model, model.output_usd_per_m) },
    {
      sort: "cached",
      label: cached,
      text: (model) => price(model, model.cache_read_usd_per_m ?? model.input_usd_per_m),
    },
    { sort: "context", label: texts.context, text: (model) => formats.number(model.context_tokens_max) },
    { sort: "max_output", label: texts.outputMax, text: (model) => formats.number(model.output_tokens_max) },
    ...measured.flatMap(([isShown, column]) => (isShown ? [column] : [])),
  ];
}

function orDash(value: number | null | undefined, format: (value: number) => string): string {
  return value === null || value === undefined ? dash : format(value);
}
