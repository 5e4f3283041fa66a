import { z } from "zod";
import { byLength } from "./by-length.ts";

/**
 * Matches white space, controls, and characters without width or ink, even if Unicode counts them as letters (fillers).
 */
const withoutInk = /[\p{White_Space}\p{C}\p{Default_Ignorable_Code_Point}\u2800]/gu;

/** How many characters of a text are visible. */
export function countVisible(text: string): number {
  return [...text.replace(withoutInk, "")].length;
}

/** The reason for an action, in visible words for readers of the audit log. */
export const reasonText = byLength((lengthMax) =>
  z
    .string()
    .trim()
    .max(lengthMax, `Use at most ${lengthMax} characters.`)
    .refine((text) => countVisible(text) >= reasonVisibleMin, `Write at least ${reasonVisibleMin} characters.`),
);

const reasonVisibleMin = 3;
