import type { SaveFallbacksInput } from "@sluice/contracts/model-fallbacks";
import { passThroughModel } from "../../models/model.ts";
import type { Transaction } from "../../platform/db.ts";
import { AppError, notFound } from "../../platform/errors.ts";
import { requireUsableGroup } from "../groups/require-group.ts";
import {
  deleteFallbacks,
  type FallbackModel,
  findFallbackModels,
  lockFallbacks,
  type StoredFallbacks,
  upsertFallbacks,
} from "./fallback-store.ts";

export type FallbackState = ReturnType<typeof stateOf>;

/**
 * Sets which other models may answer for a model, or removes the rule if none may.
 * @throws AppError `not_found` for an unknown model or group, `invalid_value` for one that can't take its place
 */
export async function saveFallbacks(
  tx: Transaction,
  input: SaveFallbacksInput,
): Promise<{ readonly before: FallbackState | null; readonly after: FallbackState | null }> {
  const { model, group_name: groupName, fallback_models: names, larger_model: larger } = input;
  await checkModels(tx, input);
  if (groupName !== null) {
    await requireUsableGroup(tx, groupName);
  }
  const place = { model, groupName };
  const before = await lockFallbacks(tx, place);
  if (names.length === 0 && larger === null) {
    await deleteFallbacks(tx, place);
  } else {
    const to = { fallbackModels: names, largerModel: larger, isForEveryKey: input.is_for_every_key };
    await upsertFallbacks(tx, place, to);
  }
  const after = await lockFallbacks(tx, place);
  return {
    before: before === null ? null : stateOf(groupName, before),
    after: after === null ? null : stateOf(groupName, after),
  };
}

/** @throws AppError `not_found`, `invalid_value` */
async function checkModels(tx: Transaction, input: SaveFallbacksInput): Promise<void> {
  const { model, fallback_models: names, larger_model: larger } = input;
  const found = await findFallbackModels(tx, [model, ...names, ...(larger === null ? [] : [larger])]);
  const known = new Map(found.map((each) => [each.name, each]));
  const asked = known.get(model);
  if (asked === undefined || model === passThroughModel) {
    throw notFound("model");
  }
  if (new Set(names).size < names.length) {
    throw new AppError("invalid_value", { fields: { fallback_models: "Name each model once." } });
  }
  for (const name of names) {
    refuseUnfit(asked, known.get(name), "fallback_models", name);
  }
  if (larger !== null) {
    refuseUnfit(asked, known.get(larger), "larger_model", larger);
    if ((known.get(larger)?.contextTokensMax ?? 0) <= asked.contextTokensMax) {
      throw new AppError("invalid_value", { fields: { larger_model: "Its context is not larger." } });
    }
  }
}

/** @throws AppError `invalid_value` */
function refuseUnfit(asked: FallbackModel, other: FallbackModel | undefined, field: string, name: string): void {
  const problem =
    other === undefined || name === passThroughModel
      ? `${name} is not in the catalog.`
      : name === asked.name
        ? "A model can't take its own place."
        : other.kind !== asked.kind
          ? `${name} is of another kind.`
          : null;
  if (problem !== null) {
    throw new AppError("invalid_value", { fields: { [field]: problem } });
  }
}

function stateOf(groupName: string | null, { fallbackModels, largerModel, isForEveryKey }: StoredFallbacks) {
  return {
    group_name: groupName,
    fallback_models: fallbackModels,
    larger_model: largerModel,
    is_for_every_key: isForEveryKey,
  };
}
