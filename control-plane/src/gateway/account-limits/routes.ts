import {
  explainedLimits,
  explainLimitsInput,
  limitNames,
  type SaveLimitsInput,
  saveLimitsInput,
  saveLimitsOutput,
  spendLimitNames,
} from "@sluice/contracts/account-limits";
import { adminOperation } from "@sluice/contracts/admin-rights";
import type { GatewayUserId } from "@sluice/contracts/ids";
import { audit, byCaller } from "../../admin/audit/service.ts";
import type { Database, Queryable, Transaction } from "../../platform/db.ts";
import { type AnyEndpoint, endpoint } from "../../platform/endpoint/model.ts";
import { notFound } from "../../platform/errors.ts";
import { requireGroup, requireUsableGroup } from "../groups/require-group.ts";
import { appliedLimits, type Limits } from "./model.ts";
import {
  type AccountOwner,
  deleteLimits,
  findAccount,
  findChosenGroup,
  findLimitedKey,
  findLimits,
  findPlanLimits,
  findUse,
  hasPlan,
  type Place,
  type PlanLimits,
  putLimits,
  recallLeases,
} from "./store.ts";

/** What operators allow each account, and what of it a call meets. */
export function accountLimitEndpoints(db: Database): AnyEndpoint[] {
  return [
    endpoint({
      method: "GET",
      path: "/backend/admin/limit/explain/",
      access: "admin",
      input: explainLimitsInput,
      output: explainedLimits,
      errors: ["not_found"],
      summary:
        "Explain which limits the calls of a key, a user, an organisation, a group or a plan meet, and where each is set",
      handle: async ({ input }) => await explain(db, input),
    }),
    endpoint({
      method: "POST",
      ...adminOperation("/backend/admin/limit/save/"),
      input: saveLimitsInput,
      output: saveLimitsOutput,
      errors: ["not_found", "conflict"],
      summary:
        "Set the limits of every account, of each account in a group or with a plan, or of the account of a user or an organisation",
      handle: async (call) => ({
        limits: await db.withTransaction(async (tx) => {
          const { place, subject } = await placeOf(tx, call.input);
          const before = await findLimits(tx, place);
          const limits = limitsOf(call.input);
          await (limitNames.every((name) => limits[name] === null)
            ? deleteLimits(tx, place)
            : putLimits(tx, place, limits));
          if (spendLimitNames.some((name) => limits[name] !== (before?.[name] ?? null))) {
            await recallLeases(tx, place);
          }
          const { reason } = call.input;
          await audit(tx, byCaller(call), "limit.save", { ...subject, before, after: limits, reason });
          return limits;
        }),
      }),
    }),
  ];
}

function limitsOf(input: SaveLimitsInput): Limits {
  const { requests_per_minute, tokens_per_minute, concurrency_max, spend_per_day, spend_per_month } = input;
  return { requests_per_minute, tokens_per_minute, concurrency_max, spend_per_day, spend_per_month };
}

type Subject = { readonly subjectKind: string; readonly subjectId: string };

/** @throws AppError `not_found` */
async function placeOf(
  tx: Transaction,
  input: SaveLimitsInput,
): Promise<{ readonly place: Place; readonly subject: Subject }> {
  switch (input.scope) {
    case "default":
      return { place: { scope: "default" }, subject: { subjectKind: "limit", subjectId: "default" } };
    case "group": {
      const { group_name: groupName } = input;
      await requireUsableGroup(tx, groupName);
      return { place: { scope: "group", groupName }, subject: { subjectKind: "group", subjectId: groupName } };
    }
    case "plan": {
      const { plan_code: planCode } = input;
      await requirePlan(tx, planCode);
      return { place: { scope: "plan", planCode }, subject: { subjectKind: "plan", subjectId: planCode } };
    }
    case "user": {
      const gatewayUserId = await requireAccount(tx, { user_id: input.user_id });
      const subject = { subjectKind: "user", subjectId: input.user_id.toString() };
      return { place: { scope: "user", gatewayUserId }, subject };
    }
    case "organisation": {
      const gatewayUserId = await requireAccount(tx, { organisation_id: input.organisation_id });
      const subject = { subjectKind: "organisation", subjectId: input.organisation_id.toString() };
      return { place: { scope: "user", gatewayUserId }, subject };
    }
  }
}

