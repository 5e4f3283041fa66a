import { area, type TextFile } from "../../../locales.ts";
import type { OrganisationMessages } from "./en.ts";

export const organisationArea = area(import.meta.glob<TextFile<OrganisationMessages>>("./??.ts"));
