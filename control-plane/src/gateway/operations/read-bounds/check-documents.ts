import { AppError } from "../../../platform/errors.ts";
import type { JsonObject } from "../model.ts";

/** Ten times as many as providers recommend. */
const documentsMax = 10_000;
/** Providers that sell searches count a long document as several of this many tokens, each with the query. */
const chunkTokens = 500;
/** However long a query is, this much of a chunk is the document's. */
const chunkTokensMin = 250;
/** How many documents a search unit covers. */
export const documentsPerSearch = 100;

/** What is to be ranked, as far as the cost depends on it. */
export type Documents = {
  readonly documents: number;
  readonly queryBytes: number;
  /** The most search units that a provider can count; a token is at least one byte. */
  readonly searchUnitsMax: number;
};

/**
 * Checks a query and the documents to rank. Only texts are ranked: what an address refers to has no upper limit.
 * @param takesObjects whether a document may be an object with a text
 * @throws AppError `missing_field`, `invalid_type`, `invalid_value`, `unpriced_option`
 */
export function checkDocuments({ query, documents }: JsonObject, takesObjects: boolean): Documents {
  if (query === undefined || query === null || query === "") {
    throw new AppError("missing_field", { message: "The field 'query' is missing.", param: "query" });
  }
  if (typeof query !== "string") {
    throw new AppError("invalid_type", { message: "The field 'query' must be a string.", param: "query" });
  }
  if (documents === undefined || documents === null) {
    throw new AppError("missing_field", { message: "The field 'documents' is missing.", param: "documents" });
  }
  if (!Array.isArray(documents)) {
    throw new AppError("invalid_type", { message: "The field 'documents' must be an array.", param: "documents" });
  }
  if (documents.length === 0 || documents.length > documentsMax) {
    const message = `'documents' must have 1 to ${documentsMax.toLocaleString("en")} entries.`;
    throw new AppError("invalid_value", { message, param: "documents" });
  }
  const queryBytes = Buffer.byteLength(query);
  const perChunk = Math.max(chunkTokensMin, chunkTokens - queryBytes);
  let chunks = 0;
  for (const [index, document] of documents.entries()) {
    const bytes = textBytes(document, takesObjects, `documents[${index}]`);
    chunks += Math.max(1, Math.ceil(bytes / perChunk));
  }
  return { documents: documents.length, queryBytes, searchUnitsMax: Math.ceil(chunks / documentsPerSearch) };
}

/** A text in such a field can be the address of a file, whatever other texts are beside it. */
const fileField = /^(?:image|video|audio)/i;

/** Of an object all texts count: a provider may rank any of its fields. */
function textBytes(document: unknown, takesObjects: boolean, param: string): number {
  if (typeof document === "string") {
    return Buffer.byteLength(document);
  }
  if (!takesObjects || typeof document !== "object" || document === null || Array.isArray(document)) {
    const form = takesObjects ? "a string, or an object with a 'text'" : "a string";
    throw new AppError("invalid_type", { message: `'${param}' must be ${form}.`, param });
  }
  const isText = typeof (document as JsonObject)["text"] === "string";
  const isMore = ([name, value]: [string, unknown]): boolean =>
    (typeof value === "object" && value !== null) || (fileField.test(name) && (value ?? null) !== null);
  if (!isText || Object.entries(document).some(isMore)) {
    throw new AppError("unpriced_option", {
      message: `'${param}' is not a string. Only text has a price here.`,
      param,
    });
  }
  return Buffer.byteLength(JSON.stringify(document));
}
