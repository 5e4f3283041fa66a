/** The channels of the cross table: one for each dialect, which speaks nothing else. */
import { upstreamSettings } from "@sluice/contracts/upstreams";
import { addModel } from "@sluice/control-plane/models/add-model.ts";
import type { NewPrice } from "@sluice/control-plane/models/model-store.ts";
import { saveMapEntry } from "../messages/messages-rig.ts";
import type { SluiceRig } from "../service/sluice.ts";
import { type Dialect, dialects } from "./model.ts";

type DialectChannel = {
  /** The name of the model there: what it accepts follows from it. */
  readonly upstreamModel: string;
  readonly basePath: string;
  readonly auth: string;
  /** Where the calls of this dialect arrive. */
  readonly target: RegExp;
};

export const dialectChannels: Readonly<Record<Dialect, DialectChannel>> = {
  chat: { upstreamModel: "vendor/open-model", basePath: "/v1", auth: "bearer", target: /^\/v1\/chat\/completions$/ },
  responses: { upstreamModel: "gpt-5.5", basePath: "/v1", auth: "bearer", target: /^\/v1\/responses$/ },
  messages: {
    upstreamModel: "claude-sonnet-4-5",
    basePath: "",
    auth: "x_api_key",
    target: /^\/v1\/messages(\?beta=true)?$/,
  },
  gemini: {
    upstreamModel: "gemini-3-pro",
    basePath: "",
    auth: "x_goog_api_key",
    target: /^\/v1beta\/models\/gemini-3-pro:(generateContent|streamGenerateContent\?alt=sse)$/,
  },
};

/** Every kind of token has a price of its own, so that none can be taken for another. */
const price: Omit<NewPrice, "model"> = {
  input_usd_per_m: "3",
  output_usd_per_m: "15",
  cache_read_usd_per_m: "0.3",
  cache_write_usd_per_m: "3.75",
  cache_write_1h_usd_per_m: "6",
  reasoning_usd_per_m: "20",
};

/** Clients look at the names of models, so the models of each family begin with a name that they know. */
export const families = ["gpt-5.5", "claude-sonnet-4-5", "gemini-3-pro"] as const;

export const modelOf = (family: string, channel: Dialect): string => `${family}-by-${channel}`;

/** The conversions that exist, besides a dialect to itself. */
const conversions: readonly `${Dialect} to ${Dialect}`[] = [
  "chat to messages",
  "responses to chat",
  "responses to messages",
  "messages to chat",
];

/** Whether a client of one dialect is served by a channel of the other. */
export const isServed = (client: Dialect, channel: Dialect): boolean =>
  client === channel || conversions.includes(`${client} to ${channel}`);

/** Adds the channels and their models; call it before the processes start. */
export async function addDialectChannels(rig: SluiceRig, providerUrl: string): Promise<void> {
  for (const dialect of dialects) {
    const { upstreamModel, basePath, auth } = dialectChannels[dialect];
    const models = families.map((family) => modelOf(family, dialect));
    const bounds = { contextTokensMax: 200_000, outputTokensMax: 64_000, imageTokensMax: 1_600 };
    for (const name of models) {
      await rig.db.withTransaction((tx) =>
        addModel(tx, { name, displayName: name, ownedBy: "test", ...bounds }, price),
      );
      // For the Messages route, where no channel serves the model in that API.
      await saveMapEntry(rig, { name, upstream_model: name });
    }
    await rig.addChannel(`only-${dialect}`, `${providerUrl}/v1`, models);
    const settings = JSON.stringify(
      upstreamSettings.parse({ dialects: { [dialect]: { base_url: `${providerUrl}${basePath}`, auth } } }),
    );
    await rig.db.withTransaction(async (tx) => {
      await tx.sql`update channel set upstream = ${settings}::text::jsonb where name = ${`only-${dialect}`}`;
      for (const name of models) {
        await tx.sql`update ability set upstream_model = ${upstreamModel} where model = ${name}`;
      }
    });
  }
}
