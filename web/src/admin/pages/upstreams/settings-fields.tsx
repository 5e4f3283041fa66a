import type { AuthStyle } from "@sluice/contracts/upstreams";
import { For, type JSX } from "solid-js";
import type { Form } from "../../../form/create-form.ts";
import { Checkbox, TextArea, TextField } from "../../../kit/field.tsx";
import { ChoiceField } from "../../parts/choice-field.tsx";
import { FieldRow } from "../../parts/form-parts.tsx";
import { t } from "../../translate.ts";
import { dialectLabels } from "./channel.ts";
import { addressDialects, addressField, authField, type SettingsValues } from "./settings-values.ts";

type Fields = Pick<Form<SettingsValues>, "text" | "flag">;

const hints: Readonly<Record<(typeof addressDialects)[number], string>> = {
  chat: t("For example https://provider.example/v1. If the host changes, enter the credential again."),
  responses: t("The address before /responses, if the provider has it; usually the same."),
  messages: t("The address before /v1/messages, if the provider has it."),
  gemini: t("The address before /v1beta, if the provider has it."),
  cohere: t("The address before /v2/rerank, if the provider has it."),
};

const authLabels: Readonly<Record<AuthStyle, string>> = {
  bearer: t("Authorization: Bearer"),
  x_api_key: "x-api-key",
  api_key: "api-key",
  x_goog_api_key: "x-goog-api-key",
  none: t("no credential"),
  google_service_account: t("Google service account (key file)"),
  entra: t("Microsoft Entra application"),
  aws_sigv4: t("AWS signature"),
};
const authOptions = Object.entries(authLabels).map(([value, label]) => ({ value, label }));
const tokenParams = ["max_tokens", "max_completion_tokens"].map((name) => ({ value: name, label: name }));

/** The addresses of an upstream, one for each dialect that its provider speaks, each with its login. */
export function AddressFields(props: { readonly form: Fields }): JSX.Element {
  return (
    <For each={addressDialects}>
      {(dialect) => (
        <FieldRow>
          <TextField
            label={dialectLabels[dialect]}
            hint={hints[dialect]}
            optional={t("optional")}
            inputmode="url"
            spellcheck={false}
            autocomplete="off"
            {...props.form.text(addressField(dialect))}
          />
          <ChoiceField label={t("Credential sent as")} options={authOptions} {...props.form.text(authField(dialect))} />
        </FieldRow>
      )}
    </For>
  );
}

/** What is changed about every request to an upstream, and what it does differently from its dialect. */
export function RequestFields(props: { readonly form: Fields }): JSX.Element {
  return (
    <>
      <FieldRow>
        <TextArea
          label={t("Query parameters")}
          hint={t("One name=value on each line, such as api-version=2026-10-01.")}
          optional={t("optional")}
          rows={2}
          spellcheck={false}
          {...props.form.text("upstream.query")}
        />
        <TextArea
          label={t("Headers to send")}
          hint={t("One name: value on each line.")}
          optional={t("optional")}
          rows={2}
          spellcheck={false}
          {...props.form.text("upstream.headers.set")}
        />
      </FieldRow>
      <FieldRow>
        <TextField
          label={t("Headers to remove")}
          hint={t("Names of client headers, separated by commas.")}
          optional={t("optional")}
          spellcheck={false}
          {...props.form.text("upstream.headers.remove")}
        />
        <TextField
          label={t("Fields to remove")}
          hint={t("Top-level fields of requests, separated by commas.")}
          optional={t("optional")}
          spellcheck={false}
          {...props.form.text("upstream.body.remove")}
        />
      </FieldRow>
      <TextArea
        label={t("Fields to set")}
        hint={t("A JSON object; each of its fields replaces that of a request.")}
        optional={t("optional")}
        rows={3}
        spellcheck={false}
        {...props.form.text("upstream.body.set")}
      />
      <FieldRow>
        <ChoiceField
          label={t("Output limit field")}
          hint={t("In requests that were converted from another dialect.")}
          options={tokenParams}
          {...props.form.text("upstream.flags.token_param")}
        />
        <TextField
          label={t("Beta features passed on")}
          hint={t("Names separated by commas, or none. Messages API only.")}
          optional={t("all")}
          spellcheck={false}
          {...props.form.text("upstream.flags.betas")}
        />
      </FieldRow>
      <Checkbox
        label={t("Ask for usage in streams")}
        hint={t("Turn it off for old servers that refuse stream_options.")}
        {...props.form.flag("upstream.flags.asks_usage")}
      />
      <Checkbox
        label={t("Supports the role developer")}
        hint={t("Otherwise converted requests use system.")}
        {...props.form.flag("upstream.flags.developer_role")}
      />
      <Checkbox
        label={t("Needs earlier reasoning")}
        hint={t("Converted requests then send it as reasoning_content.")}
        {...props.form.flag("upstream.flags.reasoning_back")}
      />
      <Checkbox
        label={t("Writes reasoning between <think> tags")}
        hint={t("Clients of the Responses API then get it as reasoning.")}
        {...props.form.flag("upstream.flags.think_tags")}
      />
      <Checkbox
        label={t("Counts thoughts only in the total")}
        hint={t(
          "Everything in the total besides the prompt is then charged as output. For Google's addresses this is always on.",
        )}
        {...props.form.flag("upstream.flags.thoughts_in_total")}
      />
      <Checkbox
        label={t("Supports prompt_cache_key")}
        hint={t("Otherwise converted requests leave it out: many providers refuse it.")}
        {...props.form.flag("upstream.flags.cache_key")}
      />
      <Checkbox
        label={t("Supports verbosity")}
        hint={t("Otherwise converted requests leave it out: many providers refuse it.")}
        {...props.form.flag("upstream.flags.verbosity")}
      />
      <Checkbox
        label={t("Cache the beginning of converted conversations")}
        hint={t("At a Messages provider this costs more once and less afterwards.")}
        {...props.form.flag("upstream.flags.automatic_caching")}
      />
    </>
  );
}
