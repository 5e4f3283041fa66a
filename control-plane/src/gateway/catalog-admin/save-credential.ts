import type { RemoveCredentialInput, SaveCredentialInput } from "@sluice/contracts/catalog-admin";
import type { ChannelId, CredentialId } from "@sluice/contracts/ids";
import type { Transaction } from "../../platform/db.ts";
import { AppError } from "../../platform/errors.ts";
import {
  type CredentialRow,
  deleteCredential,
  insertCredential,
  listCredentials,
  setFurtherSecret,
  updateCredential,
} from "../channels/credential-store.ts";
import { clearChannelCredential, setChannelCredential } from "../channels/store.ts";
import type { ChannelEntry } from "./catalog-admin-store.ts";
import { lockOwn, refuseOddCredential, type SealCredential } from "./save-channel.ts";

/** More than anyone needs, and few enough to look through for each call. */
const credentialsMax = 50;

/** Encrypts the credential of a channel itself, and a further one. */
export type CredentialSeals = {
  readonly sealCredential: SealCredential;
  readonly sealFurtherCredential: (id: CredentialId, credential: string) => Uint8Array;
};

/** A credential in responses and the audit log: never with its secret. */
type CredentialState = ReturnType<typeof stateOf>;
type SavedCredential = { readonly before: CredentialState | null; readonly after: CredentialState };

/**
 * Adds a credential to a channel, or changes one.
 * @throws AppError `not_found`, `invalid_value`, `conflict` for a channel of an exit node or too many credentials
 */
export async function saveCredential(
  tx: Transaction,
  input: SaveCredentialInput,
  seals: CredentialSeals,
): Promise<SavedCredential> {
  const channel = await lockOwn(tx, input.channel_id as ChannelId);
  refuseOddCredential(channel.upstream, input.credential ?? null);
  const known = input.credential_id === undefined ? null : await readCredential(tx, channel.id, input.credential_id);
  const id = await keepSecret(tx, channel, known, { secret: input.credential, seals });
  const old = await readCredential(tx, channel.id, id);
  await updateCredential(tx, id, {
    label: input.label ?? old.label,
    weight: input.weight ?? old.weight,
    status: input.status ?? old.status,
    requests_per_minute: kept(input.requests_per_minute, old.requests_per_minute),
    concurrency_max: kept(input.concurrency_max, old.concurrency_max),
  });
  return {
    before: known === null ? null : stateOf(known),
    after: stateOf(await readCredential(tx, channel.id, id)),
  };
}

/** Removes a credential of a channel. @throws AppError `not_found`, `conflict` for a channel of an exit node */
export async function removeCredential(tx: Transaction, input: RemoveCredentialInput): Promise<CredentialState> {
  const channel = await lockOwn(tx, input.channel_id as ChannelId);
  const known = await readCredential(tx, channel.id, input.credential_id);
  await (known.secret_sealed === null ? clearChannelCredential(tx, channel.id) : deleteCredential(tx, known.id));
  return stateOf(known);
}

type NewSecret = { readonly secret: string | undefined; readonly seals: CredentialSeals };

/** The first credential of a channel is stored with it. */
async function keepSecret(
  tx: Transaction,
  channel: ChannelEntry,
  known: CredentialRow | null,
  { secret, seals }: NewSecret,
): Promise<CredentialId> {
  if (known !== null && secret === undefined) {
    return known.id;
  }
  if (secret === undefined) {
    throw new AppError("invalid_value", { fields: { credential: "Required for a new credential." } });
  }
  if (known !== null && known.secret_sealed !== null) {
    await setFurtherSecret(tx, known.id, seals.sealFurtherCredential(known.id, secret));
    return known.id;
  }
  if (known === null && channel.credentialSealed !== null) {
    if ((await listCredentials(tx, channel.id)).length >= credentialsMax) {
      throw new AppError("conflict", { message: `A channel has at most ${credentialsMax} credentials.` });
    }
    return await insertCredential(tx, channel.id, (id) => seals.sealFurtherCredential(id, secret));
  }
  await setChannelCredential(tx, channel.id, seals.sealCredential(channel.id, secret));
  const own = (await listCredentials(tx, channel.id)).find(({ secret_sealed: sealed }) => sealed === null);
  if (own === undefined) {
    throw new Error(`the credential of channel ${channel.id} has no row`);
  }
  return own.id;
}

async function readCredential(tx: Transaction, channelId: ChannelId, id: bigint): Promise<CredentialRow> {
  const found = (await listCredentials(tx, channelId)).find((row) => row.id === id);
  if (found === undefined) {
    throw new AppError("not_found", { message: "This channel does not have this credential." });
  }
  return found;
}

const kept = <Value>(given: Value | undefined, old: Value): Value => (given === undefined ? old : given);

function stateOf({ id, secret_sealed: _sealed, channel_id: _channel, ...row }: CredentialRow) {
  return { credential_id: id as bigint, ...row };
}
