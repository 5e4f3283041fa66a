import type { JSX } from "solid-js";
import type { PageContext } from "../model.ts";
import { Sentence } from "./doc-blocks.tsx";
import { docTexts } from "./messages/messages.ts";
import type { DocContent } from "./model.ts";
import { snippets } from "./snippets.ts";

/** Whether the code of a page has a placeholder for a key. */
export function hasKeyPlace({ sections }: DocContent): boolean {
  const names = sections.flatMap(({ blocks }) =>
    blocks.flatMap((block) =>
      block.kind === "snippet" ? [block.name] : block.kind === "tabs" ? block.tabs.map(({ name }) => name) : [],
    ),
  );
  return names.some((name) => snippets[name].includes("sk-..."));
}

/**
 * How a key gets into the code of the page. It contains both ways, for logged-in users and for others; the page is the
 * same for everyone, and the browser shows one of them.
 */
export function DocKey(props: { readonly path: string; readonly context: PageContext }): JSX.Element {
  const { context, path } = props;
  const texts = docTexts[context.locale].frame;
  const login = context.formLink("/login/");
  const next = encodeURIComponent(`${context.link(path)}?signed-in`);
  return (
    <aside class="doc-key" aria-label={texts.key} data-created={texts.keyCreated} data-failed={texts.keyFailed}>
      <p>
        <Sentence text={texts.keyPlace} context={context} />
      </p>
      <p class="doc-key-ways">
        <a class="button" data-for="visitor" href={`${login}${login.includes("?") ? "&" : "?"}next=${next}`}>
          {texts.keyLogIn}
        </a>
        <button type="button" class="button" data-for="user" data-create-key>
          {texts.keyCreate}
        </button>
        <a data-for="user" href="/console/keys/">
          {texts.keyManage}
        </a>
      </p>
      <p role="status" data-key-status />
    </aside>
  );
}
