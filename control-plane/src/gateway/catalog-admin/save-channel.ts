import type { SaveChannelInput } from "@sluice/contracts/catalog-admin";
import type { ChannelId } from "@sluice/contracts/ids";
import { credentialFault, isMinted } from "@sluice/contracts/minted-credentials";
import type { UpstreamSettings } from "@sluice/contracts/upstreams";
import type { AddressGuard } from "@sluice/http-client/address-guard";
import { HttpClientError } from "@sluice/http-client/model";
import { isNoServerAddress } from "@sluice/server-addresses/judge-address";
import type { Queryable, Transaction } from "../../platform/db.ts";
import { isUniqueViolation } from "../../platform/db-errors.ts";
import { AppError, notFound } from "../../platform/errors.ts";
import { type CredentialRow, listCredentials } from "../channels/credential-store.ts";
import { parseBaseUrl } from "../channels/model.ts";
import {
  type ChannelEntry,
  type ChannelSettings,
  findChannel,
  insertChannel,
  lockChannel,
  type SwitchStatus,
  updateChannel,
} from "./catalog-admin-store.ts";
import { refuseArchived } from "./refuse-archived.ts";

/** A channel in responses and the audit log: never with its credential. */
export type ChannelState = ReturnType<typeof stateOf>;

/** Encrypts the credential of a channel. */
export type SealCredential = (id: ChannelId, credential: string) => Uint8Array;

type Saved = { readonly before: ChannelState | null; readonly after: ChannelState };

/**
 * Creates a channel, or changes the one loaded at `updated_at`. A new one is disabled by default. Its address was
 * checked by `checkAddresses`.
 * @throws AppError `not_found`, `invalid_value`, `conflict` (changed since, a name that is taken, a channel of an exit
 * node), `secret_required` when the address changes and the credential was not entered again
 */
export async function saveChannel(tx: Transaction, input: SaveChannelInput, seal: SealCredential): Promise<Saved> {
  const channel = input.channel_id === undefined ? await makeChannel(tx, input) : await readChannel(tx, input);
  const id = channel.id;
  const to = input.upstream ?? channel.upstream;
  if (goesElsewhere(channel.upstream, to) && channel.credentialSealed !== null && input.credential === undefined) {
    throw credentialNeeded();
  }
  if (goesElsewhere(channel.upstream, to) && (await listCredentials(tx, id)).some(isFurther)) {
    throw new AppError("conflict", {
      message: "Remove the other credentials first: they would be sent to another host.",
    });
  }
  const { credential } = input;
  refuseOddCredential(to, credential ?? null);
  await changeChannel(tx, id, {
    name: input.name ?? channel.name,
    upstream: to,
    status: input.status ?? channel.status,
    requestsPerMinute: kept(input.requests_per_minute, channel.requestsPerMinute),
    concurrencyMax: kept(input.concurrency_max, channel.concurrencyMax),
    firstByteTimeoutMs: kept(input.first_byte_timeout_ms, channel.firstByteTimeoutMs),
    idleTimeoutMs: kept(input.idle_timeout_ms, channel.idleTimeoutMs),
    passThroughPaths: input.pass_through_paths ?? channel.passThroughPaths,
    probeMinutes: kept(input.probe_minutes, channel.probeMinutes),
    probeModel: kept(input.probe_model, channel.probeModel),
    credentialSealed:
      credential === undefined ? channel.credentialSealed : credential === null ? null : seal(id, credential),
  });
  return { before: input.channel_id === undefined ? null : stateOf(channel), after: await readState(tx, id) };
}

/** Stored apart from the channel, so that a change of the channel does not replace it. */
const isFurther = ({ secret_sealed: sealed }: CredentialRow): boolean => sealed !== null;

/** @throws AppError `invalid_value` for a credential that the channel could not use */
export function refuseOddCredential({ dialects }: UpstreamSettings, credential: string | null): void {
  const faults = Object.values(dialects).map(({ auth }) =>
    credential === null ? null : credentialFault(auth, credential),
  );
  const fault = faults.find((found) => found !== null);
  if (fault !== undefined) {
    throw new AppError("invalid_value", { fields: { credential: fault } });
  }
}

/** Anyone who may change only the address could otherwise have the credential sent to their own host. */
export function credentialNeeded(): AppError {
  return new AppError("secret_required", {
    message: "Enter the credential again: it would be sent to another host.",
    fields: { credential: "Enter the credential again, or remove it." },
  });
}

/** Enables or disables channels. @throws AppError `not_found`, `conflict` for a channel of an exit node */
export async function switchChannels(
  tx: Transaction,
  ids: readonly bigint[],
  status: SwitchStatus,
): Promise<readonly Saved[]> {
  const saved: Saved[] = [];
  // Locks the channels in a fixed order, so that two admins who switch the same channels do not deadlock.
  for (const id of [...new Set(ids)].sort((a, b) => (a < b ? -1 : 1))) {
    const channel = await lockOwn(tx, id as ChannelId);
    if (channel.status !== status) {
      await changeChannel(tx, channel.id, { ...channel, status });
      saved.push({ before: stateOf(channel), after: await readState(tx, channel.id) });
    }
  }
  return saved;
}

async function makeChannel(tx: Transaction, input: SaveChannelInput): Promise<ChannelEntry> {
  if (input.name === undefined || input.upstream === undefined) {
    const field = input.name === undefined ? "name" : "upstream";
    throw new AppError("invalid_value", { fields: { [field]: "Required for a new channel." } });
  }
  const id = await insertChannel(tx, input.name, input.upstream);
  const made = id === null ? null : await findChannel(tx, id);
  if (made === null) {
    throw nameTaken();
  }
  return made;
}

