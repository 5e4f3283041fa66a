import type { JSX } from "solid-js";
import type { Form } from "../../../form/create-form.ts";
import { TextField } from "../../../kit/field.tsx";
import { FieldRow } from "../../parts/form-parts.tsx";

/** How often a channel is tested by itself, and with which model. */
type ProbeFieldsOf = Pick<Form<{ readonly probe_minutes: string; readonly probe_model: string }>, "text">;

export function ProbeFields(props: { readonly form: ProbeFieldsOf }): JSX.Element {
  return (
    <FieldRow>
      <TextField
        label="Test every, minutes"
        hint="From 1 to 60. A test is a call of a few tokens: the provider bills it, no customer pays. After three failures in a row, the channel gets no calls until a test succeeds."
        optional="never"
        inputmode="numeric"
        {...props.form.text("probe_minutes")}
      />
      <TextField
        label="Model of the tests"
        hint="Choose a cheap one."
        optional="the first that it serves"
        spellcheck={false}
        {...props.form.text("probe_model")}
      />
    </FieldRow>
  );
}
