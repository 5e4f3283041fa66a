import type { JSX } from "solid-js";
import type { Form } from "../../../form/create-form.ts";
import { TextField } from "../../../kit/field.tsx";
import { FieldRow } from "../../parts/form-parts.tsx";
import { t } from "../../translate.ts";

/** How often a channel is tested by itself, and with which model. */
type ProbeFieldsOf = Pick<Form<{ readonly probe_minutes: string; readonly probe_model: string }>, "text">;

export function ProbeFields(props: { readonly form: ProbeFieldsOf }): JSX.Element {
  return (
    <FieldRow>
      <TextField
        label={t("Test every, minutes")}
        hint={t(
          "From 1 to 60. A test is a call of a few tokens: the provider bills it, no customer pays. After three failures in a row, the channel gets no calls until a test succeeds.",
        )}
        optional={t("never")}
        inputmode="numeric"
        {...props.form.text("probe_minutes")}
      />
      <TextField
        label={t("Model of the tests")}
        hint={t("Choose a cheap one.")}
        optional={t("the first that it serves")}
        spellcheck={false}
        {...props.form.text("probe_model")}
      />
    </FieldRow>
  );
}
