import { type SaveModelInput, saveModelInput } from "@sluice/contracts/catalog-admin";
import type { ModelKind } from "@sluice/contracts/model-kinds";
import type { Transaction } from "../../platform/db.ts";
import { lockModel } from "./catalog-admin-store.ts";
import { kindOf, limitsOf } from "./proposals/model-facts.ts";
import { saveModel } from "./save-model.ts";

type Prices = Pick<
  SaveModelInput,
  "input_usd_per_m" | "output_usd_per_m" | "cache_read_usd_per_m" | "cache_write_usd_per_m" | "request_usd"
>;

type ImportedModel = {
  readonly name: string;
  readonly ownedBy: string;
  readonly prices: Prices;
  /** What the other gateway says of it. */
  readonly facts: {
    readonly kind: ModelKind | null;
    readonly contextTokensMax: number | null;
    readonly outputTokensMax: number | null;
  } | null;
};

export type PutModel = {
  /** What happened; `refused` if no call could use such a model, `archived` if an admin has archived it here. */
  readonly result: "made" | "repriced" | "same" | "refused" | "archived";
  /** What a call may take and return, where nobody has said it. */
  readonly assumed: { readonly contextTokensMax: number; readonly outputTokensMax: number } | null;
};

/** Makes a model have these prices, creating it with the limits of its family if it is missing. */
export async function putImportedModel(
  tx: Transaction,
  { name, ownedBy, prices, facts }: ImportedModel,
): Promise<PutModel> {
  const kind = facts?.kind ?? kindOf(name, null);
  if (kind === null || !saveModelInput.safeParse({ name, ...prices }).success) {
    return { result: "refused", assumed: null };
  }
  const stored = await lockModel(tx, name);
  if (stored !== null && stored.archivedAt !== null) {
    return { result: "archived", assumed: null };
  }
  if (stored !== null) {
    const changed = saveModelInput.parse({ name, updated_at: stored.updatedAt.toISOString(), ...prices });
    const { before, after } = await saveModel(tx, changed);
    return { result: before?.price_version === after.price_version ? "same" : "repriced", assumed: null };
  }
  const { areAssumed, ...limits } = limitsOf(name, kind, {
    context: facts?.contextTokensMax ?? null,
    output: facts?.outputTokensMax ?? null,
  });
  const input = {
    ...{ name, display_name: name, owned_by: ownedBy, kind },
    context_tokens_max: limits.contextTokensMax,
    output_tokens_max: limits.outputTokensMax,
    image_tokens_max: limits.imageTokensMax,
    ...prices,
  };
  await saveModel(tx, saveModelInput.parse(input));
  return { result: "made", assumed: areAssumed ? limits : null };
}
