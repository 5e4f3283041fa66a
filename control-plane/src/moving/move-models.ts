import { putImportedModel } from "../gateway/catalog-admin/imported-models.ts";
import type { PeerChannel, PeerData, PricedModel } from "./model.ts";
import { digestOf, isSameDigest, type Step } from "./run.ts";

/** The models that channels serve, with what they cost there. A model without a price is not moved: its calls would be free. */
export async function moveModels(step: Step): Promise<void> {
  const items = await step.items("model");
  for (const [name, channels] of [...servingChannels(step.data)].sort(([a], [b]) => (a < b ? -1 : 1))) {
    const priced = step.data.priceOf(name, channels);
    if (priced.prices === null) {
      leaveOut(step, name, priced.problem);
      continue;
    }
    const digest = digestOf(priced.prices);
    const known = items.get(name);
    if (known !== undefined && isSameDigest(known.digest, digest)) {
      step.counts.unchanged += 1;
    } else if (await putModel(step, name, priced)) {
      for (const note of priced.notes) {
        step.note("note", "models", name, note);
      }
      await step.keep("model", { sourceId: name, digest, target: name, gatewayUserId: null, movedQuota: null });
    }
  }
}

function leaveOut(step: Step, name: string, problem: string): void {
  step.counts.leftOut += 1;
  step.note("decide", "models", name, `It is not moved. ${problem}`);
}

const problems = {
  refused: "No call can use a model of such a name or price here.",
  archived: "It is archived here. Restore it, and run again.",
};

type Priced = Exclude<PricedModel, { readonly prices: null }>;

/** @returns false, with a note, if it can't be moved */
async function putModel(step: Step, name: string, { prices, facts }: Priced): Promise<boolean> {
  const made = { name, ownedBy: step.options.instance, prices, facts };
  const { result, assumed } = await putImportedModel(step.tx, made);
  if (result === "refused" || result === "archived") {
    leaveOut(step, name, problems[result]);
    return false;
  }
  const sums = `${prices.input_usd_per_m} in and ${prices.output_usd_per_m} out`;
  if (result === "repriced") {
    step.note("note", "models", name, `The catalog has it. Its prices change to ${sums}, in USD per million tokens.`);
  }
  if (assumed !== null) {
    const { contextTokensMax, outputTokensMax } = assumed;
    step.note(
      "note",
      "models",
      name,
      `Its limits are assumed: ${contextTokensMax} tokens, ${outputTokensMax} of output.`,
    );
  }
  step.counts[result === "made" ? "made" : "changed"] += 1;
  return true;
}

/** The channels of each model, the one that gets its calls first. */
export function servingChannels(data: PeerData): ReadonlyMap<string, readonly PeerChannel[]> {
  const serving = new Map<string, PeerChannel[]>();
  for (const channel of [...data.channels].sort(byTurn)) {
    for (const model of channel.models) {
      serving.set(model, [...(serving.get(model) ?? []), channel]);
    }
  }
  return serving;
}

function byTurn(a: PeerChannel, b: PeerChannel): number {
  return Number(b.isEnabled) - Number(a.isEnabled) || Number(b.priority - a.priority) || Number(a.id) - Number(b.id);
}
