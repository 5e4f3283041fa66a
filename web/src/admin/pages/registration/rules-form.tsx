import type { savedRegistrationResponse } from "@sluice/contracts/registration";
import { proofBitsMax, registrationModes } from "@sluice/contracts/registration-rules";
import { type JSX, Show } from "solid-js";
import { apiPost } from "../../../api/client.ts";
import { createForm, type Form } from "../../../form/create-form.ts";
import { usdOfQuota } from "../../../i18n/format.ts";
import { quotaOfUsd } from "../../../i18n/quota.ts";
import { TextArea, TextField } from "../../../kit/field.tsx";
import { showToast } from "../../../kit/toast.tsx";
import { useRefresh } from "../../parts/actions.ts";
import { ChoiceField } from "../../parts/choice-field.tsx";
import { AdminForm, FieldRow, ReasonField, reasonFault } from "../../parts/form-parts.tsx";
import { outcomeText } from "../../parts/outcome-text.ts";
import { SecondPersonNotice } from "../../parts/second-person.tsx";
import { t } from "../../translate.ts";
import { modeTexts, type Rules, registrationPath } from "./registration.ts";

const numbers = [
  "credits_per_network_day",
  "credits_per_network",
  "credits_per_device_day",
  "credits_per_device",
  "credits_per_day",
] as const;
type NumberName = (typeof numbers)[number];

type Values = Readonly<Record<NumberName, string>> & {
  readonly mode: string;
  readonly domains: string;
  readonly refused_domains: string;
  readonly proof_bits: string;
  readonly credit_quota: string;
  readonly reason: string;
};

const isCount = (text: string): boolean => /^\d{1,15}$/.test(text.trim());
const domainsOf = (text: string): string[] => text.split(/[\s,;]+/).filter((domain) => domain !== "");

function valuesOf(rules: Rules): Values {
  return {
    mode: rules.mode,
    domains: rules.domains.join("\n"),
    refused_domains: rules.refused_domains.join("\n"),
    proof_bits: String(rules.proof_bits),
    credit_quota: usdOfQuota(rules.credit_quota),
    credits_per_network_day: String(rules.credits_per_network_day),
    credits_per_network: String(rules.credits_per_network),
    credits_per_device_day: String(rules.credits_per_device_day),
    credits_per_device: String(rules.credits_per_device),
    credits_per_day: String(rules.credits_per_day),
    reason: "",
  };
}

function faultsOf(values: Values): Partial<Record<keyof Values, string>> {
  const wrong = numbers.filter((name) => !isCount(values[name]));
  const bits = Number(values.proof_bits);
  return {
    ...Object.fromEntries(wrong.map((name) => [name, t("Enter a whole number.")])),
    ...(quotaOfUsd(values.credit_quota) === null ? { credit_quota: t("Enter an amount in US dollars.") } : {}),
    ...(isCount(values.proof_bits) && bits <= proofBitsMax
      ? {}
      : { proof_bits: t("Enter 0 to {proofBitsMax}.", { proofBitsMax }) }),
    ...(values.mode === "domains" && domainsOf(values.domains).length === 0
      ? { domains: t("Enter at least one domain.") }
      : {}),
    ...reasonFault(values.reason),
  };
}

/** Changes the rules as they were loaded. */
export function RulesForm(props: { readonly rules: Rules; readonly onDone: () => void }): JSX.Element {
  const refresh = useRefresh(registrationPath, "/backend/admin/audit/");
  const form = createForm<Values>({
    initial: valuesOf(props.rules),
    check: faultsOf,
    body: (values) => ({
      mode: values.mode,
      domains: domainsOf(values.domains),
      refused_domains: domainsOf(values.refused_domains),
      proof_bits: Number(values.proof_bits),
      credit_quota: String(quotaOfUsd(values.credit_quota) ?? 0n),
      ...Object.fromEntries(numbers.map((name) => [name, Number(values[name])])),
      reason: values.reason.trim(),
      updated_at: props.rules.updated_at,
    }),
    submit: async (_, body) => {
      const answer = await apiPost<typeof savedRegistrationResponse>(`${registrationPath}save/`, body);
      await refresh();
      showToast(outcomeText(answer, () => t("The rules were saved.")));
      props.onDone();
    },
  });
  return (
    <AdminForm
      form={form}
      operation="/backend/admin/registration/save/"
      action={t("Save rules")}
      onCancel={props.onDone}
    >
      <WhoFields form={form} />
      <CreditFields form={form} />
      <SecondPersonNotice what={t("More credit for new users waits")} />
      <ReasonField form={form} />
    </AdminForm>
  );
}

function WhoFields(props: { readonly form: Form<Values> }): JSX.Element {
  return (
    <>
      <ChoiceField
        label={t("Who may register")}
        options={registrationModes.map((mode) => ({ value: mode, label: modeTexts[mode] }))}
        {...props.form.text("mode")}
      />
      <Show when={props.form.values().mode === "domains"}>
        <TextArea
          label={t("Domains")}
          hint={t("One on each line, such as example.org; *.example.org means every domain below it.")}
          spellcheck={false}
          {...props.form.text("domains")}
        />
      </Show>
      <TextArea
        label={t("Refused domains")}
        optional={t("optional")}
        hint={t("Addresses at these domains can never register, for example those of disposable e-mail services.")}
        spellcheck={false}
        {...props.form.text("refused_domains")}
      />
      <TextField
        label={t("Proof of work, bits")}
        inputmode="numeric"
        autocomplete="off"
        hint={t(
          "0 is off. 16 takes a browser about a second, and each further bit twice as long. Bots can solve it, too; sign-ins with a service are exempt.",
        )}
        {...props.form.text("proof_bits")}
      />
    </>
  );
}

function CreditFields(props: { readonly form: Form<Values> }): JSX.Element {
  const field = (name: NumberName, label: string): JSX.Element => (
    <TextField label={label} inputmode="numeric" autocomplete="off" {...props.form.text(name)} />
  );
  return (
    <>
      <TextField
        label={t("Free credit, USD")}
        inputmode="decimal"
        autocomplete="off"
        hint={t("Once per person, after the address is verified. 0 is none.")}
        {...props.form.text("credit_quota")}
      />
      <FieldRow>
        {field("credits_per_network_day", t("Per network and day"))}
        {field("credits_per_network", t("Per network, in total"))}
      </FieldRow>
      <FieldRow>
        {field("credits_per_device_day", t("Per device and day"))}
        {field("credits_per_device", t("Per device, in total"))}
      </FieldRow>
      <TextField
        label={t("For everybody, per day")}
        inputmode="numeric"
        autocomplete="off"
        hint={t(
          "How many people get credit; 0 means no limit. A network is a /24 or an IPv6 /48, a day is one of UTC.",
        )}
        {...props.form.text("credits_per_day")}
      />
    </>
  );
}
