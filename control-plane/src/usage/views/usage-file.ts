import { countColumns } from "@sluice/contracts/priced-units";
import type { UsageView } from "@sluice/contracts/usage";
import { csvWriter } from "../../platform/csv.ts";
import { csvFile } from "./csv-file.ts";
import type { CallOfMember } from "./model.ts";

const columns = [
  "request_id",
  "started_at",
  "path",
  "model",
  "key_id",
  "key_name",
  "outcome",
  "http_status",
  "error_code",
  "is_stream",
  ...countColumns,
  "usage_source",
  "quota",
  "rate_multiplier",
  "settled_quota",
  "first_byte_ms",
  "duration_ms",
  "cache_basis_points",
  "asked_model",
  "group",
  "end_user",
  "tags",
] as const satisfies readonly (keyof UsageView)[];

/** In the file of an organisation: who has made the key of a call, and what it is for. */
const organisationColumns = [
  "member_id",
  "member_email",
  "project_id",
  "project_name",
] as const satisfies readonly (keyof CallOfMember)[];

const isNumber = (name: string): boolean => name === "rate_multiplier";
const csvOfPerson = csvWriter(columns, isNumber);
const csvOfOrganisation = csvWriter([...columns, ...organisationColumns], isNumber);

type Cursor = { readonly day: string; readonly requestId: string };
type ReadPage = (cursor: Cursor | null) => Promise<readonly UsageView[]>;

export type UsageFile = { readonly name: string; readonly isOfOrganisation: boolean };

/** A file of calls, in pages. */
export function usageFile(readPage: ReadPage, { name, isOfOrganisation }: UsageFile): Response {
  return csvFile(isOfOrganisation ? csvOfOrganisation : csvOfPerson, name, async (cursor: Cursor | null) => {
    const rows = await readPage(cursor);
    const last = rows.at(-1);
    return { rows, next: last === undefined ? null : { day: last.day, requestId: last.request_id } };
  });
}
