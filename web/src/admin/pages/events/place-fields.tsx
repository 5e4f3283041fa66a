import type { TargetKind } from "@sluice/contracts/event-types";
import { type JSX, Match, Switch } from "solid-js";
import type { Form } from "../../../form/create-form.ts";
import { TextField } from "../../../kit/field.tsx";
import { t } from "../../translate.ts";

export type PlaceValues = {
  readonly url: string;
  readonly to: string;
  readonly bot_token: string;
  readonly chat_id: string;
  readonly server: string;
  readonly signing_secret: string;
};

export const noPlace: PlaceValues = { url: "", to: "", bot_token: "", chat_id: "", server: "", signing_secret: "" };

/** What is sent for a kind; optional fields stay away when they are empty. */
export function placeOf(kind: TargetKind, values: PlaceValues): object {
  const optional = (name: "server" | "signing_secret"): object =>
    values[name].trim() === "" ? {} : { [name]: values[name].trim() };
  switch (kind) {
    case "mail":
      return { kind, to: values.to.trim() };
    case "telegram":
      return { kind, bot_token: values.bot_token.trim(), chat_id: values.chat_id.trim(), ...optional("server") };
    case "feishu":
      return { kind, url: values.url.trim(), ...optional("signing_secret") };
    default:
      return { kind, url: values.url.trim() };
  }
}

/** The fields that say where a target of this kind is. */
export function PlaceFields<Values extends PlaceValues & Readonly<Record<string, unknown>>>(props: {
  readonly kind: TargetKind;
  readonly form: Form<Values>;
}): JSX.Element {
  const { form } = props;
  return (
    <Switch>
      <Match when={props.kind === "mail"}>
        <TextField label={t("Mailbox")} type="email" autocomplete="off" maxlength={254} {...form.text("to")} />
      </Match>
      <Match when={props.kind === "telegram"}>
        <TextField label={t("Bot token")} type="password" autocomplete="off" {...form.text("bot_token")} />
        <TextField
          label={t("Chat")}
          hint={t("Its number, or @name of a channel.")}
          autocomplete="off"
          {...form.text("chat_id")}
        />
        <TextField
          label={t("Bot API server")}
          optional={t("optional")}
          hint={t("If you run your own.")}
          type="url"
          autocomplete="off"
          {...form.text("server")}
        />
      </Match>
      <Match when={true}>
        <TextField
          label={t("Address")}
          hint={
            props.kind === "webhook"
              ? t("It may be on a private network.")
              : t(
                  "The address of the incoming webhook. It is stored encrypted, because anyone who knows it can post there.",
                )
          }
          type="url"
          autocomplete="off"
          maxlength={1000}
          {...form.text("url")}
        />
        <Switch>
          <Match when={props.kind === "feishu"}>
            <TextField
              label={t("Signing secret")}
              optional={t("optional")}
              hint={t("If the bot checks signatures.")}
              type="password"
              autocomplete="off"
              {...form.text("signing_secret")}
            />
          </Match>
        </Switch>
      </Match>
    </Switch>
  );
}
