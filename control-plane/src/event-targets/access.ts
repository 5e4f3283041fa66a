import type { OperatorPlace } from "@sluice/contracts/event-targets";
import type { MasterKey } from "../platform/crypto/master-key.ts";
import { open, seal, sealContext } from "../platform/crypto/seal.ts";
import type { SealedColumn } from "../platform/crypto/sealed-column.ts";

/** What is needed to reach a target. */
export type TargetAccess =
  | {
      readonly kind: "webhook";
      readonly url: string;
      /** `whsec_` and the key in base64. */
      readonly secret: string;
      /** The secret before the last rotation; whether it still signs is in the row of the target. */
      readonly oldSecret: string | null;
    }
  | { readonly kind: "mail"; readonly to: string }
  | { readonly kind: "slack" | "discord"; readonly url: string }
  | { readonly kind: "telegram"; readonly botToken: string; readonly chatId: string; readonly server: string }
  | { readonly kind: "feishu"; readonly url: string; readonly signingSecret: string | null };

const telegramServer = "https://api.telegram.org";

/** @param secrets of a webhook: new ones, or those that it has */
export function accessOf(
  place: OperatorPlace,
  secrets: { readonly secret: string; readonly oldSecret: string | null },
): TargetAccess {
  switch (place.kind) {
    case "webhook":
      return { kind: place.kind, url: place.url, ...secrets };
    case "mail":
      return place;
    case "slack":
    case "discord":
      return place;
    case "telegram": {
      const server = (place.server ?? telegramServer).replace(/\/+$/, "");
      return { kind: place.kind, botToken: place.bot_token, chatId: place.chat_id, server };
    }
    case "feishu":
      return { kind: place.kind, url: place.url, signingSecret: place.signing_secret ?? null };
  }
}

const tailLength = 4;

/** What may be shown of it: the addresses of chats are secrets, because anyone who knows them can write there. */
export function shownPlace(access: TargetAccess): string {
  switch (access.kind) {
    case "webhook":
      return access.url;
    case "mail":
      return access.to;
    case "telegram":
      return `${new URL(access.server).host} ${access.chatId}`;
    default:
      return `${new URL(access.url).host}/…${access.url.slice(-tailLength)}`;
  }
}

/** The texts that must appear in no log. */
export function secretsOf(access: TargetAccess): string[] {
  switch (access.kind) {
    case "webhook":
      return [access.secret, ...(access.oldSecret === null ? [] : [access.oldSecret])];
    case "mail":
      return [];
    case "telegram":
      return [access.botToken];
    case "feishu":
      return [access.url, ...(access.signingSecret === null ? [] : [access.signingSecret])];
    default:
      return [access.url];
  }
}

/** A random secret for signatures of a webhook. */
export function newSigningSecret(): string {
  return `whsec_${Buffer.from(crypto.getRandomValues(new Uint8Array(32))).toString("base64")}`;
}

const contextOf = (sealName: string): string =>
  sealContext({ table: "event_target", column: "access_sealed", row: sealName, owner: "operator" });

export const targetSealedColumns: readonly SealedColumn[] = [
  {
    table: "event_target",
    column: "access_sealed",
    key: ["seal_name"],
    isSmall: false,
    contextOf: ([sealName]) => contextOf(sealName ?? ""),
  },
];

export function sealAccess(masterKey: MasterKey, sealName: string, access: TargetAccess): Uint8Array {
  return seal(masterKey.sealing, Buffer.from(JSON.stringify(access), "utf8"), contextOf(sealName));
}

/** @throws MalformedSealError, UnknownSealingKeyError, BrokenSealError */
export function openAccess(masterKey: MasterKey, sealName: string, sealed: Uint8Array): TargetAccess {
  const text = Buffer.from(open(masterKey.opening, sealed, contextOf(sealName))).toString("utf8");
  return JSON.parse(text) as TargetAccess;
}
