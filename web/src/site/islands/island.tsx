import { createComponent, type JSX, sharedConfig } from "solid-js";
import { renderToString, ssr } from "solid-js/web";
import { type IslandProps, islandComponents } from "./islands.ts";

/**
 * A part of a page that runs in the browser. It is prerendered in its initial state, separately, so that the browser
 * finds its elements and the page around it needs no hydration marks. Only for prerendered pages.
 */
export function Island<Name extends keyof IslandProps>(props: {
  readonly name: Name;
  readonly props: IslandProps[Name];
}): JSX.Element {
  const outer = sharedConfig.context;
  const id = `${props.name}-`;
  const html = renderToString(() => createComponent(islandComponents[props.name], props.props), { renderId: id });
  Object.assign(sharedConfig, { context: outer });
  return (
    <div data-island={props.name} data-render-id={id} data-props={JSON.stringify(props.props)}>
      {ssr(html) as unknown as JSX.Element}
    </div>
  );
}
