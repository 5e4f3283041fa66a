import { invalidRequest, MessagesError } from "../errors/messages-error.ts";

/** A model under a name that clients may request. */
export type ListedModel = {
  readonly name: string;
  readonly displayName: string;
  /** Null when unknown. */
  readonly createdAt: Date | null;
  readonly inputTokensMax?: number | null;
  readonly outputTokensMax?: number | null;
};

export type MessagesModel = {
  type: "model";
  id: string;
  display_name: string;
  created_at: string;
  max_input_tokens: number | null;
  max_tokens: number | null;
  capabilities: null;
};

export type MessagesModelPage = {
  data: MessagesModel[];
  has_more: boolean;
  first_id: string | null;
  last_id: string | null;
};

/** The query of a list, as in the URL; null for absent parameters. */
export type ModelPageQuery = {
  readonly limit: string | null;
  readonly afterId: string | null;
  readonly beforeId: string | null;
};

const pageSizeDefault = 20;
const pageSizeMax = 1_000;

/** One model in the form of the Messages API. */
export function toMessagesModel(model: ListedModel): MessagesModel {
  return {
    type: "model",
    id: model.name,
    display_name: model.displayName,
    created_at: (model.createdAt ?? new Date(0)).toISOString().replace(".000Z", "Z"),
    max_input_tokens: model.inputTokensMax ?? null,
    max_tokens: model.outputTokensMax ?? null,
    capabilities: null,
  };
}

/**
 * One page of the models, newest first and then by name. Cursors are names of models outside of the page.
 * @throws MessagesError for a bad limit, an invalid cursor, or two cursors
 */
export function toMessagesModelPage(models: readonly ListedModel[], query: ModelPageQuery): MessagesModelPage {
  const size = readPageSize(query.limit);
  if (query.afterId !== null && query.beforeId !== null) {
    throw new MessagesError(400, "invalid_request_error", "after_id and before_id can't be used together");
  }
  const sorted = models.toSorted(byAgeAndName);
  const { from, to } = pageBounds(sorted, query, size);
  const data = sorted.slice(from, to).map(toMessagesModel);
  return {
    data,
    has_more: query.beforeId === null ? to < sorted.length : from > 0,
    first_id: data[0]?.id ?? null,
    last_id: data.at(-1)?.id ?? null,
  };
}

/** The model with this name. @throws MessagesError when there is none */
export function findMessagesModel(models: readonly ListedModel[], name: string): MessagesModel {
  const model = models.find((candidate) => candidate.name === name);
  if (model === undefined) {
    throw new MessagesError(404, "not_found_error", `model: ${name}`);
  }
  return toMessagesModel(model);
}

function pageBounds(sorted: readonly ListedModel[], query: ModelPageQuery, size: number) {
  if (query.beforeId !== null) {
    const to = cursorIndex(sorted, "before_id", query.beforeId);
    return { from: Math.max(0, to - size), to };
  }
  const from = query.afterId === null ? 0 : cursorIndex(sorted, "after_id", query.afterId) + 1;
  return { from, to: Math.min(sorted.length, from + size) };
}

function cursorIndex(sorted: readonly ListedModel[], field: string, name: string): number {
  const index = sorted.findIndex((model) => model.name === name);
  if (index === -1) {
    throw invalidRequest(field, "this model is not in the list");
  }
  return index;
}

function readPageSize(limit: string | null): number {
  if (limit === null || limit === "") {
    return pageSizeDefault;
  }
  const size = /^\d{1,6}$/.test(limit) ? Number(limit) : Number.NaN;
  if (!(size >= 1 && size <= pageSizeMax)) {
    throw invalidRequest("limit", `Input should be an integer from 1 to ${pageSizeMax}`);
  }
  return size;
}

function byAgeAndName(one: ListedModel, other: ListedModel): number {
  const age = (other.createdAt?.getTime() ?? 0) - (one.createdAt?.getTime() ?? 0);
  if (age !== 0) {
    return age;
  }
  if (one.name === other.name) {
    return 0;
  }
  return one.name < other.name ? -1 : 1;
}
