import { type JSX, Show } from "solid-js";
import "./announcement.css";

/** What the operator announces, which the server writes into the document; nothing where it wrote nothing. */
export function AnnouncementLine(): JSX.Element {
  const written = document.querySelector<HTMLMetaElement>('meta[name="announcement"]');
  const text = written?.content ?? "";
  const url = written?.dataset["url"] ?? "";
  return (
    <Show when={text !== ""}>
      <p class="announcement" dir="auto">
        <Show when={url !== ""} fallback={text}>
          <a href={url}>{text}</a>
        </Show>
      </p>
    </Show>
  );
}
