import type { MasterKey } from "../../platform/crypto/master-key.ts";
import type { Queryable } from "../../platform/db.ts";
import { openChannelCredential, sealChannelCredential } from "./credentials.ts";
import {
  alignExitAbilities,
  type ExitChannelFields,
  insertExitChannel,
  lockExitChannel,
  updateExitChannel,
} from "./exit-channel-store.ts";
import { clearChannelCredential, setChannelCredential } from "./store.ts";

export type ExitChannelSettings = {
  readonly nodeCode: string;
  readonly baseUrl: string;
  /** Connections go to this address, whatever the name in `baseUrl` says. */
  readonly address: string;
  /** While this is false, the channel gets no credential, and loses its current one. */
  readonly isProven: boolean;
  /** Null keeps the stored one. */
  readonly credential: string | null;
  readonly isEnabled: boolean;
};

/**
 * Creates the channel of an exit node, or updates it; writes only what differs. The routes of exit nodes decide which
 * calls may use it.
 */
export async function putExitChannel(tx: Queryable, key: MasterKey, settings: ExitChannelSettings): Promise<void> {
  const { nodeCode, baseUrl, address, credential } = settings;
  const fields: ExitChannelFields = { nodeCode, baseUrl, address, status: settings.isEnabled ? "enabled" : "disabled" };
  const known = await lockExitChannel(tx, nodeCode);
  const id = known?.id ?? (await insertExitChannel(tx, fields));
  const isSame =
    known?.upstream.dialects.chat?.base_url === baseUrl &&
    known.pinned_address === address &&
    known.status === fields.status;
  if (known !== null && !isSame) {
    await updateExitChannel(tx, fields);
  }
  const sealed = known?.credential_sealed ?? null;
  if (!settings.isProven) {
    await (sealed === null ? undefined : clearChannelCredential(tx, id));
  } else if (credential !== null && (sealed === null || openChannelCredential(key, id, sealed) !== credential)) {
    await setChannelCredential(tx, id, sealChannelCredential(key, id, credential));
  }
}

/** Gives the channels of exit nodes an ability for each model that anyone may use there, and for no other. */
export async function refreshExitAbilities(tx: Queryable): Promise<void> {
  await alignExitAbilities(tx);
}
