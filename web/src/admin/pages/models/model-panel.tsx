import { pricedUnits, tokenPrices } from "@sluice/contracts/priced-units";
import { type JSX, Show } from "solid-js";
import { Card, Facts } from "../../../kit/card.tsx";
import { CopyText } from "../../../kit/code.tsx";
import { Notice } from "../../../kit/states.tsx";
import { formats } from "../../formats.ts";
import { ActButton } from "../../parts/act-button.tsx";
import { ArchiveButton, ArchivedNotice } from "../../parts/archive.tsx";
import { PageLink } from "../../parts/page-link.tsx";
import { StateWord } from "../../parts/state-word.tsx";
import { dash, shownCount, shownMoment, shownText } from "../../shown.ts";
import { rich, t } from "../../translate.ts";
import { longPriceLabel, priceLabels, unpricedText } from "../../unit-texts.ts";
import { capabilityLabels } from "./capability-fields.tsx";
import type { Model } from "./model.ts";
import { ModelFallbacks } from "./model-fallbacks.tsx";

/** One model: its prices, its bounds, and links to what serves it. */
export function ModelPanel(props: { readonly model: Model; readonly onEdit: () => void }): JSX.Element {
  const { model } = props;
  return (
    <>
      <ArchivedNotice archivedAt={model.archived_at} />
      <div class="button-row">
        <Show when={model.archived_at === null}>
          <ActButton operation="/backend/admin/model/save/" variant="primary" onClick={() => props.onEdit()}>
            {t("Edit model")}
          </ActButton>
        </Show>
        <PageLink class="button" href={`/admin/models/?tab=abilities&model=${encodeURIComponent(model.name)}`}>
          {t("Its channels")}
        </PageLink>
        <PageLink class="button" href={`/admin/models/?tab=tester&name=${encodeURIComponent(model.name)}`}>
          {t("Test this name")}
        </PageLink>
        <ArchiveButton
          kind="model"
          id={model.name}
          name={model.name}
          archivedAt={model.archived_at}
          paths={["/backend/admin/model/"]}
        />
      </div>
      <Show when={model.mapped_to}>
        {(mapped) => (
          <Notice tone="warn">
            {rich(
              "The compatibility map has the name {name}, too, and maps it to {mapped}. Clients of that route get this model only where every group gets it from a channel that speaks the Messages API.",
              { name: model.name, mapped: mapped() },
            )}
          </Notice>
        )}
      </Show>
      <Card title={t("Prices")}>
        <Facts
          facts={[
            ...pricedUnits.map((unit) => {
              const value = model[unit.price];
              const unpriced = unit.unpriced === "as_whole" ? unpricedText(unit) : dash;
              return { name: priceLabels[unit.price], value: value === null ? unpriced : formats.usd(value) };
            }),
            ...longPromptFacts(model),
            { name: t("Version"), value: model.price_version === null ? dash : String(model.price_version) },
            { name: t("Prices valid since"), value: shownMoment(model.price_valid_from) },
          ]}
        />
      </Card>
      <ModelFallbacks model={model} />
      <Card title={t("About the model")}>
        <Facts
          facts={[
            { name: t("Name"), value: <CopyText text={model.name} label={t("Copy the name")} /> },
            { name: t("Status"), value: <StateWord state={model.status} /> },
            { name: t("Owner"), value: model.owned_by },
            {
              name: t("Context"),
              value: t("{context_tokens_max} tokens", { context_tokens_max: formats.number(model.context_tokens_max) }),
            },
            {
              name: t("Maximum output"),
              value: t("{output_tokens_max} tokens", { output_tokens_max: formats.number(model.output_tokens_max) }),
            },
            {
              name: t("Image"),
              value: t("at most {image_tokens_max} tokens", {
                image_tokens_max: formats.number(model.image_tokens_max),
              }),
            },
            { name: t("Capabilities"), value: capabilitiesText(model) },
            { name: t("Channels"), value: shownCount(model.channels) },
            { name: t("Groups"), value: model.groups.join(", ") || t("none") },
            { name: t("Names in the map"), value: model.aliases.join(", ") || t("none") },
            { name: t("Deprecated"), value: shownMoment(model.deprecated_at, t("no")) },
            { name: t("Ends"), value: shownMoment(model.sunset_at, t("no")) },
            { name: t("Replaced by"), value: shownText(model.replacement_model) },
            { name: t("Updated"), value: shownMoment(model.updated_at) },
          ]}
        />
      </Card>
    </>
  );
}

function capabilitiesText({ capabilities }: Model): string {
  const stated = capabilities?.map((one) => capabilityLabels[one]).join(", ");
  return stated === undefined ? t("known from its name") : stated || t("none");
}

/** The prices for long prompts; no facts if prompts of any length cost the same. */
function longPromptFacts({ long_prompt: long }: Model): { readonly name: string; readonly value: string }[] {
  if (long === null) {
    return [];
  }
  const above = t("above {above_tokens} tokens", { above_tokens: formats.number(long.above_tokens) });
  return tokenPrices.flatMap((price) => {
    const value = long[price];
    return value === null ? [] : [{ name: `${longPriceLabel(price)}, ${above}`, value: formats.usd(value) }];
  });
}