/** The channel, checked to be the version that the admin saw. */
async function readChannel(tx: Transaction, input: SaveChannelInput): Promise<ChannelEntry> {
  const channel = await lockOwn(tx, (input.channel_id ?? 0n) as ChannelId);
  if (input.updated_at === undefined || Date.parse(input.updated_at) !== channel.updatedAt.getTime()) {
    throw new AppError("conflict");
  }
  return channel;
}

/** Locks a channel that is not managed by an exit node. */
export async function lockOwn(tx: Transaction, id: ChannelId): Promise<ChannelEntry> {
  const channel = await lockChannel(tx, id);
  if (channel === null) {
    throw notFound("channel");
  }
  refuseArchived("channel", channel);
  if (channel.exitNodeCode !== null) {
    throw new AppError("conflict", { message: `This channel is managed by exit node ${channel.exitNodeCode}.` });
  }
  return channel;
}

async function changeChannel(tx: Transaction, id: ChannelId, to: ChannelSettings): Promise<void> {
  try {
    await tx.savepoint(() => updateChannel(tx, id, to));
  } catch (error) {
    if (isUniqueViolation(error)) {
      throw nameTaken(error);
    }
    throw error;
  }
}

function nameTaken(cause?: unknown): AppError {
  const message = "Another channel already has this name.";
  return new AppError("conflict", { message, fields: { name: message }, cause });
}

async function readState(tx: Transaction, id: ChannelId): Promise<ChannelState> {
  const channel = await findChannel(tx, id);
  if (channel === null) {
    throw new Error(`channel ${id} is missing after it was saved`);
  }
  return stateOf(channel);
}

const kept = <Value>(given: Value | undefined, old: Value): Value => (given === undefined ? old : given);

/** Programs and people read spaces, backslashes and similar characters differently. */
const plainAddress = /^[\x21-\x5b\x5d-\x7e]+$/;

function refuseOddAddress(baseUrl: string, field: string): void {
  if (originOf(baseUrl) === null || !plainAddress.test(baseUrl)) {
    throw new AppError("invalid_value", {
      fields: { [field]: "Enter http(s)://host[:port][/path], without user, query or fragment." },
    });
  }
  const { hostname, port } = parseBaseUrl(baseUrl);
  if (isNoServerAddress(hostname) || port === 0) {
    throw new AppError("invalid_value", { fields: { [field]: "No provider can be at this address." } });
  }
}

/**
 * Refuses a new address whose host resolves to a forbidden address, or not at all. Connections are checked again when
 * they are made: this check shows the problem to someone who can fix it. A channel's existing address never blocks other
 * changes, such as disabling the channel while its name can't be resolved.
 * @param guard null if every server of the network may be called
 * @throws AppError `invalid_value`
 */
export async function checkAddresses(
  db: Queryable,
  { upstream, channel_id: id }: Pick<SaveChannelInput, "upstream" | "channel_id">,
  guard: AddressGuard | null,
): Promise<void> {
  if (upstream === undefined) {
    return;
  }
  const stored = id === undefined ? null : await findChannel(db, id as ChannelId);
  const known = new Set(stored === null ? [] : addressesOf(stored.upstream));
  for (const [dialect, { base_url: baseUrl }] of Object.entries(upstream.dialects)) {
    const field = `upstream.dialects.${dialect}.base_url`;
    refuseOddAddress(baseUrl, field);
    if (!known.has(baseUrl)) {
      await checkAddress(baseUrl, field, guard);
    }
  }
}

async function checkAddress(baseUrl: string, field: string, guard: AddressGuard | null): Promise<void> {
  try {
    await guard?.addressesOf(parseBaseUrl(baseUrl));
  } catch (error) {
    if (error instanceof HttpClientError) {
      throw new AppError("invalid_value", { fields: { [field]: error.message }, cause: error });
    }
    throw error;
  }
}

function addressesOf({ dialects }: UpstreamSettings): string[] {
  return Object.values(dialects).map(({ base_url: baseUrl }) => baseUrl);
}

/**
 * Whether the credential would be sent to a host that does not have it yet. A host that gets tokens or signatures has
 * not seen the credential that they are made from.
 */
export function goesElsewhere(from: UpstreamSettings, to: UpstreamSettings): boolean {
  const known = new Set(showingsOf(from));
  return showingsOf(to).some((showing) => !known.has(showing));
}

/** Who gets the credential as it is, and who gets what is made from it. */
function showingsOf({ dialects }: UpstreamSettings): string[] {
  return Object.values(dialects)
    .filter(({ auth }) => auth !== "none")
    .map(({ base_url: baseUrl, auth }) => `${isMinted(auth) ? "made" : "shown"} ${originOf(baseUrl)}`);
}

/** The host that calls would go to; null for an invalid address. */
function originOf(baseUrl: string): string | null {
  try {
    const { protocol, hostname, port } = parseBaseUrl(baseUrl);
    return `${protocol}//${hostname}:${port}`;
  } catch {
    return null;
  }
}

function stateOf(channel: ChannelEntry) {
  return {
    channel_id: channel.id as bigint,
    name: channel.name,
    upstream: channel.upstream,
    has_credential: channel.credentialSealed !== null,
    status: channel.status,
    requests_per_minute: channel.requestsPerMinute,
    concurrency_max: channel.concurrencyMax,
    first_byte_timeout_ms: channel.firstByteTimeoutMs,
    idle_timeout_ms: channel.idleTimeoutMs,
    pass_through_paths: [...channel.passThroughPaths],
    probe_minutes: channel.probeMinutes,
    probe_model: channel.probeModel,
    updated_at: channel.updatedAt,
  };
}
