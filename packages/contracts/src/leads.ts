import { z } from "zod";
import { displayText, recordId } from "./keys.ts";
import { choiceOf, exactText, listContract } from "./lists.ts";
import { strictObject } from "./strict-object.ts";
import { type Unsent, wireInteger, wireMoment } from "./wire.ts";

export const leadStatuses = ["pending", "contacted", "won", "lost", "spam"] as const;

const longText = (lengthMax: number) =>
  z
    .string()
    .trim()
    .max(lengthMax, `Use at most ${lengthMax} characters.`)
    .refine(
      (text) => text.isWellFormed() && !/[^\P{Cc}\n\r\t]/u.test(text),
      "This contains characters that are not allowed.",
    );

export const createLeadInput = strictObject(() => ({
  company: displayText(200),
  contact: displayText(200),
  email: z.string().trim().max(254).pipe(z.email()),
  /** The expected usage in the company's own words. */
  volume: longText(200).default(""),
  message: longText(5_000).default(""),
  campaign: displayText(100).optional(),
  /** A hidden field. Only bots fill it in, and they get the same response as everyone. */
  website: z.string().max(2_000).default(""),
}));
export type CreateLeadInput = z.output<typeof createLeadInput>;

export const createLeadResponse = strictObject(() => ({ received: z.literal(true) }));

export const saveLeadInput = strictObject(() => ({
  id: recordId,
  /** The loaded version of the lead. */
  version: z.union([z.int().positive(), z.string().regex(/^[1-9]\d{0,17}$/)]).transform(BigInt),
  status: z.enum(leadStatuses),
  /** A note that only admins see. */
  note: longText(5_000),
}));
export type SaveLeadInput = z.output<typeof saveLeadInput>;

const leadRow = strictObject(() => ({
  id: wireInteger,
  company: z.string(),
  contact: z.string(),
  email: z.string(),
  volume: z.string(),
  message: z.string(),
  campaign: z.string(),
  status: z.enum(leadStatuses),
  note: z.string(),
  version: wireInteger,
  created_at: wireMoment,
  updated_at: wireMoment,
}));
export type LeadEntry = Unsent<z.output<typeof leadRow>>;
export const leadResponse = strictObject(() => ({ lead: leadRow }));

export const leadList = listContract({
  name: "leads",
  rowId: "id",
  row: leadRow,
  filters: { status: choiceOf(leadStatuses), email: exactText(254) },
  sorts: ["created_at"],
  defaultSort: "-created_at",
});
