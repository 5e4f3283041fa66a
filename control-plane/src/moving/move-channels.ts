import { saveChannelInput } from "@sluice/contracts/catalog-admin";
import type { ChannelId } from "@sluice/contracts/ids";
import { saveAbility } from "../gateway/catalog-admin/save-ability.ts";
import { saveChannel } from "../gateway/catalog-admin/save-channel.ts";
import { type CredentialSeals, saveCredential } from "../gateway/catalog-admin/save-credential.ts";
import { listChannelNames } from "../gateway/channels/channels.ts";
import { AppError } from "../platform/errors.ts";
import type { ChannelTarget, PeerChannel } from "./model.ts";
import { upstreamOf } from "./prices/price-models.ts";
import { digestOf, isSameDigest, type Step } from "./run.ts";
import { shortOf } from "./source/read-values.ts";

type Movable = Exclude<ChannelTarget, { readonly upstream: null }>;

/** The channels with what they serve. Those that were moved before stay as they are here, with a note if they changed there. */
export async function moveChannels(step: Step, seals: CredentialSeals): Promise<void> {
  const items = await step.items("channel");
  const groups = await step.items("group");
  const models = await step.items("model");
  const names = new Set(await listChannelNames(step.tx));
  for (const channel of step.data.channels) {
    const digest = digestOf(channel);
    const known = items.get(channel.id);
    if (known !== undefined) {
      noteKnown(step, channel, isSameDigest(known.digest, digest));
      continue;
    }
    const id = await makeChannel(step, channel, names, seals);
    if (id === null) {
      step.counts.leftOut += 1;
      continue;
    }
    await addAbilities(step, channel, id, { groups, models });
    step.counts.made += 1;
    const target = id.toString();
    await step.keep("channel", { sourceId: channel.id, digest, target, gatewayUserId: null, movedQuota: null });
  }
}

function noteKnown(step: Step, { id }: PeerChannel, isSame: boolean): void {
  step.counts[isSame ? "unchanged" : "kept"] += 1;
  if (!isSame) {
    step.note("decide", "channels", id, "It has changed there since it was moved. Change it here by hand.");
  }
}

/** @returns null, with a note, if it can't be moved */
async function makeChannel(
  step: Step,
  channel: PeerChannel,
  names: Set<string>,
  seals: CredentialSeals,
): Promise<ChannelId | null> {
  const { target } = channel;
  if (target.upstream === null) {
    step.note("lost", "channels", channel.id, target.problem);
    return null;
  }
  return await addChannel(step, { channel, target, names }, seals);
}

type NewChannel = { readonly channel: PeerChannel; readonly target: Movable; readonly names: Set<string> };

async function addChannel(
  step: Step,
  { channel, target, names }: NewChannel,
  seals: CredentialSeals,
): Promise<ChannelId | null> {
  const short = shortOf(channel.name, 60) || "channel";
  const name = names.has(short) ? `${short} (${step.options.instance} #${channel.id})` : short;
  names.add(short);
  for (const note of target.notes) {
    step.note("note", "channels", channel.id, note);
  }
  const parsed = saveChannelInput.safeParse({
    name,
    upstream: target.upstream,
    ...(target.credential === "" ? {} : { credential: target.credential }),
    status: channel.isEnabled ? "enabled" : "disabled",
    reason: "Moved",
  });
  if (!parsed.success) {
    step.note(
      "lost",
      "channels",
      channel.id,
      `Its name, address or key can't be one here: ${parsed.error.issues[0]?.path.join(".")}.`,
    );
    return null;
  }
  try {
    return await step.tx.savepoint(async () => {
      const { after } = await saveChannel(step.tx, parsed.data, seals.sealCredential);
      for (const [at, { secret, isEnabled }] of channel.furtherKeys.entries()) {
        const status = isEnabled ? "enabled" : "disabled";
        const further = { channel_id: after.channel_id, label: `key ${at + 2}`, credential: secret, status } as const;
        await saveCredential(step.tx, further, seals);
      }
      return after.channel_id as ChannelId;
    });
  } catch (error) {
    if (!(error instanceof AppError)) {
      throw error;
    }
    step.note("lost", "channels", channel.id, Object.values(error.fields ?? {})[0] ?? error.message);
    return null;
  }
}

type Moved = {
  readonly groups: ReadonlyMap<string, { readonly target: string }>;
  readonly models: ReadonlyMap<string, unknown>;
};

async function addAbilities(step: Step, channel: PeerChannel, channelId: ChannelId, moved: Moved): Promise<void> {
  for (const group of channel.groups) {
    const groupName = moved.groups.get(group)?.target;
    for (const model of channel.models.filter((name) => moved.models.has(name))) {
      if (groupName !== undefined) {
        const upstream = upstreamOf(channel, model);
        const to = {
          upstreamModel: upstream === model ? null : upstream,
          isEnabled: true,
          priority: turnOf(step.data.channels, channel, { group, model }),
          weight: channel.weight,
        };
        await addAbility(step, channel, { groupName, model, channelId }, to);
      }
    }
  }
}

/** A model that was archived here since it was moved gets no ability, with a note. */
async function addAbility(
  step: Step,
  { id }: PeerChannel,
  key: AbilityKey,
  to: Parameters<typeof saveAbility>[2],
): Promise<void> {
  try {
    await step.tx.savepoint(() => saveAbility(step.tx, key, to));
  } catch (error) {
    if (!(error instanceof AppError)) {
      throw error;
    }
    step.note("decide", "channels", id, `It does not serve ${key.model} here. ${error.message}`);
  }
}

type AbilityKey = Parameters<typeof saveAbility>[1];

/** Theirs begin with the highest number, ours with 0. */
function turnOf(
  channels: readonly PeerChannel[],
  { priority }: PeerChannel,
  place: { readonly group: string; readonly model: string },
): number {
  const serving = channels.filter(({ groups, models }) => groups.includes(place.group) && models.includes(place.model));
  return new Set(serving.filter((other) => other.priority > priority).map((other) => other.priority)).size;
}
