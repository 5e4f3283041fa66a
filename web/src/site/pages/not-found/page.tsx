import type { JSX } from "solid-js";
import type { PageContext, SitePage } from "../../model.ts";
import { notFoundTexts } from "./messages/messages.ts";

/** The page at every URL that has no other page. */
export const notFoundPage: SitePage = {
  path: "/404.html",
  title: (locale) => notFoundTexts[locale].title,
  description: (locale) => notFoundTexts[locale].description,
  isIndexed: false,
  islands: [],
  content: (context) => <NotFound context={context} />,
};

function NotFound(props: { readonly context: PageContext }): JSX.Element {
  const { context } = props;
  const texts = notFoundTexts[context.locale];
  return (
    <div class="not-found">
      <p class="not-found-code" aria-hidden="true">
        404
      </p>
      <h1>{texts.heading}</h1>
      <p class="lead">{texts.text}</p>
      <p class="not-found-links">
        <a class="button" data-variant="primary" href={context.link("/")}>
          {texts.home}
        </a>
        <a class="button" href={context.link("/pricing/")}>
          {texts.pricing}
        </a>
      </p>
    </div>
  );
}
