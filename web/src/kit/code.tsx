import { createSignal, For, type JSX, onCleanup } from "solid-js";
import { Button } from "./button.tsx";
import { toCodeTokens } from "./code-tokens.ts";
import { Icon } from "./icon.tsx";
import { useKitTexts } from "./kit-texts.tsx";
import "./code.css";

const copiedMs = 2_000;

/** Copies a text and reports it, visually and to screen readers. */
export function CopyButton(props: {
  readonly text: () => string;
  /** What is copied, for screen readers, such as "Copy the key". */
  readonly label?: string;
  readonly variant?: "plain" | "quiet";
  readonly isSquare?: boolean;
  readonly onCopied?: () => void;
}): JSX.Element {
  const texts = useKitTexts();
  const [isCopied, setIsCopied] = createSignal(false);
  let timer: ReturnType<typeof setTimeout> | undefined;
  onCleanup(() => clearTimeout(timer));
  const copy = async (): Promise<void> => {
    if (!(await copyText(props.text()))) {
      return;
    }
    setIsCopied(true);
    props.onCopied?.();
    clearTimeout(timer);
    timer = setTimeout(() => setIsCopied(false), copiedMs);
  };
  return (
    <>
      <Button
        variant={props.variant ?? "plain"}
        shape={props.isSquare === true ? "square" : undefined}
        aria-label={props.label}
        onClick={() => void copy()}
      >
        <Icon name={isCopied() ? "check" : "copy"} />
        {props.isSquare === true ? null : isCopied() ? texts().copied : texts().copy}
      </Button>
      <span class="visually-hidden" role="status">
        {isCopied() ? texts().copied : ""}
      </span>
    </>
  );
}

/**
 * Pages over plain HTTP from another host have no clipboard API, and a browser may refuse it elsewhere, so the old
 * method remains as a fallback. Returns whether the text was copied: a failure is never reported as a success.
 */
async function copyText(text: string): Promise<boolean> {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    return copyAsSelected(text);
  }
}

function copyAsSelected(text: string): boolean {
  const area = document.createElement("textarea");
  area.value = text;
  area.setAttribute("readonly", "");
  area.style.setProperty("position", "fixed");
  // Inside an open dialog the rest of the page can't be selected.
  ([...document.querySelectorAll("dialog[open]")].at(-1) ?? document.body).append(area);
  area.select();
  const isCopied = document.execCommand("copy");
  area.remove();
  return isCopied;
}

/** A snippet with its copy button. The keyboard can scroll it. */
export function CodeBlock(props: { readonly code: string; readonly label: string }): JSX.Element {
  return (
    <div class="code">
      <section class="code-scroll" tabindex="0" aria-label={props.label}>
        <pre>
          <code>
            <For each={toCodeTokens(props.code)}>
              {(token) => <span data-token={token.kind === "plain" ? undefined : token.kind}>{token.text}</span>}
            </For>
          </code>
        </pre>
      </section>
      <CopyButton text={() => props.code} />
    </div>
  );
}

/** An id or a key in a line, with a button that copies it whole. */
export function CopyText(props: { readonly text: string; readonly label: string }): JSX.Element {
  return (
    <span class="copy-text">
      <code>{props.text}</code>
      <CopyButton text={() => props.text} label={props.label} variant="quiet" isSquare />
    </span>
  );
}
