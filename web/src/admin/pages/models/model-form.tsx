import type { modelList } from "@sluice/contracts/admin-lists/gateway";
import type { saveModelOutput } from "@sluice/contracts/catalog-admin";
import type { RowOf } from "@sluice/contracts/lists";
import { modelKinds } from "@sluice/contracts/model-kinds";
import { For, type JSX, Show } from "solid-js";
import { apiPost } from "../../../api/client.ts";
import { createForm } from "../../../form/create-form.ts";
import { Card, Facts } from "../../../kit/card.tsx";
import { TextArea, TextField } from "../../../kit/field.tsx";
import { showToast } from "../../../kit/toast.tsx";
import { useRefresh } from "../../parts/actions.ts";
import { outcomeText } from "../../parts/approval.tsx";
import { ChoiceField } from "../../parts/choice-field.tsx";
import { AdminForm, FieldRow, orAbsent, orNull, wholeOrNull } from "../../parts/form-parts.tsx";
import { SecondPersonNotice } from "../../parts/second-person.tsx";
import { switchStatuses } from "../../values.ts";

export type Model = RowOf<typeof modelList>;

export const modelsPath = "/backend/admin/model/";

type PriceField = {
  readonly name: Extract<keyof Model, `${string}_usd_per_m` | "request_usd" | "image_usd" | "second_usd">;
  readonly label: string;
  readonly otherwise?: string;
};

/** The prices of a model; `otherwise` is what counts where one may stay empty. */
export const priceFields: readonly PriceField[] = [
  { name: "input_usd_per_m", label: "Input, USD per M" },
  { name: "output_usd_per_m", label: "Output, USD per M" },
  { name: "cache_read_usd_per_m", label: "Cache read, USD per M", otherwise: "same as input" },
  { name: "cache_write_usd_per_m", label: "Cache write, USD per M", otherwise: "same as input" },
  { name: "reasoning_usd_per_m", label: "Reasoning, USD per M", otherwise: "same as output" },
  { name: "request_usd", label: "Per call, USD" },
  { name: "image_usd", label: "Per image, USD" },
  { name: "second_usd", label: "Per second of audio, USD" },
];

const boundFields = [
  { name: "context_tokens_max", label: "Context window, tokens" },
  { name: "output_tokens_max", label: "Maximum output, tokens" },
  { name: "image_tokens_max", label: "Maximum per image, tokens" },
] as const satisfies readonly { readonly name: keyof Model; readonly label: string }[];

function valuesOf(model: Model | null): Record<string, string> {
  const numbers = [...priceFields, ...boundFields].map(({ name }) => [name, String(model?.[name] ?? "")] as const);
  return {
    name: model?.name ?? "",
    display_name: model?.display_name ?? "",
    owned_by: model?.owned_by ?? "",
    kind: model?.kind ?? "chat",
    status: model?.status ?? "enabled",
    deprecated_at: model?.deprecated_at ?? "",
    sunset_at: model?.sunset_at ?? "",
    reason: "",
    ...Object.fromEntries(numbers),
  };
}

/** Only what was changed is sent; what counts per call is never empty, what may follow another price is null. */
function changesOf(model: Model | null, values: Record<string, string>): Record<string, unknown> {
  const before = valuesOf(model);
  const changed = Object.entries(values).filter(([name, value]) => name !== "name" && value.trim() !== before[name]);
  return Object.fromEntries(
    changed.map(([name, value]) => {
      if (boundFields.some((field) => field.name === name)) {
        return [name, wholeOrNull(value) ?? undefined];
      }
      const price = priceFields.find((field) => field.name === name);
      const mayBeNull =
        name === "deprecated_at" || name === "sunset_at" || (price !== undefined && "otherwise" in price);
      return [name, mayBeNull ? orNull(value) : orAbsent(value)];
    }),
  );
}

/** Changes a model as it was loaded, or creates one. The change is shown above the button. */
export function ModelForm(props: { readonly model: Model | null; readonly onDone: () => void }): JSX.Element {
  const { model } = props;
  const refresh = useRefresh(modelsPath, "/backend/admin/ability/", "/backend/admin/audit/");
  const before = valuesOf(model);
  const form = createForm<Record<string, string>>({
    initial: before,
    submit: async (values) => {
      const answer = await apiPost<typeof saveModelOutput>(`${modelsPath}save/`, {
        name: values["name"]?.trim(),
        ...changesOf(model, values),
        ...(model === null ? {} : { updated_at: model.updated_at }),
      });
      await refresh();
      showToast(
        outcomeText(
          answer,
          ({ model: saved }) => `${saved.name} was saved; its prices are version ${saved.price_version}.`,
        ),
      );
      props.onDone();
    },
  });
  const changes = () =>
    Object.entries(form.values())
      .filter(([name, value]) => name !== "reason" && value.trim() !== before[name])
      .map(([name, value]) => ({ name, value: `${before[name] || "empty"} → ${value.trim() || "empty"}` }));
  return (
    <AdminForm
      form={form}
      operation="/backend/admin/model/save/"
      action={model === null ? "Create model" : "Save model"}
      onCancel={props.onDone}
    >
      <FieldRow>
        <TextField
          label="Name"
          hint="The name clients send."
          autocomplete="off"
          disabled={model !== null}
          {...form.text("name")}
        />
        <TextField label="Display name" autocomplete="off" {...form.text("display_name")} />
      </FieldRow>
      <FieldRow>
        <TextField label="Of" hint="Like openai." autocomplete="off" {...form.text("owned_by")} />
        <ChoiceField label="Kind" options={modelKinds} {...form.text("kind")} value={form.values()["kind"] ?? ""} />
        <ChoiceField
          label="Status"
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
      <FieldRow>
        <For each={priceFields}>
          {(field) => (
            <TextField
              label={field.label}
              inputmode="decimal"
              autocomplete="off"
              {...("otherwise" in field ? { hint: `Empty: ${field.otherwise}.` } : {})}
              {...form.text(field.name)}
            />
          )}
        </For>
      </FieldRow>
      <FieldRow>
        <TextField
          label="Deprecated from"
          optional="optional"
          hint="UTC, like 2026-12-31T00:00:00Z."
          autocomplete="off"
          {...form.text("deprecated_at")}
        />
        <TextField
          label="Ends"
          optional="optional"
          hint="UTC, in the same form."
          autocomplete="off"
          {...form.text("sunset_at")}
        />
      </FieldRow>
      <TextArea label="Reason" optional="optional" hint="Recorded in the audit log." {...form.text("reason")} />
      <SecondPersonNotice what={model === null ? "A new model waits" : "A lower price waits"} />
      <Show when={model !== null}>
        <Card title="What would change">
          <Show when={changes().length > 0} fallback={<p class="muted">Nothing yet.</p>}>
            <Facts facts={changes()} />
          </Show>
        </Card>
      </Show>
    </AdminForm>
  );
}
