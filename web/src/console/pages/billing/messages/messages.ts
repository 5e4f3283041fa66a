import { area, type TextFile } from "../../../locales.ts";
import type { BillingMessages } from "./en.ts";

export const billingArea = area(import.meta.glob<TextFile<BillingMessages>>("./??.ts"));
