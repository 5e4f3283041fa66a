/** The channels of the conversions: one for each dialect, which speaks nothing else, with a model of its own. */
import { type UpstreamSettingsInput, upstreamSettings } from "@sluice/contracts/upstreams";
import { addAbility } from "@sluice/control-plane/gateway/channels/channels.ts";
import { sealChannelCredential } from "@sluice/control-plane/gateway/channels/credentials.ts";
import { saveChannel, setChannelCredential } from "@sluice/control-plane/gateway/channels/store.ts";
import { addModel } from "@sluice/control-plane/models/add-model.ts";
import type { MasterKey } from "@sluice/control-plane/platform/crypto/master-key.ts";
import type { Database } from "@sluice/control-plane/platform/db.ts";
import { type CallDialect, callDialects, convertedAt, modelAt } from "../load/call.ts";

const bounds = { contextTokensMax: 128_000, outputTokensMax: 16_384, imageTokensMax: 1_600 };
const price = {
  input_usd_per_m: "0.15",
  output_usd_per_m: "0.60",
  cache_read_usd_per_m: "0.075",
  cache_write_usd_per_m: "0.1875",
  cache_write_1h_usd_per_m: "0.30",
};

const entries: Readonly<Record<CallDialect, { readonly path: string; readonly auth: "bearer" | "x_api_key" }>> = {
  chat: { path: "/v1", auth: "bearer" },
  responses: { path: "/v1", auth: "bearer" },
  messages: { path: "", auth: "x_api_key" },
};

/** Adds channels and models for the group `default`; call it before the process starts. */
export async function addConversionChannels(
  db: Pick<Database, "withTransaction">,
  masterKey: MasterKey,
  providerPort: number,
): Promise<void> {
  await db.withTransaction(async (tx) => {
    for (const dialect of callDialects) {
      const name = modelAt(dialect);
      const { path, auth } = entries[dialect];
      const base_url = `http://127.0.0.1:${providerPort}${convertedAt}${path}`;
      const settings: UpstreamSettingsInput = { dialects: { [dialect]: { base_url, auth } } };
      await addModel(tx, { name, displayName: name, ownedBy: "bench", ...bounds }, price);
      const id = await saveChannel(tx, name, upstreamSettings.parse(settings));
      await setChannelCredential(tx, id, sealChannelCredential(masterKey, id, "sk-bench-provider"));
      await addAbility(tx, "default", name, id);
    }
  });
}
