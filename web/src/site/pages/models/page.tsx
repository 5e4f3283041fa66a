import { type JSX, Show } from "solid-js";
import { Island } from "../../islands/island.tsx";
import type { PageContext, SitePage } from "../../model.ts";
import { modelsTexts } from "./messages/messages.ts";

/** `/models/`: every model with its prices, searchable and comparable. Without JavaScript the whole table is shown. */
export const modelsPage: SitePage = {
  path: "/models/",
  title: (locale) => modelsTexts[locale].title,
  description: (locale) => modelsTexts[locale].description,
  isIndexed: true,
  islands: ["model-table"],
  structuredData: ({ catalogue }) => ({
    "@type": "ItemList",
    itemListElement: catalogue.models.map((model, at) => ({
      "@type": "ListItem",
      position: at + 1,
      name: model.display_name,
    })),
  }),
  content: (context) => <Models context={context} />,
};

function Models(props: { readonly context: PageContext }): JSX.Element {
  const { locale, catalogue } = props.context;
  const texts = modelsTexts[locale];
  const { performance, success } = catalogue;
  const figures = { performance, success };
  return (
    <>
      <h1>{texts.heading}</h1>
      <p class="lead">{texts.lead}</p>
      <Show when={catalogue.models.length > 0} fallback={<p class="lead">{texts.noModels}</p>}>
        <Island name="model-table" props={{ locale, models: catalogue.models, figures, texts }} />
      </Show>
    </>
  );
}
