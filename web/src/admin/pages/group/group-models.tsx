import { pricedUnits, type UnitName } from "@sluice/contracts/priced-units";
import { type JSX, Show } from "solid-js";
import { isPricedByToken, otherPrices } from "../../../i18n/model-prices.ts";
import { EmptyState } from "../../../kit/states.tsx";
import { formats } from "../../formats.ts";
import { SimpleTable } from "../../parts/simple-table.tsx";
import { dash, shownWord } from "../../shown.ts";
import { t } from "../../translate.ts";
import { priceLabels } from "../../unit-texts.ts";
import type { GroupDetail } from "../groups/group.ts";

type Row = GroupDetail["models"][number];

const labels = Object.fromEntries(pricedUnits.map((unit) => [unit.name, priceLabels[unit.price]])) as Readonly<
  Record<UnitName, string>
>;

const price = (row: Row, value: string | null): string =>
  value === null || !isPricedByToken(row) ? dash : formats.usd(value);

/** What the group's users can call, and what they pay before multipliers of their own. */
export function GroupModels(props: { readonly detail: GroupDetail }): JSX.Element {
  return (
    <Show
      when={props.detail.models.length > 0}
      fallback={
        <EmptyState title={t("No channel serves this group")}>
          {t("Add abilities for it under Models: each lets a channel serve a model to a group.")}
        </EmptyState>
      }
    >
      <div class="section-stack">
        <p class="muted">{t("Prices in this group, in US dollars per million tokens.")}</p>
        <SimpleTable
          label={t("Models and prices")}
          rows={props.detail.models}
          columns={[
            { label: t("Model"), cell: (row) => <code>{row.name}</code> },
            { label: t("Kind"), cell: (row) => shownWord(row.kind) },
            { label: t("In"), cell: (row) => price(row, row.input_usd_per_m), align: "end" },
            { label: t("Out"), cell: (row) => price(row, row.output_usd_per_m), align: "end" },
            { label: t("Cached"), cell: (row) => price(row, row.cache_read_usd_per_m), align: "end" },
            { label: t("Other prices"), cell: (row) => others(row) },
            { label: t("Channels"), cell: (row) => row.channels.join(", ") },
          ]}
        />
      </div>
    </Show>
  );
}

function others(row: Row): string {
  return (
    otherPrices(row, labels)
      .map(([label, usd]) => `${label} ${formats.usd(usd)}`)
      .join(", ") || dash
  );
}
