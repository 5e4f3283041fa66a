import type { JSX } from "solid-js";
import { formatTagOf } from "../../i18n/locale.ts";
import { formats } from "../formats.ts";
import { dash } from "../shown.ts";
import { adminLocale } from "../translate.ts";
import { shortMoments } from "./short-moments.ts";

const short = shortMoments(formatTagOf(adminLocale));

/** A moment as a list shows it. */
export function shortMoment(time: string): string {
  return short(time, Date.now());
}

/** A moment in a list, short enough for its column; the whole one is shown on hover. */
export function listMoment(time: string | null, otherwise: string = dash): JSX.Element {
  return time === null ? (
    otherwise
  ) : (
    <time datetime={time} title={formats.dateTime(time)}>
      {shortMoment(time)}
    </time>
  );
}
