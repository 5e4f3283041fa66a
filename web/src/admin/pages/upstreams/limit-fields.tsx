import type { JSX } from "solid-js";
import type { Form } from "../../../form/create-form.ts";
import { TextField } from "../../../kit/field.tsx";
import { FieldRow } from "../../parts/form-parts.tsx";

type Limits = {
  readonly concurrency_max: string;
  readonly requests_per_minute: string;
  readonly first_byte_timeout_ms: string;
  readonly idle_timeout_ms: string;
};

/** How many calls a channel gets, and how long it may be silent. */
export function LimitFields(props: { readonly form: Pick<Form<Limits>, "text"> }): JSX.Element {
  return (
    <>
      <FieldRow>
        <TextField
          label="Concurrent calls"
          optional="no limit"
          inputmode="numeric"
          {...props.form.text("concurrency_max")}
        />
        <TextField
          label="Calls per minute"
          optional="no limit"
          inputmode="numeric"
          {...props.form.text("requests_per_minute")}
        />
      </FieldRow>
      <FieldRow>
        <TextField
          label="First-byte timeout, ms"
          hint="Then the next channel is tried. The default is 25 s to a minute, longer for long prompts and outputs."
          optional="default"
          inputmode="numeric"
          {...props.form.text("first_byte_timeout_ms")}
        />
        <TextField
          label="Idle timeout, ms"
          hint="Between two packets of a response. Raise it for models that think for a long time."
          optional="default"
          inputmode="numeric"
          {...props.form.text("idle_timeout_ms")}
        />
      </FieldRow>
    </>
  );
}
