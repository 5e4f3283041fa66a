import type { saveModelOutput } from "@sluice/contracts/catalog-admin";
import { modelKinds } from "@sluice/contracts/model-kinds";
import { priceColumns, pricedUnits, tokenPrices } from "@sluice/contracts/priced-units";
import { For, type JSX } from "solid-js";
import { apiPost } from "../../../api/client.ts";
import { createForm, type Form } from "../../../form/create-form.ts";
import { TextField } from "../../../kit/field.tsx";
import { showToast } from "../../../kit/toast.tsx";
import { useRefresh } from "../../parts/actions.ts";
import { ChoiceField } from "../../parts/choice-field.tsx";
import { orAbsent, orNull, wholeOrNull } from "../../parts/field-values.ts";
import { AdminForm, FieldRow, ReasonField } from "../../parts/form-parts.tsx";
import { outcomeText } from "../../parts/outcome-text.ts";
import { SecondPersonNotice } from "../../parts/second-person.tsx";
import { t } from "../../translate.ts";
import { longPriceLabel, priceLabels, unpricedText } from "../../unit-texts.ts";
import { switchStatuses } from "../../values.ts";
import { CapabilityFields, capabilitiesIn, capabilityText } from "./capability-fields.tsx";
import { type Model, modelsPath } from "./model.ts";

const boundFields = [
  { name: "context_tokens_max", label: t("Context window, tokens") },
  { name: "output_tokens_max", label: t("Maximum output, tokens") },
  { name: "image_tokens_max", label: t("Maximum per image, tokens") },
] as const satisfies readonly { readonly name: keyof Model; readonly label: string }[];

/** The fields of prices for long prompts, named after the prices. */
const longFields = ["above_tokens", ...tokenPrices] as const;
const longPrefix = "long_";

function valuesOf(model: Model | null): Record<string, string> {
  const long = longFields.map((name) => [`${longPrefix}${name}`, String(model?.long_prompt?.[name] ?? "")] as const);
  const numbers = [...priceColumns, ...boundFields.map(({ name }) => name)].map(
    (name) => [name, String(model?.[name] ?? "")] as const,
  );
  return {
    name: model?.name ?? "",
    display_name: model?.display_name ?? "",
    owned_by: model?.owned_by ?? "",
    kind: model?.kind ?? "chat",
    status: model?.status ?? "enabled",
    capabilities: capabilityText(model?.capabilities ?? null),
    deprecated_at: model?.deprecated_at ?? "",
    sunset_at: model?.sunset_at ?? "",
    replacement_model: model?.replacement_model ?? "",
    reason: "",
    ...Object.fromEntries([...numbers, ...long]),
  };
}

/** Only changes are sent; required prices are never empty, prices that may follow another one can be null. */
function changesOf(model: Model | null, values: Record<string, string>): Record<string, unknown> {
  const before = valuesOf(model);
  const isChanged = ([name, value]: [string, string]) => name !== "name" && value.trim() !== before[name];
  const changed = Object.entries(values).filter(isChanged);
  const others = changed.filter(([name]) => !name.startsWith(longPrefix));
  const isLongChanged = others.length < changed.length;
  const fields = Object.fromEntries(
    others.map(([name, value]) => {
      if (boundFields.some((field) => field.name === name)) {
        return [name, wholeOrNull(value) ?? undefined];
      }
      if (name === "capabilities") {
        return [name, capabilitiesIn(value)];
      }
      const price = pricedUnits.find((unit) => unit.price === name);
      const mayBeNull =
        name === "deprecated_at" ||
        name === "sunset_at" ||
        name === "replacement_model" ||
        price?.unpriced === "as_whole";
      return [name, mayBeNull ? orNull(value) : orAbsent(value)];
    }),
  );
  return isLongChanged ? { ...fields, long_prompt: longPromptOf(values) } : fields;
}

/** The prices for long prompts as they are sent: none without a length. */
function longPromptOf(values: Record<string, string>): Record<string, unknown> | null {
  const entered = (name: string): string => values[`${longPrefix}${name}`] ?? "";
  const prices = tokenPrices.map((name) => [name, orNull(entered(name))] as const);
  const above = wholeOrNull(entered("above_tokens"));
  return above === null && prices.every(([, price]) => price === null)
    ? null
    : { above_tokens: above, ...Object.fromEntries(prices) };
}

