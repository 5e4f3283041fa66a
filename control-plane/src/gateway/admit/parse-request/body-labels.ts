import { isEndUser, isTag, tagsMax } from "@sluice/contracts/usage-labels";
import type { CallLabels } from "../../model.ts";
import type { JsonObject } from "../../operations/model.ts";

/** How many entries of `metadata` are looked at. */
const entriesMax = 64;
const noTags: readonly string[] = [];

/**
 * What the fields of a request say about its end user, and its metadata as tags. Null if they say nothing, as in most
 * calls. What can't be kept is left out: these fields are for the provider, and are not checked here.
 */
export function bodyLabels({ safety_identifier: safety, user, metadata }: JsonObject): CallLabels | null {
  if (safety === undefined && user === undefined && metadata === undefined) {
    return null;
  }
  const entries = typeof metadata === "object" && metadata !== null ? (metadata as JsonObject) : null;
  const endUser = [safety, user, entries?.["user_id"]].find(isName) ?? null;
  const tags = entries === null ? noTags : toTags(entries);
  return endUser === null && tags.length === 0 ? null : { endUser, tags };
}

function isName(value: unknown): value is string {
  return typeof value === "string" && isEndUser(value);
}

function toTags(entries: JsonObject): readonly string[] {
  const tags = Object.keys(entries)
    .slice(0, entriesMax)
    .filter((name) => name !== "user_id" && typeof entries[name] === "string")
    .map((name) => `${name}=${entries[name]}`);
  return tags.filter(isTag).slice(0, tagsMax);
}
