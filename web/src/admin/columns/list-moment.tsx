import type { JSX } from "solid-js";
import { formats } from "../formats.ts";
import { dash } from "../shown.ts";

/** A moment in a list, short enough for its column; the whole one is shown on hover. */
export function listMoment(time: string | null, otherwise: string = dash): JSX.Element {
  return time === null ? (
    otherwise
  ) : (
    <time datetime={time} title={formats.dateTime(time)}>
      {formats.shortDateTime(time, Date.now())}
    </time>
  );
}
