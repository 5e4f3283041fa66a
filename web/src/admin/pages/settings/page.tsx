import type { clearedCacheOutput } from "@sluice/contracts/response-cache";
import type { SettingView, settingOutput, settingView } from "@sluice/contracts/settings";
import type { ResponseOf } from "@sluice/contracts/wire";
import { For, type JSX, Match, Show, Switch } from "solid-js";
import { apiPost } from "../../../api/client.ts";
import { createForm } from "../../../form/create-form.ts";
import { Button } from "../../../kit/button.tsx";
import { Card } from "../../../kit/card.tsx";
import { TextField } from "../../../kit/field.tsx";
import { ErrorState, LoadingPart, Notice } from "../../../kit/states.tsx";
import { Badge } from "../../../kit/status.tsx";
import { showToast } from "../../../kit/toast.tsx";
import { PageHead } from "../../../shell/shell.tsx";
import { useAdminTitle } from "../../admin-title.ts";
import { formats } from "../../formats.ts";
import { createAction, useRefresh } from "../../parts/actions.ts";
import { outcomeText } from "../../parts/approval.tsx";
import { ChoiceField } from "../../parts/choice-field.tsx";
import { wholeOrNull } from "../../parts/field-values.ts";
import { createMe } from "../../parts/rights.tsx";
import { createSettings, SecondPersonNotice } from "../../parts/second-person.tsx";
import { shownMoment, shownWord } from "../../shown.ts";
import styles from "./settings.module.css";

type Setting = ResponseOf<typeof settingView>;

const path = "/backend/admin/settings/list/";

const areaTitles: Readonly<Record<string, string>> = {
  brand: "Brand",
  announcement: "Announcement",
  trace: "Trace",
  cache: "Response cache",
  analytics: "Analytics",
  accounts: "Logins and registration",
  admin: "Rights of admins",
};

/** What can be changed while the service runs, by area. */
export function Page(): JSX.Element {
  useAdminTitle(() => "Settings");
  const me = createMe();
  const query = createSettings();
  return (
    <>
      <PageHead
        title="Settings"
        text="Changes take effect at once, in every instance, and are recorded in the audit log."
      />
      <Show when={me.admin() === undefined ? me.error() : null}>
        {(error) => <ErrorState title="Your rights could not be checked" error={error()} onRetry={me.retry} />}
      </Show>
      <Show when={me.admin()?.is_super === false}>
        <Notice tone="warn">
          <span>
            Only super-admins can change settings. <strong>{me.admin()?.username}</strong> is logged in as an admin
            without that right and can only view them.
          </span>
        </Notice>
      </Show>
      <Switch fallback={<LoadingSettings />}>
        <Match when={query.isError && query.data === undefined}>
          <ErrorState error={query.error} onRetry={() => void query.refetch()} />
        </Match>
        <Match when={query.data}>
          {(answer) => (
            <For each={areasOf(answer().settings)}>
              {([area, names]) => (
                <Card title={areaTitles[area] ?? shownWord(area)}>
                  <Show when={area === "admin"}>
                    <SecondPersonNotice what="What lets one admin do more than now waits" />
                  </Show>
                  <Show when={area === "cache"}>
                    <ClearCache />
                  </Show>
                  <For each={names}>
                    {(name) => (
                      <Show when={answer().settings.find((setting) => setting.name === name)} keyed>
                        {(setting) => <SettingForm setting={setting} mayChange={me.isSuper()} />}
                      </Show>
                    )}
                  </For>
                </Card>
              )}
            </For>
          )}
        </Match>
      </Switch>
    </>
  );
}

/** Every admin may forget what is stored: it costs no more than some calls to providers. */
function ClearCache(): JSX.Element {
  const action = createAction();
  const clear = async (): Promise<string> => {
    await apiPost<typeof clearedCacheOutput>("/backend/admin/response-cache/clear/", {});
    return "The response cache is empty";
  };
  return (
    <div class="button-row">
      <Button isBusy={action.isBusy()} onClick={() => void action.run(clear)}>
        Clear the cache
      </Button>
    </div>
  );
}

function LoadingSettings(): JSX.Element {
  return (
    <Card title="Settings">
      <LoadingPart size="page" />
    </Card>
  );
}

