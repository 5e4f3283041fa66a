import type { JSX } from "solid-js";
import type { PageContext, SitePage } from "../../model.ts";
import { unavailableTexts } from "./messages/messages.ts";

/** Shown in place of a page that failed. The service replaces the zeros by the request id. */
export const unavailablePage: SitePage = {
  path: "/unavailable.html",
  title: (locale) => unavailableTexts[locale].title,
  description: (locale) => unavailableTexts[locale].description,
  isIndexed: false,
  islands: [],
  content: (context) => <Unavailable context={context} />,
};

function Unavailable(props: { readonly context: PageContext }): JSX.Element {
  const texts = unavailableTexts[props.context.locale];
  return (
    <div class="not-found">
      <h1>{texts.heading}</h1>
      <p class="lead">{texts.text}</p>
      <p class="not-found-code">
        <code>x-request-id: 00000000-0000-0000-0000-000000000000</code>
      </p>
      <form class="not-found-links">
        <button type="submit" class="button" data-variant="primary">
          {texts.again}
        </button>
      </form>
    </div>
  );
}
