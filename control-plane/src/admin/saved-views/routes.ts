import { adminOperation } from "@sluice/contracts/admin-rights";
import {
  removeViewInput,
  savedViewResponse,
  saveViewInput,
  viewListResponse,
  viewsMax,
  viewsPerListMax,
} from "@sluice/contracts/saved-views";
import { z } from "zod";
import type { Database } from "../../platform/db.ts";
import { type AnyEndpoint, endpoint } from "../../platform/endpoint/model.ts";
import { AppError, notFound } from "../../platform/errors.ts";
import { countViews, deleteView, hasView, listViews, putView } from "./store.ts";

/** How admins want to see lists. Views are the admin's own and change nothing for others, so they are not audited. */
export function savedViewEndpoints(db: Database): AnyEndpoint[] {
  return [
    endpoint({
      method: "GET",
      path: "/backend/admin/view/list/",
      access: "admin",
      input: z.strictObject({}),
      output: viewListResponse,
      errors: [],
      summary: "List the saved views of the admin, of all lists",
      handle: async ({ admin }) => ({ views: await listViews(db, admin.adminId) }),
    }),
    endpoint({
      method: "POST",
      ...adminOperation("/backend/admin/view/save/"),
      input: saveViewInput,
      output: savedViewResponse,
      errors: ["conflict"],
      limits: [`At most ${viewsPerListMax} views of a list, and ${viewsMax} in all.`],
      summary: "Save filters, sort and columns of a list under a name, in place of the view with that name",
      handle: async ({ input, admin: { adminId } }) => ({
        view: await db.withTransaction(async (tx) => {
          const { all, ofList } = await countViews(tx, adminId, input.list);
          if ((all >= viewsMax || ofList >= viewsPerListMax) && !(await hasView(tx, adminId, input))) {
            throw new AppError("conflict", { message: "You have as many views as there can be. Remove one first." });
          }
          return await putView(tx, adminId, input);
        }),
      }),
    }),
    endpoint({
      method: "POST",
      ...adminOperation("/backend/admin/view/remove/"),
      input: removeViewInput,
      output: z.strictObject({}),
      errors: ["not_found"],
      summary: "Remove a saved view of the admin",
      handle: async ({ input, admin }) => {
        if (!(await deleteView(db, admin.adminId, input.view_id))) {
          throw notFound("view");
        }
        return {};
      },
    }),
  ];
}
