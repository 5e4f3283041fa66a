import { type KeyField, keyFields } from "@sluice/contracts/key-fields";
import type { keyResponse, rotatedKeyResponse } from "@sluice/contracts/keys";
import { createMutation } from "@tanstack/solid-query";
import { createSignal, For, type JSX, Show } from "solid-js";
import { apiPost } from "../../../api/client.ts";
import { createForm } from "../../../form/create-form.ts";
import { fill } from "../../../i18n/messages.ts";
import { Button } from "../../../kit/button.tsx";
import { Facts } from "../../../kit/card.tsx";
import { ConfirmDialog } from "../../../kit/confirm-dialog.tsx";
import { Dialog } from "../../../kit/dialog.tsx";
import { SelectField, TextField } from "../../../kit/field.tsx";
import { ErrorState, Notice } from "../../../kit/states.tsx";
import { showToast } from "../../../kit/toast.tsx";
import { formats } from "../../formats.ts";
import type { ApiKey } from "../../parts/queries.ts";
import { checkKey, fieldTexts, toKeyChange, toKeyValues } from "./key-fields.ts";
import { KeyUsage } from "./key-usage.tsx";
import styles from "./keys.module.css";
import { LimitCell } from "./limit-cell.tsx";
import { LimitFields } from "./limit-fields.tsx";
import type { MadeKey } from "./made-key.tsx";
import { keysArea } from "./messages/messages.ts";

type KeyPanelProps = {
  readonly apiKey: ApiKey;
  readonly onChanged: () => void;
  readonly onMade: (key: MadeKey) => void;
};

type Asked = "limits" | "rotate" | "revoke" | null;

/** One key: its usage, its limits, and the possible actions. */
export function KeyPanel(props: KeyPanelProps): JSX.Element {
  const texts = keysArea.texts();
  const [asked, setAsked] = createSignal<Asked>(null);
  const close = (): void => {
    setAsked(null);
  };
  const change = createMutation(() => ({
    mutationFn: (action: "enable" | "disable" | "revoke") =>
      apiPost<typeof keyResponse>(`/backend/keys/${action}/`, { key_id: props.apiKey.key_id }),
    onSuccess: (_answer, action) => {
      showToast({ enable: texts.enabled, disable: texts.disabled, revoke: texts.revoked }[action]);
      if (action === "revoke") {
        close();
      }
      props.onChanged();
    },
  }));
  const isOver = (): boolean => props.apiKey.status === "revoked" || props.apiKey.rotated_to_id !== null;
  return (
    <div class={styles["detail"]}>
      <Show when={props.apiKey.status !== "revoked"}>
        <div class={styles["actions"]}>
          <Show when={!isOver() && props.apiKey.lock_reason === null}>
            <Button onClick={() => setAsked("limits")}>{texts.limits}</Button>
            <Button onClick={() => setAsked("rotate")}>{texts.rotate}</Button>
            <Show when={props.apiKey.status !== "expired"}>
              <Button
                isBusy={change.isPending}
                onClick={() => change.mutate(props.apiKey.status === "disabled" ? "enable" : "disable")}
              >
                {props.apiKey.status === "disabled" ? texts.enable : texts.disable}
              </Button>
            </Show>
          </Show>
          <Button variant="danger" onClick={() => setAsked("revoke")}>
            {texts.revoke}
          </Button>
        </div>
      </Show>
      <Show when={props.apiKey.status === "revoked" ? null : props.apiKey.lock_reason}>
        {(reason) => <Notice tone="bad">{fill(texts.locked, { reason: reason() })}</Notice>}
      </Show>
      <Show when={!props.apiKey.has_group}>
        <Notice tone="bad">{fill(texts.groupLost, { group: props.apiKey.group })}</Notice>
      </Show>
      <Show when={change.error}>{(error) => <ErrorState title={texts.failed} error={error()} />}</Show>
      <KeyUsage keyId={String(props.apiKey.key_id)} />
      <KeyFacts apiKey={props.apiKey} />
      <LimitsDialog {...props} isOpen={asked() === "limits"} onClose={close} />
      <RotateDialog {...props} isOpen={asked() === "rotate"} onClose={close} />
      <ConfirmDialog
        isOpen={asked() === "revoke"}
        onClose={close}
        title={fill(texts.revokeTitle, { name: props.apiKey.name })}
        action={texts.revokeAction}
        typed={{ word: props.apiKey.name, label: fill(texts.revokeTyped, { name: props.apiKey.name }) }}
        isBusy={change.isPending}
        onConfirm={() => change.mutate("revoke")}
      >
        {texts.revokeText}
      </ConfirmDialog>
    </div>
  );
}

function numeral(value: number | string | null): string | null {
  return value === null ? null : formats.number(Number(value));
}

