import { exportDataInput } from "@sluice/contracts/accounts";
import { audit, byUser } from "../../admin/audit/service.ts";
import { type AnyEndpoint, endpoint } from "../../platform/endpoint/model.ts";
import { AppError } from "../../platform/errors.ts";
import { countDataExport } from "../attempts/attempts.ts";
import { limitSentences } from "../attempts/limit-sentences.ts";
import { type AccountRouteDeps, originOf } from "../route-deps.ts";
import { proofErrors, proofLimits } from "../sign-in/account-routes.ts";
import { exportParts, exportRowsMax } from "./export-data.ts";

/** How people get what the service knows about them. */
export function dataExportEndpoints({ db, links }: Pick<AccountRouteDeps, "db" | "links">): AnyEndpoint[] {
  return [
    endpoint({
      method: "POST",
      path: "/backend/auth/data-export/",
      access: "user",
      withoutConsent: true,
      input: exportDataInput,
      summary:
        "Get the user's own data as a JSON file: profile, keys without secrets, orders, payments, invoices, entries, usage by day, sessions, tokens",
      output: null,
      otherResponses: [{ status: 200, type: "application/json", summary: "The file." }],
      limits: [
        `At most ${exportRowsMax.toLocaleString("en")} rows of each kind.`,
        ...limitSentences.dataExport,
        ...proofLimits,
      ],
      errors: [...proofErrors],
      handle: async (call) => {
        const { user, input } = call;
        const origin = originOf(call);
        if (user.sessionId === null) {
          throw new AppError("step_up_required");
        }
        await links.prove(user, input, origin);
        await countDataExport(db, user.userId);
        await db.withTransaction((tx) =>
          audit(tx, byUser(user, origin), "user.data_export", { subjectKind: "user", subjectId: user.userId }),
        );
        const now = new Date();
        return new Response(streamOf(exportParts(db, user, now)), {
          headers: {
            "content-type": "application/json; charset=utf-8",
            "content-disposition": `attachment; filename="my-data-${now.toISOString().slice(0, 10)}.json"`,
            "cache-control": "no-store",
            "x-content-type-options": "nosniff",
          },
        });
      },
    }),
  ];
}

/** Read as fast as the client accepts it. A part that can't be read breaks the file off, which is then no JSON. */
function streamOf(parts: AsyncGenerator<string>): ReadableStream<Uint8Array> {
  const encoder = new TextEncoder();
  return new ReadableStream<Uint8Array>({
    pull: async (controller) => {
      const { done, value } = await parts.next();
      if (done === true) {
        controller.close();
      } else {
        controller.enqueue(encoder.encode(value));
      }
    },
    cancel: async () => {
      await parts.return(undefined);
    },
  });
}
