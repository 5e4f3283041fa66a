import { For, type JSX, Show } from "solid-js";
import { fill } from "../../i18n/messages.ts";
import { Icon } from "../../kit/icon.tsx";
import type { PageContext } from "../model.ts";
import { DocBlocks, Sentence } from "./doc-blocks.tsx";
import { DocKey, hasKeyPlace } from "./doc-key.tsx";
import { searchIndexPath } from "./doc-link.ts";
import { docList } from "./doc-list.ts";
import { docTexts } from "./messages/messages.ts";
import type { DocContent } from "./model.ts";

type DocArticleProps = {
  readonly path: string;
  readonly updatedOn: string;
  readonly content: DocContent;
  readonly context: PageContext;
  readonly markdownPath: string;
};

/** A page of the docs: the other pages beside it, its sections on the other side. */
export function DocArticle(props: DocArticleProps): JSX.Element {
  const { content, context } = props;
  const texts = docTexts[context.locale].frame;
  return (
    <div class="docs" data-origin={context.catalogue.origin}>
      <DocNav path={props.path} context={context} />
      <article class="doc">
        <h1>{content.title}</h1>
        <p class="lead">
          <Sentence text={content.lead} context={context} />
        </p>
        <p class="doc-tools">
          <a href={props.markdownPath}>{texts.asMarkdown}</a>
          <button
            type="button"
            class="button"
            data-copy-from={props.markdownPath}
            data-copied={texts.copied}
            data-waiting
          >
            <Icon name="copy" />
            <span>{texts.copyPage}</span>
          </button>
        </p>
        <Show when={hasKeyPlace(content)}>
          <DocKey path={props.path} context={context} />
        </Show>
        <For each={content.sections}>
          {(section) => (
            <section class="doc-section">
              <h2 id={section.id}>{section.title}</h2>
              <DocBlocks section={section} context={context} />
            </section>
          )}
        </For>
        <DocEnd path={props.path} updatedOn={props.updatedOn} context={context} />
      </article>
      <nav class="doc-toc" aria-label={texts.onThisPage}>
        <p aria-hidden="true">{texts.onThisPage}</p>
        <ul class="plain-list">
          <For each={content.sections}>
            {({ id, title }) => (
              <li>
                <a href={`#${id}`}>{title}</a>
              </li>
            )}
          </For>
        </ul>
      </nav>
      <p class="visually-hidden" role="status" data-copy-status />
      <DocSearch context={context} />
    </div>
  );
}

/** The pages of the docs, and what opens their search. @param path of the page that is shown */
export function DocNav(props: { readonly path: string; readonly context: PageContext }): JSX.Element {
  const texts = docTexts[props.context.locale];
  return (
    <nav class="doc-nav" aria-label={texts.frame.nav}>
      <button type="button" class="button doc-search-open" aria-keyshortcuts="/" data-search data-waiting>
        <Icon name="search" />
        <span>{texts.frame.search}</span>
      </button>
      <ul class="plain-list">
        <For each={docList}>
          {([path, name]) => (
            <li>
              <a href={props.context.link(path)} aria-current={path === props.path ? "page" : undefined}>
                {name(texts, props.context.locale).title}
              </a>
            </li>
          )}
        </For>
      </ul>
    </nav>
  );
}

/** Filled by the script; without it, the button that opens it stays hidden. */
export function DocSearch(props: { readonly context: PageContext }): JSX.Element {
  const { locale, link } = props.context;
  const texts = docTexts[locale].frame;
  return (
    <dialog
      class="doc-search"
      aria-label={texts.search}
      data-index={link(searchIndexPath)}
      data-none={texts.searchNone}
      data-failed={texts.searchFailed}
    >
      <input type="search" maxlength="100" autocomplete="off" placeholder={texts.search} aria-label={texts.search} />
      <ul class="plain-list" />
      <p role="status" />
    </dialog>
  );
}

function DocEnd(props: Pick<DocArticleProps, "path" | "updatedOn" | "context">): JSX.Element {
  const { locale, formats, link } = props.context;
  const texts = docTexts[locale];
  const at = docList.findIndex(([path]) => path === props.path);
  const [previous, next] = [docList[at - 1], docList[at + 1]];
  const date = <time datetime={props.updatedOn}>{formats.date(`${props.updatedOn}T12:00:00Z`)}</time>;
  const [before = "", after = ""] = fill(texts.frame.updated, { date: "\n" }).split("\n");
  return (
    <footer class="doc-end">
      <p class="doc-updated">
        {before}
        {date}
        {after}
      </p>
      <nav class="doc-turn" aria-label={`${texts.frame.previous}, ${texts.frame.next}`}>
        {previous === undefined ? null : (
          <a href={link(previous[0])} rel="prev">
            <small>{texts.frame.previous}</small>
            {previous[1](texts, locale).title}
          </a>
        )}
        {next === undefined ? null : (
          <a class="doc-next" href={link(next[0])} rel="next">
            <small>{texts.frame.next}</small>
            {next[1](texts, locale).title}
          </a>
        )}
      </nav>
    </footer>
  );
}
