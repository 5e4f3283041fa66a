import { adminOperation } from "@sluice/contracts/admin-rights";
import {
  type AssignGroupInput,
  assignGroupInput,
  assignGroupOutput,
  groupDetail,
  groupInput,
  type RemoveGroupInput,
  removeGroupInput,
  removeGroupOutput,
  type SaveGroupInput,
  saveGroupInput,
  saveGroupOutput,
} from "@sluice/contracts/groups";
import { priceTimes } from "@sluice/contracts/price-times";
import type { Act } from "../../admin/approvals/port.ts";
import type { Approvals } from "../../admin/approvals/service.ts";
import { listSoldModels } from "../../models/model-store.ts";
import type { Database } from "../../platform/db.ts";
import { type AnyEndpoint, endpoint } from "../../platform/endpoint/model.ts";
import { requireGroup } from "./require-group.ts";
import { groupEntry } from "./save-group.ts";
import { listChannelsOf } from "./store.ts";

export type GroupActs = {
  readonly save: Act<SaveGroupInput>;
  readonly assign: Act<AssignGroupInput>;
  readonly remove: Act<RemoveGroupInput>;
};

export type GroupDeps = { readonly db: Database; readonly approvals: Approvals; readonly acts: GroupActs };

const secondPerson = (what: string) =>
  `With admin.second_person_above_usd, ${what} waits until another super-admin has approved it.`;

/** What admins do with groups and their users. The database announces each change to all replicas. */
export function groupEndpoints({ db, approvals, acts }: GroupDeps): AnyEndpoint[] {
  return [
    endpoint({
      method: "GET",
      path: "/backend/admin/group/detail/",
      access: "admin",
      input: groupInput,
      output: groupDetail,
      errors: ["not_found"],
      summary: "Get a group with its models, their channels and what they cost in it",
      handle: async ({ input: { name } }) => await readDetail(db, name),
    }),
    endpoint({
      method: "POST",
      ...adminOperation("/backend/admin/group/save/"),
      input: saveGroupInput,
      output: saveGroupOutput,
      errors: ["conflict"],
      limits: [secondPerson("a lower multiplier, another rank, or what lets more users have a multiplier below 1,")],
      summary: "Create a group, or change its multiplier, its rank and who may use it",
      handle: async (call) => await approvals.carryOut(acts.save, call.input, call),
    }),
    endpoint({
      method: "POST",
      ...adminOperation("/backend/admin/group/assign/"),
      input: assignGroupInput,
      output: assignGroupOutput,
      errors: ["not_found", "conflict"],
      limits: [
        "At most 100 users and 100 organisations.",
        secondPerson("a group with a lower multiplier than a user has, now or later,"),
      ],
      summary:
        "Add users and organisations to a group, in place of their account's group or in addition to it; all or none",
      handle: async (call) => await approvals.carryOut(acts.assign, call.input, call),
    }),
    endpoint({
      method: "POST",
      ...adminOperation("/backend/admin/group/remove/"),
      input: removeGroupInput,
      output: removeGroupOutput,
      errors: ["not_found", "conflict"],
      limits: ["At most 100 users and 100 organisations.", secondPerson("what leaves a user with a lower multiplier,")],
      summary: "Take an additional group away from users and organisations; keys that name it are refused from then on",
      handle: async (call) => await approvals.carryOut(acts.remove, call.input, call),
    }),
  ];
}

async function readDetail(db: Database, name: string) {
  const group = await requireGroup(db, name);
  const channels = await listChannelsOf(db, name);
  const models = (await listSoldModels(db)).filter((model) => channels.has(model.name));
  return {
    group: groupEntry(group),
    models: models.map((model) => ({
      ...{ name: model.name, kind: model.kind },
      ...priceTimes(model, group.multiplier),
      channels: channels.get(model.name) ?? [],
    })),
  };
}
