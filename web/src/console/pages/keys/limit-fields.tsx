import { type KeyField, keyFields, resetPeriods } from "@sluice/contracts/key-fields";
import { For, type JSX, Show } from "solid-js";
import type { Form } from "../../../form/create-form.ts";
import { Checkbox, SelectField, TextArea, TextField } from "../../../kit/field.tsx";
import { fieldTexts, type KeyValues } from "./key-fields.ts";
import { keysArea } from "./messages/messages.ts";

type LimitProps = { readonly form: Form<KeyValues>; readonly field: KeyField };

/** What a key may use: every field but its name. */
export function LimitFields(props: { readonly form: Form<KeyValues> }): JSX.Element {
  const texts = keysArea.texts();
  return (
    <>
      <p class="muted">{texts.limitsHint}</p>
      <For each={keyFields.filter(({ kind }) => kind !== "name")}>
        {(field) => <LimitField form={props.form} field={field} />}
      </For>
    </>
  );
}

function LimitField({ form, field: { name, kind } }: LimitProps): JSX.Element {
  const texts = keysArea.texts();
  const { label, hint } = fieldTexts(texts)[name];
  const shared = { label, optional: texts.optional, ...(hint === undefined ? {} : { hint }) };
  switch (kind) {
    case "period":
      return <PeriodField form={form} label={label} />;
    case "flag":
      return <Checkbox label={label} {...form.flag(name)} />;
    case "models":
    case "addresses":
      return <TextArea {...shared} spellcheck={false} {...form.text(name)} />;
    case "moment":
      return <TextField {...shared} type="date" {...form.text(name)} />;
    default:
      return <TextField {...shared} inputmode={kind === "quota" ? "decimal" : "numeric"} {...form.text(name)} />;
  }
}

/** Only a budget can have a period. */
function PeriodField(props: { readonly form: Form<KeyValues>; readonly label: string }): JSX.Element {
  const texts = keysArea.texts();
  const { form } = props;
  return (
    <Show when={form.values().quota_limit !== ""}>
      <SelectField
        label={props.label}
        value={form.values().reset_period}
        onChange={(event) => {
          const chosen = resetPeriods.find((period) => period === event.currentTarget.value);
          form.set("reset_period", chosen ?? "none");
        }}
      >
        <For each={resetPeriods}>
          {(period) => (
            <option value={period} selected={form.values().reset_period === period}>
              {texts.periodNames[period]}
            </option>
          )}
        </For>
      </SelectField>
    </Show>
  );
}
