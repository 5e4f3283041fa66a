import type { ChannelId } from "@sluice/contracts/ids";
import { type Dialect, openaiUpstream, type UpstreamSettings } from "@sluice/contracts/upstreams";
import type { MasterKey } from "../../platform/crypto/master-key.ts";
import type { Queryable } from "../../platform/db.ts";
import { routeTo } from "../upstreams/conversions.ts";
import { openChannelCredential, sealChannelCredential } from "./credentials.ts";
import { parseBaseUrl, toUpstream } from "./model.ts";
import {
  disableAbilities,
  findChannelNames,
  listEnabledAbilities,
  listEnabledChannels,
  saveAbility,
  saveChannel,
  setChannelCredential,
} from "./store.ts";

/** Whether calls can be sent to the addresses of an upstream. */
export function isUpstreamUsable(settings: UpstreamSettings): boolean {
  try {
    toUpstream(settings);
    return true;
  } catch {
    return false;
  }
}

/** How a call of an API gets to an upstream: as it is, or converted; null if it can't. */
export function wayTo({ dialects }: Pick<UpstreamSettings, "dialects">, api: Dialect): "as_it_is" | "converted" | null {
  const endpoints = { has: (dialect: Dialect) => dialects[dialect] !== undefined };
  const route = routeTo({ endpoints }, { dialect: api, isConvertible: true });
  return route === null ? null : route.isConverted ? "converted" : "as_it_is";
}

export type ChannelSettings = {
  readonly name: string;
  readonly baseUrl: string;
  /** Null keeps the stored one. */
  readonly credential: string | null;
  /** What it speaks besides the OpenAI API. */
  readonly ownDialects?: UpstreamSettings["dialects"];
};

/**
 * Creates the channel of an OpenAI-compatible provider or changes its address; the credential is stored only encrypted. @throws TypeError for a bad URL
 */
export async function putChannel(tx: Queryable, key: MasterKey, settings: ChannelSettings): Promise<ChannelId> {
  parseBaseUrl(settings.baseUrl);
  const upstream = openaiUpstream(settings.baseUrl);
  const dialects = { ...upstream.dialects, ...settings.ownDialects };
  const id = await saveChannel(tx, settings.name, { ...upstream, dialects });
  if (settings.credential !== null) {
    await setChannelCredential(tx, id, sealChannelCredential(key, id, settings.credential));
  }
  return id;
}

/**
 * Removes the abilities of an enabled channel that has this credential. @returns whether it had any @throws SealError
 */
export async function disableAbilitiesWith(
  tx: Queryable,
  key: MasterKey,
  { name, credential }: { readonly name: string; readonly credential: string },
): Promise<boolean> {
  const found = (await listEnabledChannels(tx)).find((channel) => channel.name === name);
  const id = found?.id as ChannelId | undefined;
  const sealed = found?.credential_sealed ?? null;
  if (id === undefined || sealed === null || openChannelCredential(key, id, sealed) !== credential) {
    return false;
  }
  return (await disableAbilities(tx, id)) > 0;
}

/** Whether an enabled channel serves any model to anyone. */
export async function isAnyModelServed(db: Queryable): Promise<boolean> {
  return (await listEnabledAbilities(db)).length > 0;
}

/** Lets a channel serve a model to a group. */
export async function addAbility(tx: Queryable, groupName: string, model: string, channelId: ChannelId): Promise<void> {
  await saveAbility(tx, { groupName, model, channelId, priority: 0, weight: 1 });
}

/** The names of all channels. Each can be taken once. */
export async function listChannelNames(db: Queryable): Promise<readonly string[]> {
  return await findChannelNames(db);
}
