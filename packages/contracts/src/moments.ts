import { z } from "zod";

/** Nothing is from before or after: days of the years 1 and 9999 have neighbours that can't be represented. */
const firstDay = "2000-01-01";
const lastDay = "2999-12-31";

const isNear = (text: string): boolean => text >= firstDay && text <= lastDay;
const problem = `From ${firstDay} to ${lastDay}.`;

/** A day in a request, `2026-11-21`. */
export const day = z.iso.date().refine(isNear, problem);

/** A moment in a request, as RFC 3339. */
export const momentText = z.iso.datetime({ offset: true }).refine(isNear, problem);
