import type { SiteModel } from "@sluice/contracts/site-catalogue";

/** Each is a page in every language; a catalogue that is larger has the rest in the table only. */
export const modelPagesMax = 200;
/**
 * Names that are a path as they stand: parts of plain characters, none of which begins with a dot. The folder of a part
 * can't be called as the file of a page is.
 */
const plainName = /^(?!\/)(?:(?:^|\/)(?!index\.html)[A-Za-z0-9_@:-][\w.@:-]*){1,5}$/;

/** The address of the page of a model, in English; null for one that has none. */
export function modelPath(name: string): string | null {
  return plainName.test(name) ? `/models/${name}/` : null;
}

/** The models that have a page of their own. */
export function modelsWithPage(models: readonly SiteModel[]): readonly SiteModel[] {
  return models.filter(({ name }) => modelPath(name) !== null).slice(0, modelPagesMax);
}
