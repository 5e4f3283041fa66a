import { adminOperation } from "@sluice/contracts/admin-rights";
import { replayedNotice, replayNoticeInput } from "@sluice/contracts/payments";
import { audit, byCaller } from "../../admin/audit/service.ts";
import type { Clock } from "../../platform/clock.ts";
import type { Database } from "../../platform/db.ts";
import { type AnyEndpoint, endpoint } from "../../platform/endpoint/model.ts";
import { AppError } from "../../platform/errors.ts";
import { RateBucket } from "../../platform/rate-bucket.ts";
import type { GatewayNotices } from "./notices.ts";
import { reopenNotice } from "./record-notice.ts";

export type CheckoutAdminDeps = {
  readonly db: Database;
  readonly clock: Clock;
  readonly notices: GatewayNotices;
};

const replaysPerMinute = 30;

/** What admins do with gateway messages that were not processed. */
export function checkoutAdminEndpoints({ db, clock, notices }: CheckoutAdminDeps): AnyEndpoint[] {
  const bucket = new RateBucket(replaysPerMinute);
  const admit = (): void => {
    const tick = clock.tick();
    if (!bucket.has(1, tick)) {
      throw new AppError("too_many_attempts", { retryAfterSeconds: bucket.secondsUntil(1, tick) });
    }
    bucket.take(1, tick);
  };
  return [
    endpoint({
      method: "POST",
      ...adminOperation("/backend/admin/gateway-event/replay/"),
      input: replayNoticeInput,
      summary: "Process a gateway message again; no effect if it was already processed",
      output: replayedNotice,
      errors: [
        "not_found",
        "conflict",
        "too_many_attempts",
        "webhook_not_configured",
        "payment_gateway_failed",
        "temporarily_unavailable",
      ],
      limits: ["Each message once per 10 seconds.", "30 messages per minute."],
      handle: async ({ input: { gateway_event_id: id }, ...call }) => {
        admit();
        const { notice, result: before } = await db.withTransaction(async (tx) => {
          const reopened = await reopenNotice(tx, id);
          if (reopened.notice !== null) {
            const { gateway, account, eventId, orderNo } = reopened.notice;
            await audit(tx, byCaller(call), "gateway_event.replay", {
              subjectKind: "gateway_event",
              subjectId: id,
              before: { result: reopened.result },
              // The result is stored with the message; the admin who requested it is recorded even after a crash.
              after: { gateway, account, eventId, orderNo },
            });
          }
          return reopened;
        });
        const result = notice === null ? before : await notices.takeAgain(id, notice);
        return { gateway_event_id: id, result_before: before, result, is_new: notice !== null };
      },
    }),
  ];
}