function KeyFacts(props: { readonly apiKey: ApiKey }): JSX.Element {
  const texts = keysArea.texts();
  const moment = (time: string | null, otherwise: string): string =>
    time === null ? otherwise : formats.dateTime(time);
  const shown = (field: KeyField, key: ApiKey): JSX.Element => {
    switch (field.kind) {
      case "quota":
        return <LimitCell apiKey={key} />;
      case "period":
        return texts.periodNames[key[field.name]];
      case "models":
      case "addresses":
        return <bdi>{key[field.name]?.join(", ") ?? texts.allAllowed}</bdi>;
      case "moment":
        return moment(key[field.name], texts.endless);
      case "count":
        return numeral(key[field.name]) ?? texts.noLimit;
      default:
        // The name is the title of the panel, and a flag has no word of its own.
        return null;
    }
  };
  const facts = () => {
    const key = props.apiKey;
    return [
      { name: texts.key, value: <code>{`${key.key_prefix}…${key.key_last_four}`}</code> },
      ...keyFields.flatMap((field) => {
        const value = shown(field, key);
        const { label, short } = fieldTexts(texts)[field.name];
        return value === null ? [] : [{ name: short ?? label, value }];
      }),
      { name: texts.group, value: <bdi>{key.group}</bdi> },
      ...(key.organisation === null
        ? []
        : [
            { name: texts.madeBy, value: <bdi>{key.organisation.member_email}</bdi> },
            { name: texts.project, value: <bdi>{key.organisation.project_name ?? texts.noProject}</bdi> },
          ]),
      { name: texts.created, value: moment(key.created_at, "") },
      { name: texts.firstRequest, value: moment(key.first_request_at, texts.never) },
      { name: texts.lastUsed, value: moment(key.last_used_at, texts.never) },
      ...(key.rotated_from_id === null ? [] : [{ name: texts.replaces, value: String(key.rotated_from_id) }]),
      ...(key.rotated_to_id === null ? [] : [{ name: texts.replacedBy, value: String(key.rotated_to_id) }]),
    ];
  };
  return <Facts facts={facts()} />;
}

type DialogProps = KeyPanelProps & { readonly isOpen: boolean; readonly onClose: () => void };

function LimitsDialog(props: DialogProps): JSX.Element {
  const texts = keysArea.texts();
  const form = createForm({
    initial: toKeyValues(props.apiKey),
    check: (values) => checkKey(values, texts),
    submit: async (values) => {
      const { key_id, updated_at } = props.apiKey;
      await apiPost<typeof keyResponse>("/backend/keys/save/", {
        key_id,
        updated_at,
        ...toKeyChange(values, props.apiKey),
      });
      showToast(texts.saved);
      props.onClose();
      props.onChanged();
    },
  });
  return (
    <Dialog isOpen={props.isOpen} onClose={props.onClose} title={texts.limits}>
      <form class="form" onSubmit={form.onSubmit} noValidate>
        <TextField label={texts.fields.name.label} autocomplete="off" maxlength={100} {...form.text("name")} />
        <LimitFields form={form} />
        <Show when={form.problem()}>{(problem) => <ErrorState title={texts.failed} error={problem()} />}</Show>
        <div class="dialog-actions">
          <Button type="submit" variant="primary" isBusy={form.isSubmitting()}>
            {texts.save}
          </Button>
        </div>
      </form>
    </Dialog>
  );
}

const overlaps = { now: 0, quarter: 900, hour: 3_600, six: 21_600, day: 86_400 } as const;
const overlapIds = Object.keys(overlaps) as readonly (keyof typeof overlaps)[];

function RotateDialog(props: DialogProps): JSX.Element {
  const texts = keysArea.texts();
  const [overlap, setOverlap] = createSignal<keyof typeof overlaps>("hour");
  const rotate = createMutation(() => ({
    mutationFn: () =>
      apiPost<typeof rotatedKeyResponse>("/backend/keys/rotate/", {
        key_id: props.apiKey.key_id,
        overlap_seconds: overlaps[overlap()],
      }),
    onSuccess: ({ secret, key }) => {
      props.onClose();
      props.onChanged();
      if (secret !== null) {
        props.onMade({ keyId: String(key.key_id), secret });
      }
    },
  }));
  return (
    <Dialog isOpen={props.isOpen} onClose={props.onClose} title={fill(texts.rotateTitle, { name: props.apiKey.name })}>
      <form
        class="form"
        onSubmit={(event) => {
          event.preventDefault();
          rotate.mutate();
        }}
      >
        <p>{texts.rotateText}</p>
        <SelectField
          label={texts.overlap}
          value={overlap()}
          onChange={(event) => setOverlap(overlapIds.find((id) => id === event.currentTarget.value) ?? "hour")}
        >
          <For each={overlapIds}>
            {(id) => (
              <option value={id} selected={overlap() === id}>
                {texts.overlapNames[id]}
              </option>
            )}
          </For>
        </SelectField>
        <Show when={rotate.error}>{(error) => <ErrorState title={texts.failed} error={error()} />}</Show>
        <div class="dialog-actions">
          <Button type="submit" variant="primary" isBusy={rotate.isPending}>
            {texts.rotateAction}
          </Button>
        </div>
      </form>
    </Dialog>
  );
}
