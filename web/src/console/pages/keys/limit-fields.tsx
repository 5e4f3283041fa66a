import { type KeyField, keyFields, resetPeriods } from "@sluice/contracts/key-fields";
import { scaledToDecimal } from "@sluice/contracts/money";
import { For, type JSX, Show } from "solid-js";
import type { Form } from "../../../form/create-form.ts";
import { fill } from "../../../i18n/messages.ts";
import { Checkbox, SelectField, TextArea, TextField } from "../../../kit/field.tsx";
import { formats } from "../../formats.ts";
import { createCacheOfferQuery, createModelsQuery } from "../../parts/queries.ts";
import { fieldTexts, type KeyValues } from "./key-fields.ts";
import { keysArea } from "./messages/messages.ts";

type LimitProps = { readonly form: Form<KeyValues>; readonly field: KeyField };

/** What a key may use: every field but its name. */
export function LimitFields(props: { readonly form: Form<KeyValues> }): JSX.Element {
  const texts = keysArea.texts();
  return (
    <>
      <GroupField form={props.form} />
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
      return name === "is_response_cached" ? (
        <CacheField form={form} label={label} />
      ) : (
        <Checkbox label={label} {...form.flag(name)} />
      );
    case "models":
    case "addresses":
      return <TextArea {...shared} spellcheck={false} {...form.text(name)} />;
    case "moment":
      return <TextField {...shared} type="date" {...form.text(name)} />;
    default:
      return <TextField {...shared} inputmode={kind === "quota" ? "decimal" : "numeric"} {...form.text(name)} />;
  }
}

/** Which group the calls belong to; nothing to choose for a user of one group. */
function GroupField(props: { readonly form: Form<KeyValues> }): JSX.Element {
  const texts = keysArea.texts();
  const models = createModelsQuery();
  const groups = () => models.data?.groups ?? [];
  const chosen = (): string => props.form.values().group;
  // A group that the account has lost stays what the key has, until another one is chosen.
  const isLost = (): boolean => chosen() !== "" && !groups().some(({ name }) => name === chosen());
  return (
    <Show when={groups().length > 1 || isLost()}>
      <SelectField
        label={texts.group}
        hint={texts.groupHint}
        value={chosen()}
        onChange={(event) => props.form.set("group", event.currentTarget.value)}
      >
        <option value="" selected={chosen() === ""}>
          {fill(texts.groupOfAccount, { group: groups().find((group) => group.is_chosen)?.name ?? "" })}
        </option>
        <For each={groups()}>
          {({ name, multiplier, ends_at: end }) => (
            <option value={name} selected={chosen() === name}>
              {`${name}, × ${formats.decimal(multiplier)}${end === null ? "" : `, ${fill(texts.groupUntil, { date: formats.date(end) })}`}`}
            </option>
          )}
        </For>
        <Show when={isLost()}>
          <option value={chosen()} selected>
            {chosen()}
          </option>
        </Show>
      </SelectField>
    </Show>
  );
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

/** Only where the operator offers the cache. */
function CacheField(props: { readonly form: Form<KeyValues>; readonly label: string }): JSX.Element {
  const texts = keysArea.texts();
  const query = createCacheOfferQuery();
  const share = () => {
    const offer = query.data;
    return offer?.is_offered === true ? formats.decimal(scaledToDecimal(BigInt(offer.price_basis_points), 2)) : null;
  };
  return (
    <Show when={share()}>
      {(percent) => (
        <div>
          <Checkbox label={props.label} {...props.form.flag("is_response_cached")} />
          <p class="muted">{fill(texts.cacheHint, { share: percent() })}</p>
        </div>
      )}
    </Show>
  );
}
