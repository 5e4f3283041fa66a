import type { JSX } from "solid-js";
import { ApiError } from "../api/client.ts";
import { createForm } from "../form/create-form.ts";
import { Button } from "../kit/button.tsx";
import { Card } from "../kit/card.tsx";
import { Checkbox, SelectField, Switch, TextArea, TextField } from "../kit/field.tsx";
import { ErrorState } from "../kit/states.tsx";

/** Sending this form shows how a refusal of the backend looks. */
export function KitForms(): JSX.Element {
  const form = createForm({
    initial: { name: "", limit: "", reason: "", isTraced: true },
    check: ({ name }) => (name === "" ? { name: "A name helps to tell keys apart." } : {}),
    submit: () =>
      Promise.reject(
        new ApiError({
          code: "invalid_value",
          message: "Some values can't be used.",
          status: 400,
          requestId: "0193-5c7e-7d2b",
          fields: { limit: "US dollars with at most two places, like 9.90" },
        }),
      ),
  });
  return (
    <Card title="Form">
      <form class="form" onSubmit={form.onSubmit} noValidate>
        {form.problem() === null ? null : <ErrorState error={form.problem()} />}
        <TextField label="Name" hint="One for each tool." autocomplete="off" {...form.text("name")} />
        <TextField label="Limit, USD" optional="optional" inputmode="decimal" {...form.text("limit")} />
        <SelectField label="Starts again" name="period">
          <option>never</option>
          <option>daily</option>
          <option>monthly</option>
        </SelectField>
        <TextArea label="Reason" {...form.text("reason")} />
        <Checkbox
          label="Keep payloads of its calls"
          hint="They are sealed, and gone after a week."
          {...form.flag("isTraced")}
        />
        <Switch label="Enabled" checked />
        <div class="form-actions">
          <Button type="submit" variant="primary" isBusy={form.isSubmitting()}>
            Create key
          </Button>
        </div>
      </form>
    </Card>
  );
}
