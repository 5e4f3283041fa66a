import type { ownReadingResponse } from "@sluice/contracts/own-payloads";
import type { ResponseOf } from "@sluice/contracts/wire";
import { createQuery } from "@tanstack/solid-query";
import { apiGet } from "../../../api/client.ts";

export const payloadPath = "/backend/usage/payload/";
export const readingPath = `${payloadPath}reading/`;
export const accessPath = `${payloadPath}access/list/`;

export type Reading = ResponseOf<typeof ownReadingResponse>["reading"];

/** Whether the contents of the account's calls can be read. */
export function createReadingQuery() {
  return createQuery(() => ({
    queryKey: [readingPath],
    queryFn: ({ signal }) => apiGet<typeof ownReadingResponse>(readingPath, { signal }),
  }));
}