/** @throws AppError `not_found` */
async function requireAccount(db: Queryable, owner: AccountOwner): Promise<GatewayUserId> {
  const gatewayUserId = await findAccount(db, owner);
  if (gatewayUserId === null) {
    throw notFound("user_id" in owner ? "user" : "organisation");
  }
  return gatewayUserId;
}

/** @throws AppError `not_found` */
async function requirePlan(db: Queryable, planCode: string): Promise<void> {
  if (!(await hasPlan(db, planCode))) {
    throw notFound("plan");
  }
}

type Asked = {
  readonly user_id?: bigint | undefined;
  readonly organisation_id?: bigint | undefined;
  readonly key_id?: bigint | undefined;
  readonly group_name?: string | undefined;
  readonly plan_code?: string | undefined;
};

async function explain(db: Database, asked: Asked) {
  const key = asked.key_id === undefined ? null : await findLimitedKey(db, asked.key_id);
  if (asked.key_id !== undefined && key === null) {
    throw notFound("API key");
  }
  const gatewayUserId = key?.gatewayUserId ?? (await findAsked(db, asked));
  const named = asked.group_name ?? key?.groupName ?? null;
  const group = named ?? (gatewayUserId === null ? null : await findChosenGroup(db, gatewayUserId));
  if (group !== null) {
    await requireGroup(db, group);
  }
  // What an account spends is counted over all its keys, so the groups that keys name don't matter.
  const spendGroup = gatewayUserId === null ? group : await findChosenGroup(db, gatewayUserId);
  const byPlan = await findAskedPlan(db, asked.plan_code, gatewayUserId);
  const bySource = {
    default: await findLimits(db, { scope: "default" }),
    group: withSpendOf(await findGroupLimits(db, group), await findGroupLimits(db, spendGroup)),
    plan: byPlan.limits,
    user: gatewayUserId === null ? null : await findLimits(db, { scope: "user", gatewayUserId }),
    key: key?.limits ?? null,
  };
  return {
    user_id: key?.userId ?? asked.user_id ?? null,
    organisation_id: key?.organisationId ?? asked.organisation_id ?? null,
    key_id: asked.key_id ?? null,
    group,
    spend_group: spendGroup,
    plans: byPlan.plans,
    by_source: bySource,
    applied: appliedLimits(bySource),
    used: gatewayUserId === null ? null : await findUse(db, gatewayUserId),
  };
}

async function findAsked(db: Queryable, asked: Asked): Promise<GatewayUserId | null> {
  if (asked.user_id !== undefined) {
    return await requireAccount(db, { user_id: asked.user_id });
  }
  return asked.organisation_id === undefined
    ? null
    : await requireAccount(db, { organisation_id: asked.organisation_id });
}

/** Of the plan that was asked for, as if its month ran; otherwise of those whose month runs. */
async function findAskedPlan(
  db: Queryable,
  planCode: string | undefined,
  gatewayUserId: GatewayUserId | null,
): Promise<PlanLimits> {
  if (planCode !== undefined) {
    await requirePlan(db, planCode);
    return { plans: [planCode], limits: await findLimits(db, { scope: "plan", planCode }) };
  }
  return gatewayUserId === null ? { plans: [], limits: null } : await findPlanLimits(db, gatewayUserId);
}

const findGroupLimits = async (db: Queryable, groupName: string | null): Promise<Limits | null> =>
  groupName === null ? null : await findLimits(db, { scope: "group", groupName });

function withSpendOf(rates: Limits | null, spend: Limits | null): Limits | null {
  if (rates === null && spend === null) {
    return null;
  }
  const { requests_per_minute = null, tokens_per_minute = null, concurrency_max = null } = rates ?? {};
  const { spend_per_day = null, spend_per_month = null } = spend ?? {};
  return { requests_per_minute, tokens_per_minute, concurrency_max, spend_per_day, spend_per_month };
}
