import { z } from "zod";
import { reasonText } from "./readable-text.ts";
import { strictObject } from "./strict-object.ts";
import { wireInteger } from "./wire.ts";

/** What admins can archive: the books name it, so that it can't be deleted. */
export const archivedKinds = ["channel", "model", "plan", "group", "node"] as const;
export type ArchivedKind = (typeof archivedKinds)[number];

/** What refers to it, and what archiving means for that: it is removed, continues as it is, or has to be changed first. */
export const archiveEffects = {
  abilities: "removed",
  credentials: "removed",
  fallback_rules: "removed",
  allowed_keys: "goes_on",
  sold_months: "goes_on",
  open_orders: "goes_on",
  open_codes: "goes_on",
  relay_key: "removed",
  accounts: "removed",
  exit_node: "blocks",
  routes: "blocks",
  start_group: "blocks",
  exit_node_group: "blocks",
  own_groups: "blocks",
  members: "blocks",
  group_keys: "blocks",
  group_plans: "blocks",
  group_months: "blocks",
  group_renewals: "blocks",
  group_codes: "blocks",
  group_invitations: "blocks",
  replacements: "blocks",
  fallback_targets: "blocks",
  mapped_names: "blocks",
  renewals: "blocks",
} as const;
export type ArchiveSubject = keyof typeof archiveEffects;
const subjects = Object.keys(archiveEffects) as [ArchiveSubject, ...ArchiveSubject[]];

/** The id of a channel, the name of a model or a group, or the code of a plan or an exit node. */
export const archiveTarget = { kind: z.enum(archivedKinds), id: z.string().min(1).max(200) };
export const archiveQuery = z.strictObject(archiveTarget);
export const archiveInput = strictObject(() => ({ ...archiveTarget, reason: reasonText(500) }));
export type ArchiveInput = z.output<typeof archiveInput>;

/** What would happen; only what there is any of. */
export const archivePreview = strictObject(() => ({
  preview: z.strictObject({
    name: z.string(),
    is_archived: z.boolean(),
    effects: z.array(
      z.strictObject({
        subject: z.enum(subjects),
        effect: z.enum(["removed", "goes_on", "blocks"]),
        count: wireInteger,
      }),
    ),
    is_possible: z.boolean(),
  }),
}));
export const archiveOutput = strictObject(() => ({ name: z.string(), is_archived: z.boolean() }));
