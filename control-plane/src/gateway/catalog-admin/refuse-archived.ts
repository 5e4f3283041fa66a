import { AppError } from "../../platform/errors.ts";

/** @throws AppError `conflict` for what is archived: it has to be restored before it can be changed */
export function refuseArchived(what: "channel" | "model", { archivedAt }: { readonly archivedAt: Date | null }): void {
  if (archivedAt !== null) {
    throw new AppError("conflict", { message: `This ${what} is archived. Restore it first.` });
  }
}
