import type { SiteModel } from "@sluice/contracts/site-catalogue";

/** The limit for model pages, each of which exists in every language; further models are only in the table. */
export const modelPagesMax = 200;
/**
 * Names that are valid paths unchanged: segments of plain characters that do not begin with a dot. A segment's folder
 * can't have the name of a page's file.
 */
const plainName = /^(?!\/)(?:(?:^|\/)(?!index\.html)[A-Za-z0-9_@:-][\w.@:-]*){1,5}$/;

/** The URL of a model's page, in English; null if it has none. */
export function modelPath(name: string): string | null {
  return plainName.test(name) ? `/models/${name}/` : null;
}

/** The models that have a page of their own. */
export function modelsWithPage(models: readonly SiteModel[]): readonly SiteModel[] {
  return models.filter(({ name }) => modelPath(name) !== null).slice(0, modelPagesMax);
}
