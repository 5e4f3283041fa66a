import { For, type JSX } from "solid-js";
import { toCodeTokens } from "../../kit/code-tokens.ts";
import { Icon } from "../../kit/icon.tsx";
import type { PageContext } from "../model.ts";
import type { CodeTab } from "./api/example-call.ts";
import { localized } from "./doc-link.ts";
import { fillSnippet, snippetValues } from "./fill-snippet.ts";
import { parseInline } from "./inline.ts";
import { docTexts } from "./messages/messages.ts";
import type { DocBlock, DocSection, SnippetTab } from "./model.ts";
import type { SnippetName } from "./snippet-names.ts";
import { snippets } from "./snippets.ts";

type InContext = { readonly context: PageContext };

/** A sentence with its code and links. */
export function Sentence(props: InContext & { readonly text: string }): JSX.Element {
  return (
    <For each={parseInline(props.text)}>
      {(piece) => {
        switch (piece.kind) {
          case "plain":
            return piece.text;
          case "code":
            return (
              <code dir="ltr" translate="no">
                {piece.text}
              </code>
            );
          case "link":
            return <a href={localized(props.context, piece.href)}>{piece.text}</a>;
        }
      }}
    </For>
  );
}

/** The content below the heading of a section. */
export function DocBlocks(props: InContext & { readonly section: DocSection }): JSX.Element {
  return (
    <For each={props.section.blocks}>
      {(block, index) => <Block block={block} id={`${props.section.id}-${index()}`} context={props.context} />}
    </For>
  );
}

function Block(props: InContext & { readonly block: DocBlock; readonly id: string }): JSX.Element {
  const { block, context } = props;
  switch (block.kind) {
    case "text":
      return (
        <p>
          <Sentence text={block.text} context={context} />
        </p>
      );
    case "heading":
      return <h3>{block.text}</h3>;
    case "steps":
      return (
        <ol>
          <Items items={block.items} context={context} />
        </ol>
      );
    case "list":
      return (
        <ul>
          <Items items={block.items} context={context} />
        </ul>
      );
    case "snippet":
      return <Code name={block.name} text={snippetText(block.name, context)} context={context} />;
    case "code":
      return <Code name={block.name} text={block.text} context={context} />;
    case "tabs":
      return <CodeTabs tabs={block.tabs.map((tab) => toCodeTab(tab, context))} id={props.id} context={context} />;
    case "code-tabs":
      return <CodeTabs tabs={block.tabs} id={props.id} context={context} />;
    case "error":
      return <ErrorEntry entry={block} context={context} />;
    case "table":
      return <Table table={block} context={context} />;
  }
}

function Items(props: InContext & { readonly items: readonly string[] }): JSX.Element {
  return (
    <For each={props.items}>
      {(item) => (
        <li>
          <Sentence text={item} context={props.context} />
        </li>
      )}
    </For>
  );
}

function snippetText(name: SnippetName, { catalogue }: PageContext): string {
  return fillSnippet(snippets[name], snippetValues(catalogue));
}

function toCodeTab({ label, name }: SnippetTab, context: PageContext): CodeTab {
  return { label, name, text: snippetText(name, context) };
}

function Code(props: InContext & { readonly name: string; readonly text: string }): JSX.Element {
  const { context, name } = props;
  const texts = docTexts[context.locale].frame;
  return (
    <div class="code" dir="ltr">
      <section class="code-scroll" tabindex="0" aria-label={`${texts.snippet}: ${name.replaceAll(/[-_]/g, " ")}`}>
        <pre>
          <code data-snippet={name} translate="no">
            <For each={toCodeTokens(props.text)}>
              {(token) => (token.kind === "plain" ? token.text : <span data-token={token.kind}>{token.text}</span>)}
            </For>
          </code>
        </pre>
      </section>
      <button type="button" class="button" data-copy data-copied={texts.copied} hidden>
        <Icon name="copy" />
        <span dir="auto">{texts.copy}</span>
      </button>
    </div>
  );
}

/** Radio buttons, so that they work without JavaScript, with the arrow keys, and announce the selected one. */
function CodeTabs(props: InContext & { readonly tabs: readonly CodeTab[]; readonly id: string }): JSX.Element {
  const texts = docTexts[props.context.locale].frame;
  return (
    <fieldset class="doc-tabs">
      <legend class="visually-hidden">{texts.choose}</legend>
      <For each={props.tabs}>
        {({ label }, index) => (
          <>
            <input
              type="radio"
              class="visually-hidden"
              id={`${props.id}-${index()}`}
              name={props.id}
              value={label}
              checked={index() === 0}
            />
            <label class="tab" for={`${props.id}-${index()}`} dir="ltr" translate="no">
              {label}
            </label>
          </>
        )}
      </For>
      <For each={props.tabs}>
        {({ name, text }) => (
          <div class="doc-panel">
            <Code name={name} text={text} context={props.context} />
          </div>
        )}
      </For>
    </fieldset>
  );
}

/** A code is the anchor that links to it name. */
function ErrorEntry(props: InContext & { readonly entry: DocBlock & { readonly kind: "error" } }): JSX.Element {
  const { codes, meaning, facts } = props.entry;
  return (
    <div class="doc-error">
      <h3 translate="no">
        <For each={codes}>
          {({ code, status }) => (
            <span id={code} dir="ltr">
              <code>{code}</code> <small>{status}</small>
            </span>
          )}
        </For>
      </h3>
      <p>
        <Sentence text={meaning} context={props.context} />
      </p>
      <dl>
        <For each={facts}>
          {([label, text]) => (
            <div>
              <dt>{label}</dt>
              <dd>
                <Sentence text={text} context={props.context} />
              </dd>
            </div>
          )}
        </For>
      </dl>
    </div>
  );
}

function Table(props: InContext & { readonly table: DocBlock & { readonly kind: "table" } }): JSX.Element {
  const { label, head, rows } = props.table;
  return (
    <section class="doc-table" tabindex="0" aria-label={label}>
      <table>
        <thead>
          <tr>
            <For each={head}>{(text) => <th scope="col">{text}</th>}</For>
          </tr>
        </thead>
        <tbody>
          <For each={rows}>
            {(cells) => (
              <tr>
                <For each={cells}>
                  {(text) => (
                    <td>
                      <Sentence text={text} context={props.context} />
                    </td>
                  )}
                </For>
              </tr>
            )}
          </For>
        </tbody>
      </table>
    </section>
  );
}
