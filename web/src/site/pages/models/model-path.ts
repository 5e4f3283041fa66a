import type { SiteModel } from "@sluice/contracts/site-catalogue";

/** Each is a page in every language; a catalogue that is larger has the rest in the table only. */
export const modelPagesMax = 200;
/**
 * Names that are valid paths as they are: parts of plain characters that do not begin with a dot. The folder of a
 * part can't be called like the file of a page.
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
