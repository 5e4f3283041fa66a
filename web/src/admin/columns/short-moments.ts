/**
 * Writes moments for narrow columns: without seconds, and without the year if it is that of `now`.
 * @param zone that of the browser unless given
 */
export function shortMoments(tag: string, zone?: string): (time: string, now: number) => string {
  const zoned = zone === undefined ? {} : { timeZone: zone };
  const short = { month: "short", day: "numeric", hour: "numeric", minute: "2-digit", ...zoned } as const;
  const year = new Intl.DateTimeFormat("en", { year: "numeric", ...zoned });
  const ofThisYear = new Intl.DateTimeFormat(tag, short);
  const ofOthers = new Intl.DateTimeFormat(tag, { year: "numeric", ...short });
  return (time, now) => {
    const at = new Date(time);
    return (year.format(at) === year.format(now) ? ofThisYear : ofOthers).format(at);
  };
}
