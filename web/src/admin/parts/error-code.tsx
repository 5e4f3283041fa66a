import { createSignal, type JSX, onCleanup, onMount, Show } from "solid-js";
import { whenIdle } from "../../kit/when-idle.ts";
import { dash } from "../shown.ts";
import { said } from "../translate.ts";

type Meanings = Readonly<Record<string, { readonly message: string }>>;

/** What the codes mean, loaded once a page that shows codes is there. */
const [meanings, setMeanings] = createSignal<Meanings>({});

/** The code of an error, as clients get it, and what it means in the language of the admin. */
export function ErrorCode(props: {
  readonly code: string | null;
  /** In a list the meaning is shown on hover only. */
  readonly isShort?: boolean;
  /** The code itself, if it is a link. */
  readonly children?: JSX.Element;
}): JSX.Element {
  onMount(() => onCleanup(whenIdle(() => void load())));
  const meaning = (): string | undefined => {
    const { message } = meanings()[props.code ?? ""] ?? {};
    return message === undefined ? undefined : said(message);
  };
  return (
    <Show when={props.code} fallback={dash}>
      {(code) => (
        <>
          <span title={props.isShort === true ? meaning() : undefined}>{props.children ?? <code>{code()}</code>}</span>
          <Show when={props.isShort === true ? undefined : meaning()}>
            {(text) => <div class="field-hint">{text()}</div>}
          </Show>
        </>
      )}
    </Show>
  );
}

async function load(): Promise<void> {
  if (Object.keys(meanings()).length === 0) {
    const { errorTable } = await import("@sluice/contracts/errors");
    setMeanings(errorTable);
  }
}
