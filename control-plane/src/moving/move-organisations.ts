import type { GatewayUserId, UserId } from "@sluice/contracts/ids";
import { addGatewayUser, changeGatewayUser } from "../gateway/gateway-users.ts";
import {
  addImportedMember,
  addImportedOrganisation,
  addImportedProject,
  changeImportedOrganisation,
} from "../organisations/imported-organisations.ts";
import type { PeerOrganisation } from "./model.ts";
import { moveBalance, moveLimits, opening } from "./move-balance.ts";
import { digestOf, isSameDigest, type Step } from "./run.ts";
import type { Item } from "./store.ts";

/** The group of accounts in programs that have no groups. */
const group = "default";

/** How an item of a member is called: users belong to several organisations. */
export const memberItem = (organisationId: string, userId: string): string => JSON.stringify([organisationId, userId]);

/**
 * The organisations with their members and projects. Those who join later there follow; who has left there is in the report,
 * because an owner here may want them to stay.
 */
export async function moveOrganisations(step: Step): Promise<void> {
  const items = await step.items("organisation");
  const groups = await step.items("group");
  for (const organisation of step.data.organisations) {
    const known = items.get(organisation.id);
    const digest = digestOf(organisation);
    if (known !== undefined && isSameDigest(known.digest, digest)) {
      step.counts.unchanged += 1;
      continue;
    }
    const target =
      known === undefined
        ? await addOrganisation(step, organisation, groups.get(group)?.target ?? group)
        : await changeOrganisation(step, organisation, known);
    const { writtenAt, ...made } = target;
    await moveBalance(step, made.gatewayUserId, organisation.quota - (known?.movedQuota ?? 0n));
    await addParts(step, organisation, BigInt(made.target));
    const item = { sourceId: organisation.id, digest, ...made, movedQuota: organisation.quota };
    await step.keep("organisation", item, writtenAt);
  }
}

type Target = {
  readonly target: string;
  readonly gatewayUserId: GatewayUserId;
  /** When it was written if it stays as it is here. */
  readonly writtenAt: Date | null;
};

async function addOrganisation(step: Step, organisation: PeerOrganisation, groupName: string): Promise<Target> {
  const { tx } = step;
  const { gatewayUserId } = await addGatewayUser(tx, groupName, { amount: 0n, changeType: opening });
  const id = await addImportedOrganisation(tx, gatewayUserId, organisation);
  if (organisation.isSuspended) {
    await changeGatewayUser(tx, gatewayUserId, { isEnabled: false });
  }
  await moveLimits(step, gatewayUserId, organisation.limits);
  step.counts.made += 1;
  return { target: id.toString(), gatewayUserId, writtenAt: null };
}

async function changeOrganisation(step: Step, organisation: PeerOrganisation, known: Item): Promise<Target> {
  const { target, gatewayUserId, writtenAt } = known;
  if (gatewayUserId === null) {
    throw new Error(`organisation ${target} was moved without an account`);
  }
  const { id, isSuspended } = organisation;
  if (await changeImportedOrganisation(step.tx, BigInt(target), organisation, writtenAt)) {
    await changeGatewayUser(step.tx, gatewayUserId, { isEnabled: !isSuspended });
    step.counts.changed += 1;
    return { target, gatewayUserId, writtenAt: null };
  }
  step.counts.kept += 1;
  const kept = "It was changed here since the last run, so only its balance is brought up to date.";
  const text = isSuspended ? `${kept} It is blocked there: suspend it here if it should be.` : kept;
  step.note(isSuspended ? "decide" : "note", "organisations", id, text);
  return { target, gatewayUserId, writtenAt };
}

async function addParts(step: Step, organisation: PeerOrganisation, organisationId: bigint): Promise<void> {
  const [users, members, projects] = [
    await step.items("user"),
    await step.items("member"),
    await step.items("project"),
  ];
  for (const { userId, role, spendPerMonth } of organisation.members) {
    const sourceId = memberItem(organisation.id, userId);
    const user = users.get(userId);
    if (user !== undefined && !members.has(sourceId)) {
      const made = { organisationId, userId: BigInt(user.target) as UserId, role, spendPerMonth };
      await keepPart(step, "member", sourceId, await addImportedMember(step.tx, made));
    }
  }
  noteLeavers(step, organisation, members.keys());
  for (const { id, name, isArchived, spendPerMonth } of organisation.projects) {
    if (!projects.has(id)) {
      const status = isArchived ? "archived" : "active";
      const made = { organisationId, name, status, spendPerMonth } as const;
      await keepPart(step, "project", id, await addImportedProject(step.tx, made));
    }
  }
}

function noteLeavers(step: Step, { id, members }: PeerOrganisation, moved: Iterable<string>): void {
  const present = new Set(members.map(({ userId }) => userId));
  for (const item of moved) {
    const [organisationId, userId = ""] = JSON.parse(item) as readonly string[];
    if (organisationId === id && !present.has(userId)) {
      const shown = JSON.stringify(userId.slice(0, 60));
      step.note("decide", "organisations", id, `Its member ${shown} has left it there. Remove the member here.`);
    }
  }
}

async function keepPart(step: Step, kind: "member" | "project", sourceId: string, id: bigint): Promise<void> {
  const made = { digest: digestOf(sourceId), target: id.toString(), gatewayUserId: null, movedQuota: null };
  await step.keep(kind, { sourceId, ...made });
}