/** The names of each area, in the order in which the service lists them. */
function areasOf(settings: readonly Setting[]): readonly (readonly [string, readonly string[]])[] {
  const areas = new Map<string, string[]>();
  for (const { name } of settings) {
    const area = name.split(".")[0] ?? name;
    areas.set(area, [...(areas.get(area) ?? []), name]);
  }
  return [...areas];
}

function SettingForm(props: { readonly setting: Setting; readonly mayChange: boolean }): JSX.Element {
  const { setting } = props;
  const refresh = useRefresh(path);
  const action = createAction(path);
  const save = async (value: SettingView["value"] | string | null, done: string): Promise<string> => {
    const { name, version } = setting;
    const answer = await apiPost<typeof settingOutput>("/backend/admin/settings/save/", { name, value, version });
    return outcomeText(answer, () => done);
  };
  const form = createForm({
    initial: { value: String(setting.value) },
    check: ({ value }) =>
      setting.kind !== "text" && value.trim() === "" ? { value: "Enter a value, or use the default." } : {},
    submit: async ({ value }) => {
      const wanted = toValue(setting, value);
      showToast(await save(wanted, `${setting.name} saved`));
      await refresh();
      // A value waiting for a second person is not in effect yet.
      form.reset({ value: String(setting.value) });
    },
  });
  const isFixed = (): boolean => setting.source === "environment";
  return (
    <form class={styles["setting"]} onSubmit={form.onSubmit} noValidate aria-label={setting.name}>
      <div>
        <div class="button-row">
          <code>{setting.name}</code>
          <Badge>{setting.source === "admin" ? "changed" : setting.source}</Badge>
        </div>
        <p class="muted">{setting.description}</p>
        <p class="muted">{factsOf(setting)}</p>
      </div>
      <div class={styles["control"]}>
        <SettingField setting={setting} form={form} isDisabled={isFixed() || !props.mayChange} />
        <Show when={form.problem()}>{(problem) => <ErrorState title="Nothing was changed" error={problem()} />}</Show>
        <Show when={props.mayChange && !isFixed()}>
          <div class="button-row">
            <Button type="submit" isBusy={form.isSubmitting()} disabled={!form.isChanged()}>
              Save
            </Button>
            <Show when={setting.source === "admin"}>
              <Button
                variant="quiet"
                isBusy={action.isBusy()}
                onClick={() => void action.run(() => save(null, `${setting.name} was reset to its default`))}
              >
                Use the default
              </Button>
            </Show>
          </div>
        </Show>
      </div>
    </form>
  );
}

function toValue({ kind }: Setting, written: string): SettingView["value"] | null {
  if (kind === "text") {
    return written;
  }
  return kind === "boolean" ? written === "true" : wholeOrNull(written);
}

function SettingField(props: {
  readonly setting: Setting;
  readonly form: ReturnType<typeof createForm<{ value: string }>>;
  readonly isDisabled: boolean;
}): JSX.Element {
  const { setting, form } = props;
  const label = setting.unit === null ? "Value" : `Value, ${setting.unit}`;
  return (
    <Show
      when={setting.kind === "boolean"}
      fallback={
        <TextField
          label={label}
          inputmode={setting.kind === "integer" ? "numeric" : "text"}
          disabled={props.isDisabled}
          {...form.text("value")}
        />
      }
    >
      <ChoiceField
        label={label}
        disabled={props.isDisabled}
        options={[
          { value: "true", label: "on" },
          { value: "false", label: "off" },
        ]}
        {...form.text("value")}
      />
    </Show>
  );
}

function factsOf(setting: Setting): string {
  const shown = (value: Setting["value"]): string => {
    if (typeof value === "string") {
      return value === "" ? "empty" : value;
    }
    return typeof value === "boolean" ? (value ? "on" : "off") : formats.number(value);
  };
  const range =
    setting.min === null || setting.max === null
      ? ""
      : ` From ${formats.number(setting.min)} to ${formats.number(setting.max)}.`;
  const changed =
    setting.updated_by === null ? "" : ` Changed by ${setting.updated_by}, ${shownMoment(setting.updated_at)}.`;
  const fixed = setting.source === "environment" ? ` Set by ${setting.variable} when the service starts.` : "";
  return `Default: ${shown(setting.default)}.${range}${changed}${fixed}`;
}
