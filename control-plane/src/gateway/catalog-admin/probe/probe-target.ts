import type { ProbedUpstream } from "@sluice/contracts/catalog-admin";
import type { ChannelId } from "@sluice/contracts/ids";
import type { UpstreamSettings } from "@sluice/contracts/upstreams";
import type { AddressGuard } from "@sluice/http-client/address-guard";
import type { Database } from "../../../platform/db.ts";
import { AppError } from "../../../platform/errors.ts";
import { type ChannelEntry, findChannel } from "../catalog-admin-store.ts";
import { checkAddresses, credentialNeeded, goesElsewhere, refuseOddCredential } from "../save-channel.ts";
import { unknownChannel } from "../unknown-channel.ts";

export type OpenCredential = (id: ChannelId, sealed: Uint8Array) => string;

export type ProbedChannel = {
  readonly upstream: UpstreamSettings;
  readonly credential: string | null;
  readonly pinnedAddress: string | null;
  /** The saved channel; null if there is none yet. */
  readonly channel: ChannelEntry | null;
};

type Deps = {
  readonly db: Database;
  readonly openCredential: OpenCredential;
  readonly guard: AddressGuard | null;
};

/**
 * The upstream to probe: a saved channel, with other settings or another credential if they were sent. Its credential
 * goes to no host that does not have it.
 * @throws AppError `not_found`, `invalid_value` for an address or the credential, `conflict` for a credential that can't be decrypted,
 * `secret_required`
 */
export async function readProbed({ db, openCredential, guard }: Deps, input: ProbedUpstream): Promise<ProbedChannel> {
  const { channel_id: id, upstream: sent, credential } = input;
  const channel = id === undefined ? null : await findChannel(db, id as ChannelId);
  if (id !== undefined && channel === null) {
    throw unknownChannel();
  }
  const upstream = sent ?? channel?.upstream;
  if (upstream === undefined) {
    throw new AppError("invalid_value", { fields: { upstream: "Required without a channel." } });
  }
  refuseOddCredential(upstream, credential ?? null);
  await checkAddresses(db, { upstream: sent, channel_id: id }, guard);
  const isStored = credential === undefined && channel !== null && channel.credentialSealed !== null;
  if (isStored && goesElsewhere(channel.upstream, upstream)) {
    throw credentialNeeded();
  }
  return {
    upstream,
    channel,
    credential: isStored ? decrypted(channel, openCredential) : (credential ?? null),
    pinnedAddress: channel?.pinnedAddress ?? null,
  };
}

function decrypted({ id, credentialSealed }: ChannelEntry, open: OpenCredential): string | null {
  try {
    return credentialSealed === null ? null : open(id, credentialSealed);
  } catch (error) {
    const message = "The credential of this channel can't be decrypted. Enter it again.";
    throw new AppError("conflict", { message, cause: error });
  }
}
