import { createSignal, type JSX } from "solid-js";
import { CodeBlock } from "../../kit/code.tsx";
import { Tabs } from "../../kit/tabs.tsx";
import { makeSnippets, type SnippetId, type SnippetParts } from "./snippets.ts";

/** The same call for each tool. */
export function SnippetTabs(props: SnippetParts & { readonly label: string }): JSX.Element {
  const [chosen, setChosen] = createSignal<SnippetId>("curl");
  const snippets = () => makeSnippets(props);
  const code = (): string => snippets().find(({ id }) => id === chosen())?.code ?? "";
  return (
    <Tabs label={props.label} tabs={snippets()} selected={chosen()} onSelect={setChosen}>
      <CodeBlock code={code()} label={props.label} />
    </Tabs>
  );
}
