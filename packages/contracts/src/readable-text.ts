import { z } from "zod";

/** White space, controls, and what has no width or no ink, whatever it calls itself: fillers are letters to Unicode. */
const withoutInk = /[\p{White_Space}\p{C}\p{Default_Ignorable_Code_Point}\u2800]/gu;

/** How many characters of a text can be seen. */
export function countVisible(text: string): number {
  return [...text.replace(withoutInk, "")].length;
}

/** Why something was done, in words that readers of the audit log can see. */
export const reasonText = (lengthMax: number) =>
  z
    .string()
    .trim()
    .max(lengthMax, `Use at most ${lengthMax} characters.`)
    .refine((text) => countVisible(text) >= reasonVisibleMin, `Write at least ${reasonVisibleMin} characters.`);

const reasonVisibleMin = 3;
