import { For, type JSX, Show } from "solid-js";
import type { Form } from "../../../form/create-form.ts";
import { Checkbox, SelectField, TextArea, TextField } from "../../../kit/field.tsx";
import { resetPeriods } from "../../parts/reset-periods.ts";
import type { KeyValues } from "./key-fields.ts";
import { keysArea } from "./messages/messages.ts";

/** What a key may use. */
export function LimitFields(props: { readonly form: Form<KeyValues> }): JSX.Element {
  const texts = keysArea.texts();
  const { form } = props;
  return (
    <>
      <p class="muted">{texts.limitsHint}</p>
      <TextField
        label={texts.budget}
        hint={texts.budgetHint}
        optional={texts.optional}
        inputmode="decimal"
        {...form.text("quota_limit")}
      />
      <Show when={form.values().quota_limit !== ""}>
        <SelectField
          label={texts.period}
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
      <TextArea
        label={texts.models}
        hint={texts.modelsHint}
        optional={texts.optional}
        spellcheck={false}
        {...form.text("allowed_models")}
      />
      <TextField
        label={texts.expiry}
        hint={texts.expiryHint}
        optional={texts.optional}
        type="date"
        {...form.text("expires_at")}
      />
      <TextArea
        label={texts.addresses}
        hint={texts.addressesHint}
        optional={texts.optional}
        spellcheck={false}
        {...form.text("allowed_ips")}
      />
      <TextField
        label={texts.perMinute}
        optional={texts.optional}
        inputmode="numeric"
        {...form.text("requests_per_minute")}
      />
      <TextField
        label={texts.tokensPerMinute}
        optional={texts.optional}
        inputmode="numeric"
        {...form.text("tokens_per_minute")}
      />
      <TextField label={texts.atOnce} optional={texts.optional} inputmode="numeric" {...form.text("concurrency_max")} />
      <Checkbox label={texts.traced} {...form.flag("is_payload_traced")} />
    </>
  );
}
