/** Prints the texts of the preview images for the build, which draws them: JSON on its standard output. */
import { allLocales, type Locale } from "@sluice/contracts/locales";
import { sitePages } from "../src/site/routes.ts";

/** The languages whose letters are in the font of the images; the others have the image with the name only. */
const drawnLocales: readonly Locale[] = ["en", "es", "fr", "de", "pt", "ru"];

const titles = sitePages
  .filter(({ isIndexed }) => isIndexed)
  .flatMap(({ path, title }) =>
    allLocales.map((locale) => ({ path, locale, title: drawnLocales.includes(locale) ? title(locale) : null })),
  );
process.stdout.write(JSON.stringify(titles));
