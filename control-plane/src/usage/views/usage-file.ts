import { countColumns } from "@sluice/contracts/priced-units";
import type { UsageView } from "@sluice/contracts/usage";
import { csvHeaders, csvWriter } from "../../platform/csv.ts";
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

/**
 * A file of calls, read page by page as fast as the client accepts them. The last page is the empty one. A page that
 * can't be read breaks the file off, so that nobody takes it for complete.
 */
export function usageFile(readPage: ReadPage, { name, isOfOrganisation }: UsageFile): Response {
  const csv = isOfOrganisation ? csvOfOrganisation : csvOfPerson;
  const encoder = new TextEncoder();
  let cursor: Parameters<ReadPage>[0] = null;
  const stream = new ReadableStream<Uint8Array>({
    start: (controller) => controller.enqueue(encoder.encode(csv.head)),
    pull: async (controller) => {
      const rows = await readPage(cursor);
      const last = rows.at(-1);
      if (last === undefined) {
        controller.close();
        return;
      }
      cursor = { day: last.day, requestId: last.request_id };
      controller.enqueue(encoder.encode(rows.map(csv.line).join("")));
    },
  });
  return new Response(stream, { headers: csvHeaders(name) });
}
