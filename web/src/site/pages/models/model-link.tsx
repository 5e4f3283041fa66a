import { type JSX, Show } from "solid-js";
import type { PageContext } from "../../model.ts";
import { modelPath, modelsWithPage } from "./model-path.ts";

/** Links to the page of a model, if it has one. */
export function ModelLink(props: {
  readonly name: string;
  readonly context: PageContext;
  readonly children: JSX.Element;
}): JSX.Element {
  const { catalogue, link } = props.context;
  const path = modelsWithPage(catalogue.models).some(({ name }) => name === props.name) ? modelPath(props.name) : null;
  return (
    <Show when={path} fallback={props.children}>
      {(each) => <a href={link(each())}>{props.children}</a>}
    </Show>
  );
}
