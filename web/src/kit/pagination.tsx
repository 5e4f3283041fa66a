import { isLocale } from "@sluice/contracts/locales";
import { createUniqueId, For, type JSX, Show } from "solid-js";
import { formatTagOf } from "../i18n/locale.ts";
import { fill } from "../i18n/messages.ts";
import { Button } from "./button.tsx";
import { Icon } from "./icon.tsx";
import { useKitTexts } from "./kit-texts.tsx";
import "./pagination.css";

const sizes = [25, 50, 100] as const;

type PaginationProps = {
  readonly pageSize: number;
  readonly onPageSize: (size: number) => void;
  /** Null on the first page. */
  readonly onFirst: (() => void) | null;
  /** Null on the last page. */
  readonly onNext: (() => void) | null;
  /** How many rows there are, if known. */
  readonly total?: { readonly count: number; readonly is_exact: boolean } | null | undefined;
};

/** A number in the language of the page. */
function written(count: number): string {
  const { lang } = document.documentElement;
  return count.toLocaleString(isLocale(lang) ? formatTagOf(lang) : "en");
}

/** Cursor paging: forward, back to the first, and the browser's Back for the previous one. */
export function Pagination(props: PaginationProps): JSX.Element {
  const texts = useKitTexts();
  const id = createUniqueId();
  return (
    <nav class="pagination" aria-label={texts().page}>
      <div class="pagination-part">
        <label for={id}>{texts().rowsPerPage}</label>
        <select
          id={id}
          class="input"
          value={String(props.pageSize)}
          onChange={(event) => props.onPageSize(Number(event.currentTarget.value))}
        >
          <For each={sizes}>{(size) => <option value={String(size)}>{size}</option>}</For>
        </select>
        <Show when={props.total}>
          {(total) => (
            <span>{fill(total().is_exact ? texts().inAll : texts().moreThan, { count: written(total().count) })}</span>
          )}
        </Show>
      </div>
      <Show when={props.onFirst !== null || props.onNext !== null}>
        <div class="pagination-part">
          <Button variant="quiet" disabled={props.onFirst === null} onClick={() => props.onFirst?.()}>
            {texts().firstPage}
          </Button>
          <Button disabled={props.onNext === null} onClick={() => props.onNext?.()}>
            {texts().nextPage}
            <Icon name="chevron" isMirrored />
          </Button>
        </div>
      </Show>
    </nav>
  );
}
