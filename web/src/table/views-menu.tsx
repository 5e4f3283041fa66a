import { createEffect, createSignal, type JSX, Show, useContext } from "solid-js";
import { createForm } from "../form/create-form.ts";
import { fill } from "../i18n/messages.ts";
import { Button } from "../kit/button.tsx";
import { Dialog } from "../kit/dialog.tsx";
import { Checkbox, TextField } from "../kit/field.tsx";
import { Icon } from "../kit/icon.tsx";
import { useKitTexts } from "../kit/kit-texts.tsx";
import { Menu, type MenuEntry } from "../kit/menu.tsx";
import { ErrorState } from "../kit/states.tsx";
import { showsSame, type View, type ViewStore, ViewStoreContext } from "../kit/table-views.ts";
import { showToast } from "../kit/toast.tsx";
import type { TableLayout } from "./table-layout.ts";
import type { TableState } from "./table-state.ts";

type ViewsProps = {
  /** The list, as the store names it. */
  readonly name: string;
  readonly state: TableState;
  readonly layout: Pick<TableLayout<never>, "hidden" | "hide">;
};

/** Saved views of a list: chosen, saved and removed here. An address without anything of the list opens the default. */
export function ViewsMenu(props: ViewsProps): JSX.Element {
  const store = useContext(ViewStoreContext);
  return <Show when={props.name !== "" ? store : null}>{(found) => <StoredViews {...props} store={found()} />}</Show>;
}

function StoredViews(props: ViewsProps & { readonly store: ViewStore }): JSX.Element {
  const texts = useKitTexts();
  const [isSaving, setIsSaving] = createSignal(false);
  const views = (): readonly View[] => props.store.viewsOf(props.name) ?? [];
  const shown = () => ({ query: props.state.viewQuery(), hidden: props.layout.hidden() });
  const current = (): View | undefined => views().find((view) => showsSame(view, shown()));
  const apply = (view: View, isFirst: boolean): void => {
    props.state.applyView(view.query, isFirst);
    props.layout.hide(view.hidden);
  };
  // Only an address that says nothing about the list leaves it to the default, and only once.
  let isFresh = props.state.isPlain();
  createEffect(() => {
    const loaded = props.store.viewsOf(props.name);
    if (isFresh && loaded !== undefined) {
      isFresh = false;
      const first = loaded.find(({ isDefault }) => isDefault);
      if (first !== undefined && props.state.isPlain()) {
        apply(first, true);
      }
    }
  });
  const remove = async (name: string): Promise<void> => {
    try {
      await props.store.remove(props.name, name);
    } catch (error) {
      showToast(error instanceof Error ? error.message : String(error), "bad");
    }
  };
  const entries = (): MenuEntry[] => [
    ...views().map((view) => ({
      label: view.isDefault ? `${view.name} (${texts().defaultView})` : view.name,
      isChecked: view.name === current()?.name,
      closes: true,
      onSelect: () => apply(view, false),
    })),
    ...(views().length === 0 ? [] : ["line" as const]),
    { label: texts().saveView, onSelect: () => setIsSaving(true) },
    ...(current() === undefined
      ? []
      : [
          {
            label: fill(texts().removeView, { name: current()?.name ?? "" }),
            tone: "bad" as const,
            onSelect: () => void remove(current()?.name ?? ""),
          },
        ]),
  ];
  return (
    <>
      <Menu label={texts().views} align="end" shape="square" button={<Icon name="layers" />} entries={entries()} />
      <Dialog isOpen={isSaving()} onClose={() => setIsSaving(false)} title={texts().saveView}>
        <ViewForm
          first={current()}
          onSave={async (named) => await props.store.save(props.name, { ...shown(), ...named })}
          onDone={() => setIsSaving(false)}
        />
      </Dialog>
    </>
  );
}

const nameLengthMax = 60;

function ViewForm(props: {
  readonly first: View | undefined;
  readonly onSave: (view: Pick<View, "name" | "isDefault">) => Promise<void>;
  readonly onDone: () => void;
}): JSX.Element {
  const texts = useKitTexts();
  const form = createForm({
    initial: { name: props.first?.name ?? "", isDefault: props.first?.isDefault ?? false },
    check: ({ name }) => (name.trim() === "" ? { name: texts().viewNameMissing } : {}),
    submit: async ({ name, isDefault }) => {
      await props.onSave({ name: name.trim(), isDefault });
      props.onDone();
    },
  });
  return (
    <form class="form" onSubmit={form.onSubmit} noValidate>
      <Show when={form.problem()}>{(problem) => <ErrorState title={texts().viewNotSaved} error={problem()} />}</Show>
      <p class="muted">{texts().viewHolds}</p>
      <TextField label={texts().viewName} maxlength={nameLengthMax} autocomplete="off" {...form.text("name")} />
      <Checkbox label={texts().opensWithView} {...form.flag("isDefault")} />
      <div class="form-actions">
        <Button type="submit" variant="primary" isBusy={form.isSubmitting()}>
          {texts().save}
        </Button>
        <Button onClick={() => props.onDone()}>{texts().cancel}</Button>
      </div>
    </form>
  );
}
