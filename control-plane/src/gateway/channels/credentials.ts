import type { ChannelId, CredentialId } from "@sluice/contracts/ids";
import type { MasterKey } from "../../platform/crypto/master-key.ts";
import { open, seal, sealContext } from "../../platform/crypto/seal.ts";
import type { SealedColumn } from "../../platform/crypto/sealed-column.ts";

const credentialContext = (id: ChannelId | string) =>
  sealContext({ table: "channel", column: "credential_sealed", row: id, owner: "operator" });

const furtherContext = (id: CredentialId | string) =>
  sealContext({ table: "channel_credential", column: "secret_sealed", row: id, owner: "operator" });

export const channelSealedColumns: readonly SealedColumn[] = [
  {
    table: "channel_credential",
    column: "secret_sealed",
    key: ["id"],
    isSmall: true,
    contextOf: ([id]) => furtherContext(id ?? ""),
  },
  {
    table: "channel",
    column: "credential_sealed",
    key: ["id"],
    isSmall: true,
    contextOf: ([id]) => credentialContext(id ?? ""),
  },
];

/** Decrypts the credential of a channel itself. @throws SealError */
export function openChannelCredential(key: MasterKey, id: ChannelId, sealed: Uint8Array): string {
  return Buffer.from(open(key.opening, sealed, credentialContext(id))).toString("utf8");
}

/** Encrypts the credential of a channel itself, bound to its row. */
export function sealChannelCredential(key: MasterKey, id: ChannelId, credential: string): Uint8Array {
  return seal(key.sealing, Buffer.from(credential), credentialContext(id));
}

/** Decrypts a further credential of a channel. @throws SealError */
export function openFurtherCredential(key: MasterKey, id: CredentialId, sealed: Uint8Array): string {
  return Buffer.from(open(key.opening, sealed, furtherContext(id))).toString("utf8");
}

/** Encrypts a further credential of a channel, bound to its row. */
export function sealFurtherCredential(key: MasterKey, id: CredentialId, credential: string): Uint8Array {
  return seal(key.sealing, Buffer.from(credential), furtherContext(id));
}
