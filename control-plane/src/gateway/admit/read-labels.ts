import { isTag, tagsHeader, tagsHeaderLengthMax, tagsMax } from "@sluice/contracts/usage-labels";
import { AppError } from "../../platform/errors.ts";
import type { CallHeaders, CallLabels, ParsedRequest, Principal } from "../model.ts";

/**
 * What is kept of a call so that its usage can be told apart; null if its key keeps nothing or it says nothing. A tag of the
 * header replaces the one of the same name in the body.
 * @throws AppError `invalid_parameter` for a header that is not a list of tags
 */
export function readLabels(
  headers: CallHeaders,
  { labels = null }: Pick<ParsedRequest, "labels">,
  { areLabelsKept }: Pick<Principal, "areLabelsKept">,
): CallLabels | null {
  if (!areLabelsKept) {
    return null;
  }
  const header = headers.get(tagsHeader);
  if (header === null) {
    return labels;
  }
  const tags = readTags(header);
  const named = new Set(tags.map(nameOf));
  const others = (labels?.tags ?? []).filter((tag) => !named.has(nameOf(tag)));
  return { endUser: labels?.endUser ?? null, tags: [...tags, ...others].slice(0, tagsMax) };
}

function readTags(header: string): string[] {
  const parts = header.length > tagsHeaderLengthMax ? [] : header.split(",", tagsMax + 1);
  const tags = parts.map((part) => part.trim());
  const isUsable = tags.length > 0 && tags.length <= tagsMax && tags.every(isTag);
  if (!isUsable || new Set(tags.map(nameOf)).size < tags.length) {
    throw new AppError("invalid_parameter", {
      message: `The header '${tagsHeader}' must be 1 to ${tagsMax} tags like 'team=search, feature=chat', each name once.`,
      param: tagsHeader,
    });
  }
  return tags;
}

const nameOf = (tag: string): string => tag.slice(0, tag.indexOf("="));
