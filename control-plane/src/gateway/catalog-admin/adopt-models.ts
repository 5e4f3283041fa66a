import { type AdoptModelsInput, adoptModelsInput } from "@sluice/contracts/catalog-admin";
import type { ChannelId } from "@sluice/contracts/ids";
import type { Act, ActOrigin } from "../../admin/approvals/port.ts";
import { recordAct } from "../../admin/approvals/service.ts";
import type { Transaction } from "../../platform/db.ts";
import { AppError, notFound } from "../../platform/errors.ts";
import { type ChannelEntry, findChannel, lockModel } from "./catalog-admin-store.ts";
import { saveAbility } from "./save-ability.ts";
import { type SealCredential, saveChannel } from "./save-channel.ts";
import { plain, saveModel } from "./save-model.ts";

type Adopted = AdoptModelsInput["models"][number];
type NewModel = { readonly name: string; readonly prices: string };

/**
 * Creating a channel, or taking one that exists, with models for it to serve. It takes two people if a model is new:
 * that may be a cheap copy of another.
 */
export function adoptAct(seal: SealCredential): Act<AdoptModelsInput> {
  return {
    kind: "channel.adopt",
    schema: adoptModelsInput,
    secretField: "credential",
    reasonOf: ({ reason = "" }) => reason,
    perform: async (tx, input, origin) => {
      refuseRepeated(input.models);
      const channel = await takeChannel(tx, input, { seal, origin });
      const created = await addModels(tx, input, { channelId: channel.id, origin });
      const adopted = {
        channel_id: channel.id as bigint,
        channel_name: channel.name,
        channel_status: channel.status,
        models: input.models.map(({ model }) => model),
        new_models: created.map(({ name }) => name),
      };
      return {
        isNew: true,
        amount: null,
        takesTwo: created.length > 0,
        effects: {
          channel: channel.name,
          ...(created.length === 0
            ? {}
            : { new_models: created.map(({ name, prices }) => `${name} (${prices})`).join(", ") }),
        },
        finish: async () => ({ adopted }),
      };
    },
  };
}

/** Two entries for the same group and model would hide that only one of them counts. */
function refuseRepeated(models: readonly Adopted[]): void {
  const seen = new Set<string>();
  for (const [index, { group_name: group, model }] of models.entries()) {
    const key = `${group}/${model}`;
    if (seen.has(key)) {
      throw new AppError("invalid_value", { fields: { [`models.${index}.model`]: `${model} is listed twice.` } });
    }
    seen.add(key);
  }
}

async function takeChannel(
  tx: Transaction,
  input: AdoptModelsInput,
  { seal, origin }: { readonly seal: SealCredential; readonly origin: ActOrigin },
): Promise<ChannelEntry> {
  const { models: _, credential, channel_id: id, ...fields } = input;
  if (id !== undefined) {
    return await existing(tx, id as ChannelId);
  }
  const settings = { ...fields, ...(credential === "" ? {} : { credential }) };
  const { after } = await saveChannel(tx, settings, seal);
  await recordAct(tx, origin, {
    action: "channel.save",
    subjectKind: "channel",
    subjectId: after.channel_id.toString(),
    before: null,
    after: { ...after, is_credential_changed: credential !== "" },
    reason: input.reason,
  });
  return await existing(tx, after.channel_id as ChannelId);
}

async function existing(tx: Transaction, id: ChannelId): Promise<ChannelEntry> {
  const channel = await findChannel(tx, id);
  if (channel === null) {
    throw notFound("channel");
  }
  return channel;
}

/** @returns the models that the catalog did not have */
async function addModels(
  tx: Transaction,
  { models, reason }: AdoptModelsInput,
  { channelId, origin }: { readonly channelId: ChannelId; readonly origin: ActOrigin },
): Promise<readonly NewModel[]> {
  const created: NewModel[] = [];
  // In a fixed order, so that two admins who adopt the same models do not deadlock.
  const ordered = [...models.entries()].sort(([, a], [, b]) => (a.model < b.model ? -1 : 1));
  for (const [index, { model, new_model: newModel, ...ability }] of ordered) {
    if ((await lockModel(tx, model)) === null) {
      created.push(await createModel(tx, { model, newModel, index, reason }, origin));
    }
    const key = { groupName: ability.group_name, model, channelId };
    const { upstream_model: named, is_enabled: isEnabled, priority, weight } = ability;
    const to = { upstreamModel: named === model ? null : named, isEnabled, priority, weight };
    const before = await saveAbility(tx, key, to);
    const subject = { subjectKind: "ability", subjectId: `${key.groupName}/${model}/${channelId}` };
    await recordAct(tx, origin, { action: "ability.save", ...subject, before, after: to, reason });
  }
  return created;
}

async function createModel(
  tx: Transaction,
  adopted: {
    readonly model: string;
    readonly newModel: Adopted["new_model"];
    readonly index: number;
    readonly reason: string | undefined;
  },
  origin: ActOrigin,
): Promise<NewModel> {
  const { model: name, newModel, index, reason } = adopted;
  if (newModel === undefined) {
    const message = `The catalog has no model ${name}, and nothing says what it costs.`;
    throw new AppError("invalid_value", { fields: { [`models.${index}.new_model`]: message } });
  }
  const { after } = await saveModel(tx, { name, ...newModel }).catch((error: unknown) => {
    throw atModel(error, index);
  });
  const what = { action: "model.save", subjectKind: "model", subjectId: name };
  await recordAct(tx, origin, { ...what, before: null, after, reason });
  return { name, prices: `${plain(after.input_usd_per_m)} in, ${plain(after.output_usd_per_m)} out` };
}

/** The same refusal, at the fields of the model that it is about. */
function atModel(error: unknown, index: number): unknown {
  if (!(error instanceof AppError) || error.fields === null) {
    return error;
  }
  const fields = Object.entries(error.fields).map(([name, text]) => [`models.${index}.new_model.${name}`, text]);
  return new AppError(error.code, { fields: Object.fromEntries(fields) as Record<string, string>, cause: error });
}
