import { createHmac } from "node:crypto";
import type { TargetAccess } from "../access.ts";
import { describeEvent, type EventText, type SentEvent } from "./describe-event.ts";

/** What is posted to a target. */
export type Message = {
  readonly url: string;
  readonly headers: readonly (readonly [name: string, value: string])[];
  readonly body: string;
};

type Posted = Exclude<TargetAccess, { readonly kind: "mail" }>;

export type Writing = {
  /** The time of this attempt. */
  readonly now: Date;
  /** The name of the service, which begins messages to people. */
  readonly service: string;
  /** Whether the secret before the last rotation signs too. */
  readonly isOldSecretValid: boolean;
};

export function writeMessage(access: Posted, event: SentEvent, writing: Writing): Message {
  switch (access.kind) {
    case "webhook":
      return signedMessage(access, event, writing);
    case "slack":
      return toJson(access.url, { text: chatText(event, writing, slackEscape, (title) => `*${title}*`) });
    case "discord": {
      const content = chatText(event, writing, discordEscape, (title) => `**${title}**`);
      return toJson(withWait(access.url), { content, allowed_mentions: { parse: [] } });
    }
    case "telegram":
      return toJson(`${access.server}/bot${access.botToken}/sendMessage`, {
        chat_id: access.chatId,
        text: chatText(event, writing, htmlEscape, (title) => `<b>${title}</b>`),
        parse_mode: "HTML",
        link_preview_options: { is_disabled: true },
      });
    case "feishu":
      return feishuMessage(
        access,
        chatText(event, writing, withoutTags, (title) => title),
        writing,
      );
  }
}

/** The same for every attempt and every target of one kind, so that a receiver recognises repetitions. */
export const eventIdOf = ({ publicId }: Pick<SentEvent, "publicId">): string => `evt_${publicId.replaceAll("-", "")}`;

/** The body that webhooks get. The account's number is for operators: a customer has only one. */
export function webhookBody({ type, occurredAt, data }: SentEvent, extra: { readonly userId: bigint | null }): string {
  const account = extra.userId === null ? {} : { user_id: extra.userId.toString() };
  return JSON.stringify({ type, timestamp: occurredAt.toISOString(), data: { ...data, ...account } });
}

function signedMessage(
  { url, secret, oldSecret }: Extract<TargetAccess, { readonly kind: "webhook" }>,
  event: SentEvent,
  { now, isOldSecretValid }: Writing,
): Message {
  const id = eventIdOf(event);
  const timestamp = Math.floor(now.getTime() / 1_000).toString();
  const body = webhookBody(event, event);
  const secrets = [secret, ...(oldSecret !== null && isOldSecretValid ? [oldSecret] : [])];
  const signatures = secrets.map((each) => `v1,${signatureOf(each, `${id}.${timestamp}.${body}`)}`);
  return {
    url,
    headers: [
      ["content-type", "application/json"],
      ["webhook-id", id],
      ["webhook-timestamp", timestamp],
      ["webhook-signature", signatures.join(" ")],
    ],
    body,
  };
}

/** As Standard Webhooks wants it: the part after `whsec_` is the key in base64. */
function signatureOf(secret: string, text: string): string {
  const key = Buffer.from(secret.slice("whsec_".length), "base64");
  return createHmac("sha256", key).update(text, "utf8").digest("base64");
}

function feishuMessage(
  { url, signingSecret }: Extract<TargetAccess, { readonly kind: "feishu" }>,
  text: string,
  { now }: Writing,
): Message {
  const message = { msg_type: "text", content: { text } };
  if (signingSecret === null) {
    return toJson(url, message);
  }
  // The signed text is the key, and what it signs is empty.
  const timestamp = Math.floor(now.getTime() / 1_000).toString();
  const sign = createHmac("sha256", `${timestamp}\n${signingSecret}`).update("").digest("base64");
  return toJson(url, { timestamp, sign, ...message });
}

/** Below the limits of all of them, also when every character is escaped. */
const textLengthMax = 200;

function chatText(
  event: SentEvent,
  { service }: Writing,
  toSafe: (text: string) => string,
  emphasize: (title: string) => string,
): string {
  const { title, lines }: EventText = describeEvent(event);
  const cut = (text: string): string => toSafe(text.slice(0, textLengthMax).toWellFormed());
  return [emphasize(cut(`${service}: ${title}`)), ...lines.map(cut)].join("\n");
}

const slackEscape = (text: string): string =>
  text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");

const htmlEscape = slackEscape;

/** Signs that Discord reads as formatting, mentions or links. */
const discordEscape = (text: string): string => text.replaceAll(/[\\*_~`|>#[\]()<@:-]/g, "\\$&");

/** A text of Feishu can mention everyone with a tag, and knows no escape for it. */
const withoutTags = (text: string): string => text.replaceAll("<", "‹").replaceAll(">", "›");

/** With this, Discord answers only once it has the message, and says what is wrong with it. */
function withWait(address: string): string {
  const url = new URL(address);
  url.searchParams.set("wait", "true");
  return url.href;
}

const toJson = (url: string, body: object): Message => ({
  url,
  headers: [["content-type", "application/json"]],
  body: JSON.stringify(body),
});
