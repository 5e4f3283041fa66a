import { area, type TextFile } from "../../../locales.ts";
import type { UpstreamsMessages } from "./en.ts";

export const upstreamsArea = area(import.meta.glob<TextFile<UpstreamsMessages>>("./??.ts"));
