import { z } from "zod";
import { strictObject } from "./strict-object.ts";

/** The campaign of events without a campaign. */
export const defaultCampaign = "default";

const cut = (lengthMax: number) => (text: string) => text.toWellFormed().slice(0, lengthMax).toWellFormed();

/** Text from another page or browser: without control characters, truncated when long. */
const foreignText = (lengthMax: number) =>
  z
    .string()
    .transform((text) => cut(lengthMax)(text.replace(/\p{Cc}/gu, " ").trim()))
    .transform((text) => (text === "" ? undefined : text))
    .optional()
    .catch(undefined);

/** A URL without the part after `?` and `#`, which may contain tokens. */
const address = foreignText(2_000).transform((text) => {
  const bare = text?.split(/[?#]/)[0] ?? "";
  return bare === "" ? undefined : bare.slice(0, 500).toWellFormed();
});

/** A visitor id that the page generates randomly and keeps as long as it likes. */
export const visitorId = z.string().regex(/^[A-Za-z0-9_-]{8,64}$/, "8 to 64 letters, digits, - and _");

/** What a public page reports. Only the kind must be valid; other invalid fields are dropped. */
export const landingInput = z.object({
  kind: z.enum(["page_view", "cta_click"]),
  campaign: foreignText(100),
  utm_campaign: foreignText(100),
  utm_source: foreignText(100),
  utm_medium: foreignText(100),
  visitor_id: visitorId.optional().catch(undefined),
  path: address,
  referrer: address,
  language: foreignText(35),
  /** A size such as `1280x720`. */
  viewport: z
    .string()
    .regex(/^\d{1,5}x\d{1,5}$/)
    .optional()
    .catch(undefined),
  /** The call to action that was clicked. */
  target: foreignText(100),
});
export type LandingInput = z.output<typeof landingInput>;

/** `is_counted` is false for reports from bots. */
export const landingResponse = strictObject(() => ({ is_counted: z.boolean() }));