/** Changes a model as it was loaded, or creates one. */
export function ModelForm(props: { readonly model: Model | null; readonly onDone: () => void }): JSX.Element {
  const { model } = props;
  const refresh = useRefresh(modelsPath, "/backend/admin/ability/", "/backend/admin/audit/");
  const form = createForm<Record<string, string>>({
    initial: valuesOf(model),
    body: (values) => ({
      name: values["name"]?.trim(),
      ...changesOf(model, values),
      ...(model === null ? {} : { updated_at: model.updated_at }),
    }),
    submit: async (_, body) => {
      const answer = await apiPost<typeof saveModelOutput>(`${modelsPath}save/`, body);
      await refresh();
      showToast(
        outcomeText(answer, ({ model: saved }) =>
          saved.price_version === model?.price_version
            ? t("{name} was saved.", { name: saved.name })
            : t("{name} was saved; its prices are version {price_version}.", {
                name: saved.name,
                price_version: saved.price_version,
              }),
        ),
      );
      props.onDone();
    },
  });
  return (
    <AdminForm
      form={form}
      operation="/backend/admin/model/save/"
      action={model === null ? t("Create model") : t("Save model")}
      onCancel={props.onDone}
    >
      <FieldRow>
        <TextField
          label={t("Name")}
          hint={t("The name clients send.")}
          autocomplete="off"
          disabled={model !== null}
          {...form.text("name")}
        />
        <TextField label={t("Display name")} autocomplete="off" {...form.text("display_name")} />
      </FieldRow>
      <FieldRow>
        <TextField label={t("Owner")} hint={t("For example openai.")} autocomplete="off" {...form.text("owned_by")} />
        <ChoiceField
          label={t("Kind")}
          options={modelKinds}
          {...form.text("kind")}
          value={form.values()["kind"] ?? ""}
        />
        <ChoiceField
          label={t("Status")}
          options={switchStatuses}
          {...form.text("status")}
          value={form.values()["status"] ?? ""}
        />
      </FieldRow>
      <FieldRow>
        <For each={boundFields}>
          {({ name, label }) => <TextField label={label} inputmode="numeric" autocomplete="off" {...form.text(name)} />}
        </For>
      </FieldRow>
      <CapabilityFields
        value={form.values()["capabilities"] ?? ""}
        onChange={(text) => form.set("capabilities", text)}
      />
      <FieldRow>
        <For each={pricedUnits}>
          {(unit) => (
            <TextField
              label={priceLabels[unit.price]}
              inputmode="decimal"
              autocomplete="off"
              {...(unit.unpriced === "as_whole" ? { hint: t("Empty: {unit}.", { unit: unpricedText(unit) }) } : {})}
              {...form.text(unit.price)}
            />
          )}
        </For>
      </FieldRow>
      <LongPromptFields text={form.text} />
      <FieldRow>
        <TextField
          label={t("Deprecated from")}
          optional={t("optional")}
          hint={t("UTC, like 2026-12-31T00:00:00Z.")}
          autocomplete="off"
          {...form.text("deprecated_at")}
        />
        <TextField
          label={t("Ends")}
          optional={t("optional")}
          hint={t("UTC, in the same form. Calls are refused from then on.")}
          autocomplete="off"
          {...form.text("sunset_at")}
        />
        <TextField
          label={t("Replaced by")}
          optional={t("optional")}
          hint={t("The model that clients are told to use instead.")}
          autocomplete="off"
          {...form.text("replacement_model")}
        />
      </FieldRow>
      <ReasonField form={form} isOptional />
      <SecondPersonNotice what={model === null ? t("A new model waits") : t("A lower price waits")} />
    </AdminForm>
  );
}

/** Some providers charge more for the whole call if its prompt is long. */
function LongPromptFields(props: { readonly text: Form<Record<string, string>>["text"] }): JSX.Element {
  return (
    <FieldRow>
      <TextField
        label={t("Long prompts begin above, tokens")}
        optional={t("optional")}
        hint={t("Longer prompts have these prices, for the whole call.")}
        inputmode="numeric"
        autocomplete="off"
        {...props.text("long_above_tokens")}
      />
      <For each={tokenPrices}>
        {(price) => (
          <TextField
            label={longPriceLabel(price)}
            hint={t("USD per M.")}
            inputmode="decimal"
            autocomplete="off"
            {...props.text(`${longPrefix}${price}`)}
          />
        )}
      </For>
    </FieldRow>
  );
}
