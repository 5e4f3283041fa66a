import { type BrandImageKind, imageBytesMax } from "@sluice/contracts/brand";
import type { savedImageResponse } from "@sluice/contracts/branding";
import { createUniqueId, For, type JSX, Show } from "solid-js";
import { apiPost } from "../../../api/client.ts";
import { Button } from "../../../kit/button.tsx";
import { formats } from "../../formats.ts";
import { createAction } from "../../parts/actions.ts";
import { shownMoment } from "../../shown.ts";
import { rich, t } from "../../translate.ts";
import styles from "./branding.module.css";
import { type BrandingData, brandingPath } from "./branding.ts";

type Image = BrandingData["images"][number];

const kinds: readonly {
  readonly kind: BrandImageKind;
  readonly title: string;
  readonly text: string;
  readonly takes: string;
  readonly theme: "light" | "dark" | "none";
}[] = [
  {
    kind: "logo_light",
    title: t("Logo on light pages"),
    text: t("Replaces the mark; also in e-mails if it is a PNG or WebP file."),
    takes: "image/png,image/webp,image/svg+xml",
    theme: "light",
  },
  {
    kind: "logo_dark",
    title: t("Logo on dark pages"),
    text: t("Without one, the other logo is used on dark pages too."),
    takes: "image/png,image/webp,image/svg+xml",
    theme: "dark",
  },
  {
    kind: "icon",
    title: t("Icon"),
    text: t("In tabs and bookmarks; square."),
    takes: "image/png,image/svg+xml",
    theme: "none",
  },
  {
    kind: "social",
    title: t("Link preview image"),
    text: t("Shown where somebody shares a link; best 1200 x 630 pixels."),
    takes: "image/png,image/jpeg",
    theme: "none",
  },
];

/** The images of the operator, each with the page that it is shown on. */
export function Images(props: { readonly images: BrandingData["images"]; readonly mayChange: boolean }): JSX.Element {
  return (
    <div class={styles["images"]}>
      <For each={kinds}>
        {(each) => (
          <ImageSlot
            {...each}
            image={props.images.find(({ kind }) => kind === each.kind) ?? null}
            mayChange={props.mayChange}
          />
        )}
      </For>
    </div>
  );
}

function ImageSlot(
  props: (typeof kinds)[number] & { readonly image: Image | null; readonly mayChange: boolean },
): JSX.Element {
  const id = createUniqueId();
  const action = createAction(brandingPath);
  let input: HTMLInputElement | undefined;
  const save = async (file: string | null, done: string): Promise<string> => {
    const replaces = props.image?.hash ?? null;
    await apiPost<typeof savedImageResponse>("/backend/admin/branding/image/save/", {
      kind: props.kind,
      file,
      replaces,
    });
    return done;
  };
  const upload = async (file: File): Promise<string> => {
    if (file.size > imageBytesMax) {
      throw new Error(
        t("The file may have up to {imageBytesMax} KiB; this one has more.", { imageBytesMax: imageBytesMax / 1024 }),
      );
    }
    return await save(await base64Of(file), t("{title}: saved", { title: props.title }));
  };
  const onChoice = (): void => {
    const file = input?.files?.[0];
    if (file !== undefined) {
      void action
        .run(() => upload(file))
        .finally(() => {
          if (input !== undefined) {
            input.value = "";
          }
        });
    }
  };
  return (
    <section class={styles["slot"]} aria-labelledby={id}>
      <h3 id={id}>{props.title}</h3>
      <p class="muted">{props.text}</p>
      <div class={styles["sample"]} data-sample={props.theme}>
        <Show when={props.image} fallback={<span class="muted">{t("None")}</span>}>
          {(image) => <img src={image().url} alt="" />}
        </Show>
      </div>
      <Show when={props.image}>
        {(image) => (
          <p class="muted">
            {rich("{width} x {height}, {bytes} KiB. Changed by {updated_by}, {updated_at}.", {
              width: image().width,
              height: image().height,
              bytes: formats.number(Math.ceil(image().bytes / 1024)),
              updated_by: image().updated_by,
              updated_at: shownMoment(image().updated_at),
            })}
          </p>
        )}
      </Show>
      <Show when={props.mayChange}>
        <div class="button-row">
          <input ref={input} type="file" hidden accept={props.takes} onChange={onChoice} />
          <Button isBusy={action.isBusy()} aria-describedby={id} onClick={() => input?.click()}>
            {props.image === null ? t("Upload") : t("Replace")}
          </Button>
          <Show when={props.image}>
            <Button
              variant="quiet"
              aria-describedby={id}
              isBusy={action.isBusy()}
              onClick={() => void action.run(() => save(null, t("{title}: removed", { title: props.title })))}
            >
              {t("Remove")}
            </Button>
          </Show>
        </div>
      </Show>
    </section>
  );
}

async function base64Of(file: File): Promise<string> {
  const bytes = new Uint8Array(await file.arrayBuffer());
  return btoa(Array.from(bytes, (byte) => String.fromCharCode(byte)).join(""));
}
