import { adminOperation } from "@sluice/contracts/admin-rights";
import { archiveInput, archiveOutput, archivePreview, archiveQuery } from "@sluice/contracts/archive";
import type { Database } from "../../platform/db.ts";
import { type AnyEndpoint, endpoint } from "../../platform/endpoint/model.ts";
import { byCaller } from "../audit/service.ts";
import { archive, previewArchiving, restore } from "./service.ts";

/** Taking channels, models, plans, groups and exit nodes out of use for good. */
export function archiveEndpoints(db: Database): AnyEndpoint[] {
  return [
    endpoint({
      method: "GET",
      path: "/backend/admin/archive/preview/",
      access: "admin",
      input: archiveQuery,
      output: archivePreview,
      errors: ["not_found"],
      summary: "Preview archiving a channel, a model, a plan, a group or an exit node",
      handle: async ({ input }) => ({ preview: await previewArchiving(db, input) }),
    }),
    endpoint({
      method: "POST",
      ...adminOperation("/backend/admin/archive/add/"),
      input: archiveInput,
      output: archiveOutput,
      errors: ["not_found", "conflict"],
      summary:
        "Archive a channel, a model, a plan, a group or an exit node: it is hidden and out of use, and the books keep it",
      handle: async ({ input, ...call }) => await archive(db, input, byCaller(call)),
    }),
    endpoint({
      method: "POST",
      ...adminOperation("/backend/admin/archive/restore/"),
      input: archiveInput,
      output: archiveOutput,
      errors: ["not_found"],
      summary: "Restore what was archived, still switched off",
      handle: async ({ input, ...call }) => await restore(db, input, byCaller(call)),
    }),
  ];
}
