import type { invoiceTermsResponse } from "@sluice/contracts/invoices";
import { Index, type JSX, Show } from "solid-js";
import { apiPost } from "../../../api/client.ts";
import { createForm, type Form } from "../../../form/create-form.ts";
import { Button } from "../../../kit/button.tsx";
import { Checkbox, Switch, TextArea, TextField } from "../../../kit/field.tsx";
import { Icon } from "../../../kit/icon.tsx";
import { Notice } from "../../../kit/states.tsx";
import { showToast } from "../../../kit/toast.tsx";
import { useRefresh } from "../../parts/actions.ts";
import { ChoiceField } from "../../parts/choice-field.tsx";
import { AdminForm, FieldRow } from "../../parts/form-parts.tsx";
import { rich, t } from "../../translate.ts";
import { type Terms, termsPath } from "./invoice.ts";

type Rule = Terms["tax_rules"][number];
type Values = Omit<Terms, "version" | "saved_by" | "saved_at">;

const none: Values = {
  is_on: true,
  seller_name: "",
  seller_address: "",
  seller_country: "",
  seller_tax_id: "",
  seller_email: "",
  invoice_prefix: "INV",
  credit_prefix: "CN",
  tax_name: "VAT",
  tax_mode: "inclusive",
  tax_rate: "0",
  tax_rules: [],
  note: "",
};

/** What new invoices say, and how new orders are taxed. */
export function TermsForm(props: { readonly terms: Terms | null; readonly onDone: () => void }): JSX.Element {
  const refresh = useRefresh(termsPath);
  const {
    version,
    saved_by: _by,
    saved_at: _at,
    ...known
  } = props.terms ?? { ...none, version: 0, saved_by: "", saved_at: "" };
  const form = createForm<Values>({
    initial: known,
    body: (values) => ({ ...values, version: Number(version) }),
    submit: async (_, body) => {
      await apiPost<typeof invoiceTermsResponse>(`${termsPath}save/`, body);
      await refresh();
      showToast(t("Saved. New orders are invoiced on these terms."));
      props.onDone();
    },
  });
  return (
    <AdminForm form={form} operation="/backend/admin/invoice/terms/save/" action={t("Save")} onCancel={props.onDone}>
      <Switch label={t("Issue invoices for new orders")} {...form.flag("is_on")} />
      <FieldRow>
        <TextField label={t("Seller")} autocomplete="organization" {...form.text("seller_name")} />
        <TextField label={t("Tax ID")} optional={t("optional")} autocomplete="off" {...form.text("seller_tax_id")} />
      </FieldRow>
      <TextArea label={t("Address")} rows={3} {...form.text("seller_address")} />
      <FieldRow>
        <TextField
          label={t("Country")}
          maxlength={2}
          hint={t("Two letters, such as DE.")}
          {...form.text("seller_country")}
        />
        <TextField label={t("E-mail")} optional={t("optional")} type="email" {...form.text("seller_email")} />
      </FieldRow>
      <FieldRow>
        <TextField
          label={t("Prefix of invoices")}
          hint={t("A number looks like INV-2026-000001. A new prefix begins a new range.")}
          {...form.text("invoice_prefix")}
        />
        <TextField label={t("Prefix of credit notes")} {...form.text("credit_prefix")} />
      </FieldRow>
      <FieldRow>
        <TextField label={t("Name of the tax")} {...form.text("tax_name")} />
        <TextField label={t("Rate, percent")} inputmode="decimal" {...form.text("tax_rate")} />
        <ChoiceField
          label={t("Prices")}
          options={[
            { value: "inclusive", label: t("include the tax") },
            { value: "exclusive", label: t("have the tax added") },
          ]}
          {...form.text("tax_mode")}
        />
      </FieldRow>
      <TaxRules form={form} />
      <TextArea label={t("Note on each invoice")} optional={t("optional")} rows={2} {...form.text("note")} />
      <Notice tone="info">
        {t(
          "The tax is rounded half up to the cent, once per document. Orders that are waiting for payment keep the rate they were placed with.",
        )}
      </Notice>
    </AdminForm>
  );
}

/** Rates of some buyers: the first rule that fits decides. */
function TaxRules(props: { readonly form: Form<Values> }): JSX.Element {
  const rules = (): readonly Rule[] => props.form.values().tax_rules;
  const change = (at: number, to: Partial<Rule>): void =>
    props.form.set(
      "tax_rules",
      rules().map((rule, index) => (index === at ? { ...rule, ...to } : rule)),
    );
  return (
    <fieldset class="field-group">
      <legend>{t("Other rates")}</legend>
      <p class="muted">
        {t(
          "The first rule that fits the buyer decides. Of VAT numbers of the EU, the United Kingdom, Norway and Switzerland the check digits are checked, not whether they are registered; of other tax IDs only the form.",
        )}
      </p>
      <Index each={rules()}>
        {(rule, at) => (
          <FieldRow>
            <TextField
              label={t("Country")}
              hint={t("* for all")}
              maxlength={2}
              value={rule().country}
              onInput={(event) => change(at, { country: event.currentTarget.value })}
            />
            <TextField
              label={t("Rate, percent")}
              inputmode="decimal"
              value={rule().rate}
              onInput={(event) => change(at, { rate: event.currentTarget.value })}
            />
            <TextField
              label={t("Printed note")}
              optional={t("optional")}
              value={rule().note}
              onInput={(event) => change(at, { note: event.currentTarget.value })}
            />
            <Checkbox
              label={t("Only with a tax ID")}
              checked={rule().has_tax_id}
              onChange={(event) => change(at, { has_tax_id: event.currentTarget.checked })}
            />
            <Button
              onClick={() =>
                props.form.set(
                  "tax_rules",
                  rules().filter((_, index) => index !== at),
                )
              }
            >
              {rich("Remove rule {at}", { at: at + 1 })}
            </Button>
          </FieldRow>
        )}
      </Index>
      <Show when={props.form.errorOf("tax_rules")}>{(error) => <Notice tone="bad">{error()}</Notice>}</Show>
      <Button
        onClick={() =>
          props.form.set("tax_rules", [...rules(), { country: "*", has_tax_id: true, rate: "0", note: "" }])
        }
      >
        <Icon name="plus" />
        {t("Add rule")}
      </Button>
    </fieldset>
  );
}
