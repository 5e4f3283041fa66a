import type { JSX } from "solid-js";
import type { Form } from "../../../form/create-form.ts";
import { TextField } from "../../../kit/field.tsx";
import { type Channel, dialectLabels } from "./channel.ts";

const addressDialects = ["chat", "responses", "messages"] as const;
type AddressDialect = (typeof addressDialects)[number];
export type Addresses = Readonly<Record<AddressDialect, string>>;

const hints: Addresses = {
  chat: "Like https://provider.example/v1; for another host, enter the credential again.",
  responses: "The address before /responses, if the provider has it; usually the same.",
  messages: "The address before /v1/messages, if the provider has it.",
};

/** The addresses of a channel, one for each dialect that its provider speaks. */
export function AddressFields(props: { readonly text: Form<Addresses>["text"] }): JSX.Element {
  return addressDialects.map((dialect) => (
    <TextField
      label={dialectLabels[dialect]}
      hint={hints[dialect]}
      optional="optional"
      inputmode="url"
      spellcheck={false}
      {...props.text(dialect)}
    />
  ));
}

export function addressOf(channel: Channel | null, dialect: AddressDialect): string {
  return channel?.upstream.dialects[dialect]?.base_url ?? "";
}

/** The dialects with an address; what else was set about one stays. */
export function dialectsOf(addresses: Addresses, channel: Channel | null) {
  const known = channel?.upstream.dialects ?? {};
  const entered = addressDialects.flatMap((dialect) => {
    const address = addresses[dialect].trim();
    return address === "" ? [] : [[dialect, { ...known[dialect], base_url: address }]];
  });
  const { gemini } = known;
  return { ...Object.fromEntries(entered), ...(gemini === undefined ? {} : { gemini }) };
}
