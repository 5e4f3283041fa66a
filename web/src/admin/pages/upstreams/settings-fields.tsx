import type { AuthStyle } from "@sluice/contracts/upstreams";
import { For, type JSX } from "solid-js";
import type { Form } from "../../../form/create-form.ts";
import { Checkbox, TextArea, TextField } from "../../../kit/field.tsx";
import { ChoiceField } from "../../parts/choice-field.tsx";
import { FieldRow } from "../../parts/form-parts.tsx";
import { dialectLabels } from "./channel.ts";
import { addressDialects, addressField, authField, type SettingsValues } from "./settings-values.ts";

type Fields = Pick<Form<SettingsValues>, "text" | "flag">;

const hints: Readonly<Record<(typeof addressDialects)[number], string>> = {
  chat: "For example https://provider.example/v1. If the host changes, enter the credential again.",
  responses: "The address before /responses, if the provider has it; usually the same.",
  messages: "The address before /v1/messages, if the provider has it.",
  gemini: "The address before /v1beta, if the provider has it.",
  cohere: "The address before /v2/rerank, if the provider has it.",
};

const authLabels: Readonly<Record<AuthStyle, string>> = {
  bearer: "Authorization: Bearer",
  x_api_key: "x-api-key",
  api_key: "api-key",
  x_goog_api_key: "x-goog-api-key",
  none: "no credential",
  google_service_account: "Google service account (key file)",
  entra: "Microsoft Entra application",
  aws_sigv4: "AWS signature",
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
            optional="optional"
            inputmode="url"
            spellcheck={false}
            autocomplete="off"
            {...props.form.text(addressField(dialect))}
          />
          <ChoiceField label="Credential sent as" options={authOptions} {...props.form.text(authField(dialect))} />
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
          label="Query parameters"
          hint="One name=value on each line, such as api-version=2026-10-01."
          optional="optional"
          rows={2}
          spellcheck={false}
          {...props.form.text("upstream.query")}
        />
        <TextArea
          label="Headers to send"
          hint="One name: value on each line."
          optional="optional"
          rows={2}
          spellcheck={false}
          {...props.form.text("upstream.headers.set")}
        />
      </FieldRow>
      <FieldRow>
        <TextField
          label="Headers to remove"
          hint="Names of client headers, separated by commas."
          optional="optional"
          spellcheck={false}
          {...props.form.text("upstream.headers.remove")}
        />
        <TextField
          label="Fields to remove"
          hint="Top-level fields of requests, separated by commas."
          optional="optional"
          spellcheck={false}
          {...props.form.text("upstream.body.remove")}
        />
      </FieldRow>
      <TextArea
        label="Fields to set"
        hint="A JSON object; each of its fields replaces that of a request."
        optional="optional"
        rows={3}
        spellcheck={false}
        {...props.form.text("upstream.body.set")}
      />
      <FieldRow>
        <ChoiceField
          label="Output limit is called"
          hint="In requests that were converted from another dialect."
          options={tokenParams}
          {...props.form.text("upstream.flags.token_param")}
        />
        <TextField
          label="Beta features passed on"
          hint="Names separated by commas, or none. Messages API only."
          optional="all"
          spellcheck={false}
          {...props.form.text("upstream.flags.betas")}
        />
      </FieldRow>
      <Checkbox
        label="Ask for usage in streams"
        hint="Turn it off for old servers that refuse stream_options."
        {...props.form.flag("upstream.flags.asks_usage")}
      />
      <Checkbox
        label="Knows the role developer"
        hint="Otherwise converted requests use system."
        {...props.form.flag("upstream.flags.developer_role")}
      />
      <Checkbox
        label="Wants earlier reasoning back"
        hint="Converted requests then send it as reasoning_content."
        {...props.form.flag("upstream.flags.reasoning_back")}
      />
      <Checkbox
        label="Writes reasoning between <think> tags"
        hint="Clients of the Responses API then get it as reasoning."
        {...props.form.flag("upstream.flags.think_tags")}
      />
      <Checkbox
        label="Counts thoughts only in the total"
        hint="Everything in the total besides the prompt is then charged as output. For Google's addresses this is always on."
        {...props.form.flag("upstream.flags.thoughts_in_total")}
      />
      <Checkbox
        label="Knows prompt_cache_key"
        hint="Otherwise converted requests leave it out: many providers refuse it."
        {...props.form.flag("upstream.flags.cache_key")}
      />
      <Checkbox
        label="Knows verbosity"
        hint="Otherwise converted requests leave it out: many providers refuse it."
        {...props.form.flag("upstream.flags.verbosity")}
      />
      <Checkbox
        label="Cache the beginning of converted conversations"
        hint="At a Messages provider this costs more once and less afterwards."
        {...props.form.flag("upstream.flags.automatic_caching")}
      />
    </>
  );
}
