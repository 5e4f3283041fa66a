import type { Transaction } from "../../platform/db.ts";
import { AppError, notFound } from "../../platform/errors.ts";
import { requireUsableGroup } from "../groups/require-group.ts";
import {
  type AbilityKey,
  type AbilitySettings,
  findChannel,
  lockAbility,
  lockModel,
  upsertAbility,
} from "./catalog-admin-store.ts";
import { refuseArchived } from "./refuse-archived.ts";

/**
 * Lets a channel serve a model to a group, or stops that.
 * @returns the previous state, null if there was none
 * @throws AppError `not_found` for an unknown group, model or channel, `conflict` for the channel of an exit node
 */
export async function saveAbility(
  tx: Transaction,
  key: AbilityKey,
  to: AbilitySettings,
): Promise<AbilitySettings | null> {
  const channel = await findChannel(tx, key.channelId);
  if (channel === null) {
    throw notFound("channel");
  }
  if (channel.exitNodeCode !== null) {
    throw new AppError("conflict", { message: `This channel is managed by exit node ${channel.exitNodeCode}.` });
  }
  await requireUsableGroup(tx, key.groupName);
  const model = await lockModel(tx, key.model);
  if (model === null) {
    throw notFound("model");
  }
  refuseArchived("channel", channel);
  refuseArchived("model", model);
  const before = await lockAbility(tx, key);
  await upsertAbility(tx, key, to);
  return before;
}
