import { directionOf, type Locale } from "@sluice/contracts/locales";
import { createEffect, type JSX } from "solid-js";
import "../../../kit/legal-text.css";

/** A legal page that the service has rendered, which lets nothing active through. Its links open beside the page. */
export function LegalText(props: { readonly locale: Locale; readonly html: string }): JSX.Element {
  let element: HTMLDivElement | undefined;
  createEffect(() => {
    const { body } = new DOMParser().parseFromString(props.html, "text/html");
    for (const link of body.querySelectorAll("a")) {
      link.target = "_blank";
      link.rel = "noopener";
    }
    element?.replaceChildren(...body.childNodes);
  });
  return (
    <div
      ref={(each) => {
        element = each;
      }}
      class="legal-text"
      lang={props.locale}
      dir={directionOf(props.locale)}
    />
  );
}
