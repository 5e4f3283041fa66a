import { shownMoment } from "../../shown.ts";
import { t } from "../../translate.ts";

type Option = { readonly value: string; readonly label: string };

const minuteMs = 60_000;
const hourMs = 60 * minuteMs;
const spans = [
  { label: t("15 minutes ago"), ms: 15 * minuteMs },
  { label: t("1 hour ago"), ms: hourMs },
  { label: t("6 hours ago"), ms: 6 * hourMs },
  { label: t("24 hours ago"), ms: 24 * hourMs },
  { label: t("7 days ago"), ms: 7 * 24 * hourMs },
] as const;
/** Moments stay the same while the page is open, so that a selected one stays selected. */
const openedMs = Math.floor(Date.now() / minuteMs) * minuteMs;
const ofSpans: readonly Option[] = spans.map(({ label, ms }) => ({
  value: new Date(openedMs - ms).toISOString(),
  label,
}));

/** A moment of an address, as an option. */
export function timeOption(moment: string): Option {
  return { value: moment, label: Number.isNaN(Date.parse(moment)) ? moment : shownMoment(moment) };
}

/** Moments before now, and the one that is selected. */
export function timesSince(selected: string): readonly Option[] {
  const isListed = selected === "" || ofSpans.some(({ value }) => value === selected);
  return isListed ? ofSpans : [...ofSpans, timeOption(selected)];
}
