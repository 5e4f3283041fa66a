import { useSearchParams } from "@solidjs/router";
import { addDays, dayIn } from "../../../i18n/days.ts";
import { browserZone } from "../../parts/days.ts";

const daysAtFirst = 30;
const dayPattern = /^\d{4}-\d{2}-\d{2}$/;

/** The selected days and their time zone, stored in the URL. */
export type Range = {
  readonly zone: () => string;
  readonly fromDay: () => string;
  readonly toDay: () => string;
  /** The last n days, including today. */
  readonly setLast: (days: number) => void;
  readonly set: (name: "from_day" | "to_day" | "zone", value: string) => void;
  /** The number of days that the range goes back from today, or null for another range. */
  readonly last: () => number | null;
  readonly query: () => Readonly<Record<string, string>>;
};

export function createRange(): Range {
  const [params, setParams] = useSearchParams();
  const read = (name: string): string => {
    const value = params[name];
    return typeof value === "string" ? value : "";
  };
  const readDay = (name: string): string => (dayPattern.test(read(name)) ? read(name) : "");
  const zone = (): string => (isZone(read("zone")) ? read("zone") : browserZone());
  const today = (): string => dayIn(zone(), Date.now());
  const toDay = (): string => readDay("to_day") || today();
  const fromDay = (): string => readDay("from_day") || addDays(toDay(), 1 - daysAtFirst);
  const begin = { cursor: null, open: null };
  return {
    zone,
    fromDay,
    toDay,
    setLast: (days) =>
      setParams(
        { from_day: days === daysAtFirst ? null : addDays(today(), 1 - days), to_day: null, ...begin },
        { scroll: false },
      ),
    set: (name, value) => setParams({ [name]: value === "" ? null : value, ...begin }, { scroll: false }),
    last: () => {
      if (toDay() !== today()) {
        return null;
      }
      return [1, 7, daysAtFirst, 90].find((days) => addDays(today(), 1 - days) === fromDay()) ?? null;
    },
    query: () => ({ from_day: fromDay(), to_day: toDay(), zone: zone() }),
  };
}

function isZone(name: string): boolean {
  try {
    return name !== "" && new Intl.DateTimeFormat("en", { timeZone: name }).format(0) !== "";
  } catch {
    return false;
  }
}
