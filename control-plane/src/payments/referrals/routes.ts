import { noInput } from "@sluice/contracts/billing";
import { referralLinkResponse, referralPageInput, referralPageResponse } from "@sluice/contracts/referrals";
import { type AnyEndpoint, endpoint } from "../../platform/endpoint/model.ts";
import { AppError } from "../../platform/errors.ts";
import { readKeysetPage } from "../../platform/keyset-page.ts";
import { findCode, selectReferrals } from "./referral-store.ts";
import { codeOf, referralEntry } from "./referrals.ts";
import { quotaOfCents, type ReferralDeps } from "./reward-referrals.ts";

export type ReferralEndpointDeps = ReferralDeps & {
  /** The base URL of the links. */
  readonly baseUrl: string;
};

export function referralEndpoints({ db, rules, baseUrl }: ReferralEndpointDeps): AnyEndpoint[] {
  const linkOf = (code: string): string => `${baseUrl}/register/?ref=${code}`;
  return [
    endpoint({
      method: "GET",
      path: "/backend/billing/referral/list/",
      access: "user",
      input: referralPageInput,
      summary: "List the people who registered by the user's link, newest first, and what is given for them",
      output: referralPageResponse,
      errors: [],
      handle: async ({ input, user }) => {
        const { isOn, inviterCents, invitedCents, waitDays, monthMax } = rules();
        const read = (limit: number) => selectReferrals(db, user.userId, { below: input.cursor ?? null, limit });
        const { rows, nextCursor } = await readKeysetPage(input.limit, read, ({ id }) => id);
        const code = await findCode(db, user.userId);
        return {
          is_on: isOn,
          link: code === null ? null : linkOf(code),
          inviter_quota: quotaOfCents(inviterCents),
          invited_quota: quotaOfCents(invitedCents),
          wait_days: waitDays,
          month_max: monthMax,
          referrals: rows.map(referralEntry),
          next_cursor: nextCursor,
        };
      },
    }),
    endpoint({
      method: "POST",
      path: "/backend/billing/referral/link/",
      access: "user",
      input: noInput,
      summary: "Get the user's link for inviting others; it stays the same",
      output: referralLinkResponse,
      errors: ["not_offered"],
      handle: async ({ user }) => {
        if (!rules().isOn) {
          throw new AppError("not_offered");
        }
        return { link: linkOf(await codeOf(db, user.userId)) };
      },
    }),
  ];
}
