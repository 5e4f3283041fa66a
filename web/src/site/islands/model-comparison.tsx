import { priceOf, unitsByWhole } from "@sluice/contracts/priced-units";
import type { SiteModel } from "@sluice/contracts/site-catalogue";
import { createUniqueId, For, type JSX, Show } from "solid-js";
import { fill } from "../../i18n/messages.ts";
import { isCharged } from "../../i18n/model-prices.ts";
import { ownerName } from "../../i18n/owner-name.ts";
import { traitsOf } from "./model-choice.ts";
import { modelColumns, type Shown } from "./model-shown.ts";

/** The text is null where a price does not apply to a model. */
type Line = readonly [label: string, text: (model: SiteModel) => string | null];

const pricedSorts: ReadonlySet<string> = new Set(["input", "output", "cached"]);

/** Models side by side; what is the same for all of them steps back. */
export function ModelComparison(props: { readonly shown: Shown; readonly models: readonly SiteModel[] }): JSX.Element {
  const { texts, change } = props.shown;
  const id = createUniqueId();
  const isSame = ([, text]: Line): boolean => props.models.length > 1 && new Set(props.models.map(text)).size === 1;
  return (
    <section class="prices model-comparison" aria-labelledby={id} tabindex="0">
      <h2 id={id}>{texts.compareTitle}</h2>
      <table>
        <thead>
          <tr>
            <th scope="col">{texts.model}</th>
            <For each={props.models}>
              {(model) => (
                <th scope="col">
                  <code>{model.name}</code>
                  <button
                    type="button"
                    class="button"
                    data-variant="quiet"
                    aria-label={fill(texts.remove, { name: model.name })}
                    onClick={() =>
                      change({ compared: props.shown.choice.compared.filter((name) => name !== model.name) })
                    }
                  >
                    <svg class="icon" width="16" height="16" viewBox="0 0 16 16" aria-hidden="true">
                      <path d="M4 4l8 8M12 4l-8 8" />
                    </svg>
                  </button>
                </th>
              )}
            </For>
          </tr>
        </thead>
        <tbody>
          <For each={linesOf(props.shown, props.models)}>
            {(line) => (
              <tr data-same={isSame(line)}>
                <th scope="row">{line[0]}</th>
                <For each={props.models}>
                  {(model) => (
                    <td>
                      <Show when={line[1](model)} fallback={<NotCharged text={texts.notCharged} />}>
                        {(text) => text()}
                      </Show>
                    </td>
                  )}
                </For>
              </tr>
            )}
          </For>
        </tbody>
      </table>
    </section>
  );
}

function NotCharged(props: { readonly text: string }): JSX.Element {
  return (
    <>
      <span aria-hidden="true">–</span>
      <span class="visually-hidden">{props.text}</span>
    </>
  );
}

/** Prices that apply to none of the models have no line. */
function linesOf(shown: Shown, models: readonly SiteModel[]): readonly Line[] {
  const { texts, formats, price } = shown;
  return [
    [texts.provider, ({ owned_by: owner }) => ownerName(owner)],
    [texts.capabilities, (model) => formats.list(traitsOf(model).map((trait) => texts.traits[trait])) || "–"],
    ...unitsByWhole
      .filter((unit) => models.some((model) => isCharged(model, unit)))
      .map((unit): Line => {
        const shownPrice = (model: SiteModel): string =>
          unit.measure === "token"
            ? price(model, priceOf<string>(model, unit))
            : formats.usd(priceOf<string>(model, unit));
        return [texts.unitPrices[unit.name], (model) => (isCharged(model, unit) ? shownPrice(model) : null)];
      }),
    ...modelColumns(shown)
      .filter(({ sort }) => !pricedSorts.has(sort))
      .map(({ label, text }): Line => [label, text]),
  ];
}
