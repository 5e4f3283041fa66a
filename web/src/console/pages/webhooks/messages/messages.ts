import { area, type TextFile } from "../../../locales.ts";
import type { WebhookMessages } from "./en.ts";

export const webhooksArea = area(import.meta.glob<TextFile<WebhookMessages>>("./??.ts"));
