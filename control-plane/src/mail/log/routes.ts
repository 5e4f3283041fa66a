import { adminOperation } from "@sluice/contracts/admin-rights";
import {
  resendDeadMailsInput,
  resendDeadMailsResponse,
  resendMailInput,
  resendMailResponse,
} from "@sluice/contracts/mail";
import { audit, byCaller } from "../../admin/audit/service.ts";
import type { Clock } from "../../platform/clock.ts";
import type { Database } from "../../platform/db.ts";
import { notify } from "../../platform/db-notifications.ts";
import { type AnyEndpoint, endpoint } from "../../platform/endpoint/model.ts";
import { AppError } from "../../platform/errors.ts";
import { mailChannel } from "../service.ts";
import { reviveMail, reviveMails } from "./mail-log-store.ts";

export function mailLogEndpoints({ db, clock }: { readonly db: Database; readonly clock: Clock }): AnyEndpoint[] {
  return [
    endpoint({
      method: "POST",
      ...adminOperation("/backend/admin/mail/resend/"),
      input: resendMailInput,
      summary: "Put a failed e-mail back into the queue",
      output: resendMailResponse,
      errors: ["conflict"],
      handle: async ({ input: { id }, ...call }) => {
        await db.withTransaction(async (tx) => {
          const dead = await reviveMail(tx, id, new Date(clock.now()));
          if (dead === null) {
            throw new AppError("conflict", {
              message: "This e-mail can't be sent again: it has not failed, or it has expired.",
            });
          }
          await audit(tx, byCaller(call), "mail.resend", {
            subjectKind: "mail",
            subjectId: id,
            before: { status: "dead", attempts: dead.attempts, last_error: dead.lastError, template: dead.template },
            after: { status: "queued" },
          });
          await notify(tx, mailChannel, "");
        });
        return { id, status: "queued" };
      },
    }),
    resendDeadEndpoint({ db, clock }),
  ];
}

function resendDeadEndpoint({ db, clock }: { readonly db: Database; readonly clock: Clock }): AnyEndpoint {
  return endpoint({
    method: "POST",
    ...adminOperation("/backend/admin/mail/resend-failed/"),
    input: resendDeadMailsInput,
    summary: "Put failed e-mails back into the queue, oldest first, as many as can still be sent",
    output: resendDeadMailsResponse,
    errors: [],
    handle: async ({ input: { template, limit }, ...call }) => {
      const queued = await db.withTransaction(async (tx) => {
        const ids = await reviveMails(tx, { template: template ?? null, now: new Date(clock.now()), limit });
        if (ids.length > 0) {
          await audit(tx, byCaller(call), "mail.resend_failed", {
            subjectKind: "mail",
            subjectId: template ?? "all",
            before: { status: "dead" },
            after: { status: "queued", mails: ids.map(String) },
          });
          await notify(tx, mailChannel, "");
        }
        return ids.length;
      });
      return { queued };
    },
  });
}
