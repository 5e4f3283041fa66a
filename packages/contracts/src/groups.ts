import { z } from "zod";
import { waitingResponse } from "./approvals.ts";
import { recordId } from "./keys.ts";
import { modelKinds } from "./model-kinds.ts";
import { momentText } from "./moments.ts";
import { reasonText } from "./readable-text.ts";
import { strictObject } from "./strict-object.ts";
import { wireDecimal, wireLongPrompt, wireMoment, wirePrices } from "./wire.ts";

/** Who may use a group: every user, those whom an admin has put in, or those who bought a plan with it. */
export const groupVisibilities = ["public", "assigned", "plan"] as const;

export const groupName = z.string().regex(/^[a-z0-9][a-z0-9_-]{0,63}$/, "up to 64 lower-case letters, digits, - and _");

/** The most users that one request can put into a group. */
export const assignedUsersMax = 100;

const multiplier = z
  .union([z.string(), z.number().transform(String)])
  .pipe(
    z
      .string()
      .regex(/^(10000(\.0{1,6})?|\d{1,4}(\.\d{1,6})?)$/, "a number from 0 to 10000 with at most six decimal places"),
  );
const reason = reasonText(500);

const emailDomain = z
  .string()
  .trim()
  .toLowerCase()
  .max(253)
  .regex(/^[a-z0-9]([a-z0-9-]*[a-z0-9])?(\.[a-z0-9]([a-z0-9-]*[a-z0-9])?)+$/, "a domain like example.org");

/** A new group, or all of an existing one. */
export const saveGroupInput = strictObject(() => ({
  name: groupName,
  description: z.string().trim().max(500).default(""),
  multiplier,
  visibility: z.enum(groupVisibilities),
  rank: z.int().min(0).max(1_000).default(0),
  /** Whether new accounts start in it; it replaces the group in which they did. */
  is_start: z.boolean().default(false),
  /** New accounts with an address at one of these domains start in it; a domain can have one group. */
  email_domains: z.array(emailDomain).max(100).default([]),
  /** The `updated_at` that was loaded: the change is refused if someone else has made one since. Absent for a new group. */
  updated_at: z.iso.datetime().optional(),
  reason,
}));
export type SaveGroupInput = z.output<typeof saveGroupInput>;

/** What admins set of a group, as responses have it. */
export const groupFields = {
  name: z.string(),
  description: z.string(),
  multiplier: wireDecimal,
  visibility: z.enum(groupVisibilities),
  rank: z.int(),
  is_start: z.boolean(),
  email_domains: z.array(z.string()),
};
const groupEntry = strictObject(() => ({
  ...groupFields,
  archived_at: wireMoment.nullable(),
  created_at: wireMoment,
  updated_at: wireMoment,
}));
export const saveGroupOutput = z.union([strictObject(() => ({ group: groupEntry })), waitingResponse]);

export const groupInput = strictObject(() => ({ name: groupName }));

/** A group with what it sells: each model with the channels that serve it, and its prices in the group. */
export const groupDetail = strictObject(() => ({
  group: groupEntry,
  models: z.array(
    z.strictObject({
      name: z.string(),
      kind: z.enum(modelKinds),
      ...wirePrices,
      long_prompt: wireLongPrompt,
      channels: z.array(z.string()),
    }),
  ),
}));

/** Users by their address or their id. */
const users = z
  .array(z.string().trim().min(1).max(254))
  .max(assignedUsersMax, `Name at most ${assignedUsersMax} users.`)
  .default([]);
/** Organisations by their id; at least one user or organisation is named. */
const organisations = z
  .array(recordId)
  .max(assignedUsersMax, `Name at most ${assignedUsersMax} organisations.`)
  .default([]);

/** How users get a group: as the account's own instead of the one before, or besides it. */
export const assignments = ["account", "additional"] as const;

export const assignGroupInput = strictObject(() => ({
  group_name: groupName,
  users,
  organisations,
  as: z.enum(assignments),
  /** When an additional group ends; null for never. */
  ends_at: momentText.nullable().default(null),
  reason,
}));
export type AssignGroupInput = z.output<typeof assignGroupInput>;

export const removeGroupInput = strictObject(() => ({
  group_name: groupName,
  users,
  organisations,
  reason,
}));
export type RemoveGroupInput = z.output<typeof removeGroupInput>;

const changed = strictObject(() => ({ changed: z.int() }));
export const assignGroupOutput = z.union([changed, waitingResponse]);
export const removeGroupOutput = z.union([changed, waitingResponse]);

/** Where a user has a group from. */
export const groupSources = ["account", "admin", "plan", "public"] as const;

/** A group that a user may use. */
export const groupOfUser = strictObject(() => ({
  name: z.string(),
  source: z.enum(groupSources),
  multiplier: wireDecimal,
  rank: z.int(),
  ends_at: wireMoment.nullable(),
  /** Whether keys without a group of their own use it now. */
  is_chosen: z.boolean(),
}));
