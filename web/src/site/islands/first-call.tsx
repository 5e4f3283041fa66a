import { createMemo, createSignal, createUniqueId, For, type JSX, Show } from "solid-js";
import { toCodeTokens } from "../../kit/code-tokens.ts";
import { firstCallSnippets } from "./first-call-snippets.ts";
import { Choice, CopyButton } from "./small-parts.tsx";

export type FirstCallProps = {
  readonly origin: string;
  readonly models: readonly string[];
  readonly texts: {
    readonly example: string;
    readonly model: string;
    readonly copy: string;
    readonly copied: string;
  };
};

/** A first call, for a few clients and any model. */
export function FirstCall(props: FirstCallProps): JSX.Element {
  const id = createUniqueId();
  const [client, setClient] = createSignal("curl");
  const [model, setModel] = createSignal(props.models[0] ?? "gpt-4o-mini");
  const snippets = createMemo(() => firstCallSnippets(props.origin, model()));
  const code = (): string => snippets().find((each) => each.id === client())?.code ?? "";
  const onKey = (event: KeyboardEvent & { readonly currentTarget: HTMLElement }): void => {
    const names = snippets().map((each) => each.id);
    const forwards = getComputedStyle(event.currentTarget).direction === "rtl" ? "ArrowLeft" : "ArrowRight";
    const step = event.key === forwards ? 1 : /^Arrow(Left|Right)$/.test(event.key) ? -1 : 0;
    const next = names[(names.indexOf(client()) + step + names.length) % names.length];
    if (step !== 0 && next !== undefined) {
      event.preventDefault();
      setClient(next);
      document.getElementById(`${id}${next}`)?.focus();
    }
  };
  return (
    <div class="first-call">
      <div class="first-call-head">
        <div class="tabs" role="tablist" aria-label={props.texts.example} tabindex="-1" onKeyDown={onKey}>
          <For each={firstCallSnippets("", "")}>
            {(each) => (
              <button
                type="button"
                class="tab"
                role="tab"
                id={`${id}${each.id}`}
                aria-selected={each.id === client()}
                aria-controls={`${id}panel`}
                tabindex={each.id === client() ? 0 : -1}
                onClick={() => setClient(each.id)}
              >
                {each.label}
              </button>
            )}
          </For>
        </div>
        <Show when={props.models.length > 1}>
          <Choice
            label={props.texts.model}
            value={model()}
            options={props.models.map((name) => [name, name] as const)}
            onChange={setModel}
          />
        </Show>
      </div>
      <div class="code" role="tabpanel" id={`${id}panel`} aria-labelledby={`${id}${client()}`}>
        <section class="code-scroll" tabindex="0" aria-label={props.texts.example}>
          <pre>
            <code>
              <For each={toCodeTokens(code())}>{(token) => <span data-token={token.kind}>{token.text}</span>}</For>
            </code>
          </pre>
        </section>
        <CopyButton text={code()} texts={props.texts} hasLabel />
      </div>
    </div>
  );
}
