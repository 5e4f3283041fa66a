import type { ProbedUpstream } from "@sluice/contracts/catalog-admin";
import type { ChannelId, CredentialId } from "@sluice/contracts/ids";
import type { UpstreamSettings } from "@sluice/contracts/upstreams";
import type { AddressGuard } from "@sluice/http-client/address-guard";
import type { Database } from "../../../platform/db.ts";
import { AppError, notFound } from "../../../platform/errors.ts";
import { type CredentialRow, listCredentials } from "../../channels/credential-store.ts";
import { type ChannelEntry, findChannel } from "../catalog-admin-store.ts";
import { checkAddresses, credentialNeeded, goesElsewhere, refuseOddCredential } from "../save-channel.ts";

/** Decrypts the credential of a channel itself, and its further ones. */
export type OpenCredentials = {
  readonly ofChannel: (id: ChannelId, sealed: Uint8Array) => string;
  readonly further: (id: CredentialId, sealed: Uint8Array) => string;
};

export type ProbedChannel = {
  readonly upstream: UpstreamSettings;
  readonly credential: string | null;
  /** The label of the credential, if it is a stored one. */
  readonly credentialLabel: string | null;
  readonly pinnedAddress: string | null;
  /** The saved channel; null if there is none yet. */
  readonly channel: ChannelEntry | null;
};

type Deps = {
  readonly db: Database;
  readonly openCredentials: OpenCredentials;
  readonly guard: AddressGuard | null;
};

/**
 * The upstream to probe: a saved channel, with other settings or another credential if they were sent. Its credential
 * goes to no host that does not have it.
 * @throws AppError `not_found`, `invalid_value` for an address or the credential, `conflict` for a credential that can't be decrypted,
 * `secret_required`
 */
export async function readProbed({ db, openCredentials, guard }: Deps, input: ProbedUpstream): Promise<ProbedChannel> {
  const { channel_id: id, upstream: sent, credential } = input;
  const channel = id === undefined ? null : await findChannel(db, id as ChannelId);
  if (id !== undefined && channel === null) {
    throw notFound("channel");
  }
  const upstream = sent ?? channel?.upstream;
  if (upstream === undefined) {
    throw new AppError("invalid_value", { fields: { upstream: "Required without a channel." } });
  }
  refuseOddCredential(upstream, credential ?? null);
  await checkAddresses(db, { upstream: sent, channel_id: id }, guard);
  const stored = credential === undefined ? await findStored(db, channel, input.credential_id) : null;
  if (channel !== null && stored !== null && goesElsewhere(channel.upstream, upstream)) {
    throw credentialNeeded();
  }
  return {
    upstream,
    channel,
    credential:
      channel === null || stored === null ? (credential ?? null) : decrypted(channel, stored, openCredentials),
    credentialLabel: stored?.label ?? null,
    pinnedAddress: channel?.pinnedAddress ?? null,
  };
}

/** The credential that was asked for, or the one that calls would most likely use. */
async function findStored(
  db: Database,
  channel: ChannelEntry | null,
  asked: bigint | undefined,
): Promise<CredentialRow | null> {
  const all = channel === null ? [] : await listCredentials(db, channel.id);
  if (asked !== undefined) {
    const found = all.find(({ id }) => id === asked);
    if (found === undefined) {
      throw new AppError("invalid_value", { fields: { credential_id: "This channel does not have this credential." } });
    }
    return found;
  }
  const enabled = all.filter(({ status }) => status === "enabled");
  return enabled.find(({ refused_at: refusedAt }) => refusedAt === null) ?? enabled[0] ?? all[0] ?? null;
}

function decrypted(
  { id, credentialSealed }: ChannelEntry,
  { id: credentialId, secret_sealed: secretSealed, label }: CredentialRow,
  open: OpenCredentials,
): string | null {
  try {
    if (secretSealed !== null) {
      return open.further(credentialId, secretSealed);
    }
    return credentialSealed === null ? null : open.ofChannel(id, credentialSealed);
  } catch (error) {
    const message = `The credential ${label} of this channel can't be decrypted. Enter it again.`;
    throw new AppError("conflict", { message, cause: error });
  }
}
