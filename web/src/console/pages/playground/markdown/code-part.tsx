import { For, type JSX, Show } from "solid-js";
import { CopyButton } from "../../../../kit/code.tsx";
import { type CodeNode, highlight } from "./highlight.ts";
import styles from "./markdown.module.css";

/** A piece of code with its language, its colours, and a button that copies it. */
export function CodePart(props: {
  readonly code: string;
  readonly language: string;
  readonly copyLabel: string;
  /** Code that gets longer has no colours yet: they would be found again with each piece. */
  readonly isGrowing: boolean;
}): JSX.Element {
  const language = (): string => props.language.split(/\s/)[0]?.slice(0, 40) ?? "";
  return (
    <div class="code">
      <Show when={language()}>
        <span class={styles["language"]}>{language()}</span>
      </Show>
      <section class="code-scroll" tabindex="0">
        <pre>
          <code>
            <Show when={!props.isGrowing} fallback={props.code}>
              <Nodes nodes={highlight(props.code, language())} />
            </Show>
          </code>
        </pre>
      </section>
      <CopyButton text={() => props.code} label={props.copyLabel} />
    </div>
  );
}

function Nodes(props: { readonly nodes: readonly CodeNode[] }): JSX.Element {
  return (
    <For each={props.nodes}>
      {(node) => {
        if (node.type === "text") {
          return node.value;
        }
        return node.type === "element" ? (
          <span data-scope={scopeOf(node.properties["className"])}>
            <Nodes nodes={node.children} />
          </span>
        ) : null;
      }}
    </For>
  );
}

/** What a piece of code is, such as `keyword`: the first of its classes, without their prefix. */
function scopeOf(names: unknown): string | undefined {
  const [first] = Array.isArray(names) ? names : [];
  return typeof first === "string" ? first.replace(/^hljs-/, "") : undefined;
}
