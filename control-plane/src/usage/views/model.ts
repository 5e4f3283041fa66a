import type { GatewayUserId } from "@sluice/contracts/ids";
import { byTokenCount } from "@sluice/contracts/priced-units";
import { type UsageSummary, type UsageSummaryInput, type UsageSums, usageDaysMax } from "@sluice/contracts/usage";
import { addDays, countDays, todayIn } from "../../platform/days.ts";

/** The selected calls of one user: those that began on these days of the zone. */
export type UsageFilter = {
  readonly gatewayUserId: GatewayUserId;
  readonly fromDay: string;
  readonly toDay: string;
  readonly zone: string;
  readonly keyId: bigint | null;
  readonly model: string | null;
  readonly askedModel: string | null;
  readonly outcome: string | null;
  readonly memberId: bigint | null;
  readonly projectId: bigint | null;
  readonly endUser: string | null;
  readonly tag: string | null;
};

/** Whose key made a call of an organisation, and for which project; null for keys without one. */
export type CallOfMember = {
  readonly member_id: bigint | null;
  readonly member_email: string | null;
  readonly project_id: bigint | null;
  readonly project_name: string | null;
};

/** Whose calls may be seen: those of an account; within an organisation, those of one member if that is all the caller may see. */
export type UsagePlace = { readonly gatewayUserId: GatewayUserId; readonly onlyMemberId: bigint | null };

const daysShown = 30;

/**
 * The filter of a request. Without days it covers the last 30 in its zone.
 * @returns the name of the invalid field instead, when the days are invalid
 */
export function toFilter(
  { gatewayUserId, onlyMemberId }: UsagePlace,
  input: UsageSummaryInput,
  nowMs: number,
): UsageFilter | { readonly wrongField: "from_day"; readonly sentence: string } {
  const { zone } = input;
  const today = todayIn(zone, nowMs).toString();
  const toDay = input.to_day ?? (input.from_day === undefined ? today : laterOf(today, input.from_day));
  const fromDay = input.from_day ?? addDays(toDay, 1 - daysShown);
  const days = countDays(fromDay, toDay);
  if (days < 1 || days > usageDaysMax) {
    return { wrongField: "from_day", sentence: `Choose 1 to ${usageDaysMax} days.` };
  }
  const { key_id: keyId = null, model = null, asked_model: askedModel = null, outcome = null } = input;
  const { member_id: asked = null, project_id: projectId = null, end_user: endUser = null, tag = null } = input;
  const memberId = onlyMemberId ?? asked;
  const labels = { endUser, tag };
  return { gatewayUserId, fromDay, toDay, zone, keyId, model, askedModel, outcome, memberId, projectId, ...labels };
}

const laterOf = (first: string, second: string): string => (first > second ? first : second);

/** A sum over the calls of a day and a model, over those of a key, or over those of a day and a key: all as of the same moment. */
export type UsagePart = UsageSums &
  (
    | { readonly kind: "model"; readonly day: string; readonly model: string | null }
    | ({ readonly kind: "key"; readonly key_id: bigint; readonly key_name: string } & UsedBy)
    | ({ readonly kind: "key_day"; readonly day: string; readonly key_id: bigint; readonly key_name: string } & UsedBy)
  );

/** Of a key of an organisation: who made it and its project; all null for other keys. */
type UsedBy = {
  readonly member_id: bigint | null;
  readonly member_email: string | null;
  readonly project_id: bigint | null;
  readonly project_name: string | null;
};

const nothing: UsageSums = {
  calls: 0n,
  completed_calls: 0n,
  failed_calls: 0n,
  ...byTokenCount(0n),
  quota: 0n,
  settled_quota: 0n,
};

function sum(parts: readonly UsageSums[]): UsageSums {
  const total: Record<keyof UsageSums, bigint> = { ...nothing };
  for (const part of parts) {
    for (const name of Object.keys(nothing) as (keyof UsageSums)[]) {
      total[name] += part[name];
    }
  }
  return total;
}

/** All sums but those by key are computed from the same parts, so that bars add up to the total. */
export function toSummary({ zone, fromDay, toDay }: UsageFilter, parts: readonly UsagePart[]): UsageSummary {
  const ofModels = parts.flatMap((part) =>
    part.kind === "model" ? [{ day: part.day, model: part.model, ...sum([part]) }] : [],
  );
  const ofKeys = parts.flatMap((part) => (part.kind === "key" ? [part] : []));
  const byKey = ofKeys.map((part) => ({ key_id: part.key_id, key_name: part.key_name, ...sum([part]) }));
  const ofOrganisation = ofKeys.filter(({ member_id }) => member_id !== null);
  const byMember = [...Map.groupBy(ofOrganisation, ({ member_id }) => member_id)].map(([id, those]) => ({
    member_id: id ?? 0n,
    member_email: those[0]?.member_email ?? null,
    ...sum(those),
  }));
  const byProject = [...Map.groupBy(ofOrganisation, ({ project_id }) => project_id)].map(([id, those]) => ({
    project_id: id,
    project_name: those[0]?.project_name ?? null,
    ...sum(those),
  }));
  const ofDay = Map.groupBy(ofModels, ({ day }) => day);
  const ofModel = Map.groupBy(ofModels, ({ model }) => model);
  const days = Array.from({ length: Math.max(0, countDays(fromDay, toDay)) }, (_, index) => addDays(fromDay, index));
  const byModel = [...ofModel].map(([model, those]) => ({ model, ...sum(those) }));
  return {
    zone,
    from_day: fromDay,
    to_day: toDay,
    total: sum(ofModels),
    by_day: days.map((day) => ({ day, ...sum(ofDay.get(day) ?? []) })),
    by_model: byModel.sort(mostExpensiveFirst),
    by_key: byKey.sort(mostExpensiveFirst),
    by_member: byMember.sort(mostExpensiveFirst),
    by_project: byProject.sort(mostExpensiveFirst),
    by_day_and_model: ofModels,
  };
}

function mostExpensiveFirst(a: UsageSums, b: UsageSums): number {
  return Number(b.settled_quota - a.settled_quota) || Number(b.calls - a.calls);
}
