import { adminOperation } from "@sluice/contracts/admin-rights";
import {
  type CreateLeadInput,
  createLeadInput,
  createLeadResponse,
  leadResponse,
  saveLeadInput,
} from "@sluice/contracts/leads";
import { AddressLimiter, type AddressLimits } from "../../platform/address-limiter.ts";
import type { Clock } from "../../platform/clock.ts";
import type { Database } from "../../platform/db.ts";
import { type AnyEndpoint, endpoint } from "../../platform/endpoint/model.ts";
import { AppError } from "../../platform/errors.ts";
import type { ListPlace } from "../../platform/list-query/endpoints.ts";
import { audit, byCaller } from "../audit/service.ts";
import { type LeadProblemPage, leadForm } from "./lead-form.ts";
import { leads } from "./lead-list-store.ts";
import { receiveLead, saveLead } from "./service.ts";

export type LeadDeps = {
  readonly db: Database;
  /** The page for a request that could not be accepted. */
  readonly problemPage: LeadProblemPage;
  readonly clock: Pick<Clock, "tick">;
  /** Counts one more request from this address. @throws AppError `too_many_attempts` */
  readonly countSender: (ip: string) => Promise<void>;
  /** Limits per minute; tests override them. */
  readonly limits?: AddressLimits;
};

const limitsDefault = { perAddress: 5, inAll: 60 };

/** The place of the leads in the admin area. */
export const leadPlace: ListPlace = {
  path: "/backend/admin/lead/",
  access: "admin",
  about: "enterprise leads",
  source: leads,
};

export function leadEndpoints({
  db,
  clock,
  countSender,
  problemPage,
  limits = limitsDefault,
}: LeadDeps): AnyEndpoint[] {
  const limiter = new AddressLimiter(limits);
  const receive = async (lead: CreateLeadInput, clientIp: string): Promise<void> => {
    const waitSeconds = limiter.tryTake(clientIp, clock.tick());
    if (waitSeconds !== null) {
      throw new AppError("too_many_attempts", { retryAfterSeconds: waitSeconds });
    }
    await receiveLead(db, lead, () => countSender(clientIp));
  };
  return [
    leadForm(receive, problemPage),
    endpoint({
      method: "POST",
      path: "/backend/lead/create/",
      access: "public",
      input: createLeadInput,
      output: createLeadResponse,
      errors: ["too_many_attempts"],
      limits: [
        `${limits.perAddress} a minute from one address, ${limits.inAll} in all for each process.`,
        "Three a day per e-mail address, ten per IP address and 40 per network; 200 an hour in total.",
      ],
      summary: "Request an offer for a company",
      handle: async ({ input, clientIp }) => {
        await receive(input, clientIp);
        return { received: true };
      },
    }),
    endpoint({
      method: "POST",
      ...adminOperation("/backend/admin/lead/save/"),
      input: saveLeadInput,
      output: leadResponse,
      errors: ["not_found", "conflict"],
      summary: "Change a lead's status and admin notes",
      handle: async ({ input, ...call }) => {
        const lead = await db.withTransaction(async (tx) => {
          const { before, after } = await saveLead(tx, input);
          await audit(tx, byCaller(call), "lead.save", {
            subjectKind: "lead",
            subjectId: input.id,
            before: { status: before.status, note: before.note },
            after: { status: after.status, note: after.note },
          });
          return after;
        });
        return { lead };
      },
    }),
  ];
}
