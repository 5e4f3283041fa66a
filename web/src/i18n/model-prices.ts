import { type PricedUnit, type PriceList, priceOf, type UnitName, unitsByWhole } from "@sluice/contracts/priced-units";
import type { SiteModel } from "@sluice/contracts/site-catalogue";
import type { Formats } from "./format.ts";

type PriceName = "input_usd_per_m" | "output_usd_per_m" | "request_usd" | "image_usd" | "second_usd";
type Priced = Pick<SiteModel, PriceName>;

/** Whether the tokens of a model cost something; a free model counts as priced by the token. */
export function isPricedByToken(model: Readonly<Record<PriceName, string | null>>): boolean {
  const others = [model.request_usd, model.image_usd, model.second_usd];
  return [model.input_usd_per_m, model.output_usd_per_m].some(isAbove) || !others.some(isAbove);
}

function isAbove(usd: string | null): boolean {
  return Number(usd) > 0;
}

/**
 * The price of a model's tokens in words; a dash for a model that is paid by the call, the image or the second instead.
 */
export function shownTokenPrice(formats: Formats, model: Priced, usdPerM: string): string {
  return isPricedByToken(model) ? formats.usd(usdPerM) : "–";
}

/** Whether a price applies to a model: that of its tokens also where they are free, any other one if it is above zero. */
export function isCharged(model: PriceList, unit: PricedUnit): boolean {
  return unit.measure === "token" ? isPricedByToken(model) : isAbove(priceOf<string>(model, unit));
}

/** The prices of a model besides its tokens, under these labels; empty if it has none. */
export function otherPrices(
  model: PriceList,
  labels: Readonly<Record<UnitName, string>>,
): readonly (readonly [label: string, usd: string])[] {
  return unitsByWhole
    .filter((unit) => unit.measure !== "token" && isCharged(model, unit))
    .map((unit) => [labels[unit.name], priceOf<string>(model, unit)] as const);
}

/** The main price of a model: that of its tokens, else the first of its other prices. */
export function firstPrice(model: Priced): string {
  const others = [model.image_usd, model.second_usd, model.request_usd];
  return isPricedByToken(model) ? model.input_usd_per_m : (others.find(isAbove) ?? "0");
}

/** The models for conversations. */
export function chatModels<Model extends Pick<SiteModel, "kind">>(models: readonly Model[]): Model[] {
  return models.filter(isChat);
}

/** The chat model whose tokens cost the least, of those that are not about to end: the one that examples ask for. */
export function cheapestChatModel<Model extends Priced & Pick<SiteModel, "kind" | "deprecated_at">>(
  models: readonly Model[],
): Model | undefined {
  const chat = chatModels(models);
  const lasting = chat.filter(({ deprecated_at }) => deprecated_at === null);
  const priced = lasting.filter(isPricedByToken);
  const offered = [priced, lasting, chat].find(({ length }) => length > 0) ?? [];
  return offered.toSorted((a, b) => tokenPrice(a) - tokenPrice(b))[0];
}

/** What a token read and a token written cost together; only to compare. */
function tokenPrice({ input_usd_per_m: input, output_usd_per_m: output }: Priced): number {
  return Number(input) + Number(output);
}

export function isChat({ kind }: Pick<SiteModel, "kind">): boolean {
  return kind === "chat";
}
