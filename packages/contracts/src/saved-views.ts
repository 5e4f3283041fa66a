import { z } from "zod";
import { recordId } from "./keys.ts";
import { strictObject } from "./strict-object.ts";
import { wireInteger } from "./wire.ts";

/** The most views of an admin for one list, and for all. */
export const viewsPerListMax = 20;
export const viewsMax = 200;

const listName = z.string().regex(/^[A-Za-z][A-Za-z0-9-]{0,63}$/, "The name of a list.");
const viewName = z.string().trim().min(1, "Enter a name.").max(60, "Use at most 60 characters.");
const parameterName = z.string().regex(/^[a-z][a-z0-9_]{0,63}$/, "The name of a filter.");
const columnId = z.string().regex(/^[A-Za-z0-9][A-Za-z0-9_.-]{0,63}$/, "The id of a column.");

const view = {
  list: listName,
  name: viewName,
  /** Filters, sort and page size, as the address of the page has them. */
  query: z
    .record(parameterName, z.string().min(1).max(300))
    .refine((query) => Object.keys(query).length <= 30, "Use at most 30 filters."),
  /** The columns that are not shown. */
  hidden_columns: z.array(columnId).max(100),
  /** Whether the list opens with it. */
  is_default: z.boolean(),
};

/** A new view of a list, or the replacement of the one with this name. */
export const saveViewInput = z.strictObject(view);
export type SaveViewInput = z.output<typeof saveViewInput>;
export const removeViewInput = strictObject(() => ({ view_id: recordId }));

const savedView = strictObject(() => ({ ...view, view_id: wireInteger }));
/** All views of the admin, by list and name. */
export const viewListResponse = strictObject(() => ({ views: z.array(savedView) }));
export const savedViewResponse = strictObject(() => ({ view: savedView }));
