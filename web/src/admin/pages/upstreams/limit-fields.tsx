import type { JSX } from "solid-js";
import type { Form } from "../../../form/create-form.ts";
import { TextField } from "../../../kit/field.tsx";
import { FieldRow } from "../../parts/form-parts.tsx";
import { t } from "../../translate.ts";

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
          label={t("Concurrent calls")}
          optional={t("no limit")}
          inputmode="numeric"
          {...props.form.text("concurrency_max")}
        />
        <TextField
          label={t("Calls per minute")}
          optional={t("no limit")}
          inputmode="numeric"
          {...props.form.text("requests_per_minute")}
        />
      </FieldRow>
      <FieldRow>
        <TextField
          label={t("First-byte timeout, ms")}
          hint={t(
            "Then the next channel is tried. The default is 25 s to a minute, longer for long prompts and outputs.",
          )}
          optional={t("default")}
          inputmode="numeric"
          {...props.form.text("first_byte_timeout_ms")}
        />
        <TextField
          label={t("Idle timeout, ms")}
          hint={t("Between two packets of a response. Raise it for models that think for a long time.")}
          optional={t("default")}
          inputmode="numeric"
          {...props.form.text("idle_timeout_ms")}
        />
      </FieldRow>
    </>
  );
}
