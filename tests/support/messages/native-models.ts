import { type UpstreamSettings, upstreamSettings } from "@sluice/contracts/upstreams";
import { addModel } from "@sluice/control-plane/models/add-model.ts";
import type { NewPrice } from "@sluice/control-plane/models/model-store.ts";
import type { SluiceRig } from "../service/sluice.ts";

/** Prices that differ for everything that the Messages API counts. */
export const nativePrice: Omit<NewPrice, "model"> = {
  input_usd_per_m: "3",
  output_usd_per_m: "15",
  cache_read_usd_per_m: "0.3",
  cache_write_usd_per_m: "3.75",
  cache_write_1h_usd_per_m: "6",
};

export type NativeModel = {
  readonly name: string;
  readonly providerUrl: string;
  readonly upstreamModel?: string;
  readonly flags?: Partial<UpstreamSettings["flags"]>;
  readonly isChatToo?: boolean;
  /** Prices besides `nativePrice`. */
  readonly price?: Partial<NewPrice>;
};

/** A model with a channel of its own that speaks the Messages API; call it before the processes start. */
export async function addNativeModel(rig: SluiceRig, model: NativeModel): Promise<void> {
  const { name, providerUrl, upstreamModel = null, flags = {}, isChatToo = false, price = {} } = model;
  const bounds = { contextTokensMax: 200_000, outputTokensMax: 64_000, imageTokensMax: 1_600 };
  await rig.db.withTransaction((tx) =>
    addModel(tx, { name, displayName: name, ownedBy: "test", ...bounds }, { ...nativePrice, ...price }),
  );
  await rig.addChannel(`channel-${name}`, `${providerUrl}/v1`, [name]);
  const chat = { base_url: `${providerUrl}/v1`, auth: "bearer" };
  const dialects = { messages: { base_url: providerUrl, auth: "x_api_key" }, ...(isChatToo ? { chat } : {}) };
  const settings = JSON.stringify(upstreamSettings.parse({ dialects, flags }));
  await rig.db.withTransaction(async (tx) => {
    await tx.sql`update channel set upstream = ${settings}::text::jsonb where name = ${`channel-${name}`}`;
    await tx.sql`update ability set upstream_model = ${upstreamModel} where model = ${name}`;
  });
}
