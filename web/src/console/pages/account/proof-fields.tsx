import { type JSX, Show } from "solid-js";
import type { Form } from "../../../form/create-form.ts";
import { TextField } from "../../../kit/field.tsx";
import { accountArea } from "./messages/messages.ts";
import type { User } from "./user.ts";

type TextAttributes = ReturnType<Form<Readonly<Record<string, unknown>>>["text"]>;

/** With what the owner of the account confirms a change: nothing, where a login of the last minutes is enough. */
export function ProofFields(props: {
  readonly user: User;
  readonly password: TextAttributes;
  readonly code: TextAttributes;
}): JSX.Element {
  const texts = accountArea.texts();
  return (
    <Show when={props.user.has_password}>
      <TextField label={texts.current} type="password" autocomplete="current-password" {...props.password} />
      <Show when={props.user.has_totp}>
        <TextField label={texts.codeOrRecovery} autocomplete="one-time-code" {...props.code} />
      </Show>
    </Show>
  );
}

/** What of it is sent. */
export function proofOf({ password, code }: { readonly password: string; readonly code: string }): {
  readonly password?: string;
  readonly code?: string;
} {
  return { ...(password === "" ? {} : { password }), ...(code.trim() === "" ? {} : { code }) };
}
