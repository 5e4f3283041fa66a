import type { SiteCatalogue } from "@sluice/contracts/site-catalogue";
import type { JSX } from "solid-js";
import { Island } from "../../islands/island.tsx";
import type { PageContext, SitePage } from "../../model.ts";
import { statusTexts } from "./messages/messages.ts";

/** `/status/`: how the models do. There is none while the operator shows none. */
export function statusPages({ has_status: hasStatus }: SiteCatalogue): readonly SitePage[] {
  return hasStatus ? [statusPage] : [];
}

const statusPage: SitePage = {
  path: "/status/",
  title: (locale) => statusTexts[locale].title,
  description: (locale) => statusTexts[locale].description,
  socialImageOf: "/",
  isIndexed: true,
  islands: ["status-board"],
  content: (context) => <Status context={context} />,
};

function Status(props: { readonly context: PageContext }): JSX.Element {
  const { locale } = props.context;
  const { title: _, description: __, heading, ...texts } = statusTexts[locale];
  return (
    <>
      <h1>{heading}</h1>
      <Island name="status-board" props={{ locale, texts }} />
      <noscript>
        <p>
          <a href="/backend/status/">{texts.json}</a>
        </p>
      </noscript>
    </>
  );
}
