import type { keyListResponse } from "@sluice/contracts/keys";
import { useQueryClient } from "@tanstack/solid-query";
import { createMemo, createSignal, type JSX, lazy, Show, Suspense } from "solid-js";
import { apiGet } from "../../../api/client.ts";
import { Button } from "../../../kit/button.tsx";
import { Icon } from "../../../kit/icon.tsx";
import { ErrorState, LoadingPart } from "../../../kit/states.tsx";
import { Status, type Tone } from "../../../kit/status.tsx";
import { onAskedToCreate } from "../../../shell/on-asked-to-create.ts";
import { DataTable } from "../../../table/data-table.tsx";
import type { Column } from "../../../table/model.ts";
import { createTableState } from "../../../table/table-state.ts";
import { acting } from "../../acting-for.ts";
import { ConsoleHead } from "../../console-head.tsx";
import { formats } from "../../formats.ts";
import { createCursorList } from "../../parts/cursor-list.ts";
import { browserZone } from "../../parts/days.ts";
import { type ApiKey, createSummaryQuery, type Sums } from "../../parts/queries.ts";
import { LimitCell } from "./limit-cell.tsx";
import type { MadeKey } from "./made-key.tsx";
import { keysArea } from "./messages/messages.ts";

const importMadeKey = () => import("./made-key.tsx");
const MadeKeyDialog = lazy(async () => ({ default: (await importMadeKey()).MadeKeyDialog }));
/** With the dialog that shows a key: nothing that can make one is there before it, because a key is shown once. */
const CreateKeyDialog = lazy(async () => {
  const [{ CreateKeyDialog: Dialog }] = await Promise.all([import("./create-key.tsx"), importMadeKey()]);
  return { default: Dialog };
});
const KeyPanel = lazy(async () => {
  const [{ KeyPanel: Panel }] = await Promise.all([import("./key-panel.tsx"), importMadeKey()]);
  return { default: Panel };
});

const tones: Readonly<Record<ApiKey["status"], Tone>> = {
  active: "ok",
  disabled: "neutral",
  expired: "warn",
  revoked: "neutral",
};

/** The keys of the account: their limits, their spending, and all actions on them. */
export function Page(): JSX.Element {
  const texts = keysArea.texts();
  const client = useQueryClient();
  const state = createTableState({ filters: ["status"] });
  const creation = createCreation();
  onAskedToCreate(creation.open);
  const [made, setMade] = createSignal<MadeKey | null>(null);
  const list = createCursorList<ApiKey>({
    name: "keys",
    state,
    load: async (query, signal) => {
      const { keys, next_cursor } = await apiGet<typeof keyListResponse>("/backend/keys/list/", { query, signal });
      return { rows: keys, next_cursor };
    },
  });
  const summary = createSummaryQuery(() => ({ zone: browserZone() }));
  const spentBy = (key: ApiKey): Sums | undefined => summary.data?.by_key.find(({ key_id }) => key_id === key.key_id);
  const changed = (): void => {
    void client.invalidateQueries({ queryKey: ["keys"] });
  };
  const create = (): JSX.Element => (
    <Button variant="primary" onClick={creation.open}>
      <Icon name="plus" />
      {texts.create}
    </Button>
  );
  return (
    <>
      <ConsoleHead texts={texts} actions={create()} />
      <Show when={summary.isError && summary.data === undefined ? summary.error : null}>
        {(error) => <ErrorState error={error()} onRetry={() => void summary.refetch()} />}
      </Show>
      <DataTable<ApiKey>
        {...list}
        name="keys"
        label={texts.list}
        state={state}
        columns={columnsOf((key) =>
          summary.data === undefined ? "–" : formats.quotaRounded(spentBy(key)?.settled_quota ?? 0),
        )}
        rowId={(key) => String(key.key_id)}
        filters={[{ id: "status", label: texts.show, options: [{ value: "live", label: texts.liveOnly }] }]}
        empty={{ title: texts.emptyTitle, text: texts.emptyText, actions: create() }}
        panel={{
          title: (key) => key.name,
          content: (key) => (
            <Suspense fallback={<LoadingPart />}>
              <KeyPanel apiKey={key} onChanged={changed} onMade={setMade} />
            </Suspense>
          ),
        }}
      />
      <KeyDialogs creation={creation} made={made()} onMade={setMade} onChanged={changed} />
    </>
  );
}

type Creation = {
  readonly isOpen: () => boolean;
  /** The dialog keeps its input once it was opened. */
  readonly hasOpened: () => boolean;
  readonly open: () => void;
  readonly close: () => void;
};

function createCreation(): Creation {
  const [isOpen, setIsOpen] = createSignal(false);
  const [hasOpened, setHasOpened] = createSignal(false);
  return {
    isOpen,
    hasOpened,
    open: () => {
      setHasOpened(true);
      setIsOpen(true);
    },
    close: () => setIsOpen(false),
  };
}

/** The dialog that makes a key, and the one that shows it. */
function KeyDialogs(props: {
  readonly creation: Creation;
  readonly made: MadeKey | null;
  readonly onMade: (key: MadeKey | null) => void;
  readonly onChanged: () => void;
}): JSX.Element {
  const hasMade = createMemo((before: boolean) => before || props.made !== null, false);
  return (
    <>
      <Show when={props.creation.hasOpened()}>
        <Suspense>
          <CreateKeyDialog
            isOpen={props.creation.isOpen()}
            onClose={props.creation.close}
            onMade={(key) => {
              props.creation.close();
              props.onChanged();
              props.onMade(key);
            }}
          />
        </Suspense>
      </Show>
      <Show when={hasMade()}>
        <Suspense>
          <MadeKeyDialog
            made={props.made}
            onClose={() => {
              props.onMade(null);
              props.onChanged();
            }}
          />
        </Suspense>
      </Show>
    </>
  );
}

function columnsOf(spent: (key: ApiKey) => string): readonly Column<ApiKey>[] {
  const texts = keysArea.texts();
  const now = Date.now();
  return [
    { id: "name", label: texts.fields.name.label, card: "title", cell: (key) => <bdi>{key.name}</bdi> },
    { id: "key", label: texts.key, cell: (key) => <code>{`${key.key_prefix}…${key.key_last_four}`}</code> },
    {
      id: "status",
      label: texts.status,
      card: "badge",
      cell: (key) =>
        key.lock_reason !== null && key.status !== "revoked" ? (
          <Status tone="bad">{texts.lockedWord}</Status>
        ) : key.status === "active" && !key.has_group ? (
          <Status tone="bad">{texts.refused}</Status>
        ) : (
          <Status tone={tones[key.status]}>{texts.statusNames[key.status]}</Status>
        ),
    },
    { id: "spent", label: texts.spent, align: "end", cell: spent },
    { id: "limit", label: texts.fields.quota_limit.short, cell: (key) => <LimitCell apiKey={key} /> },
    ...(acting === null
      ? []
      : [
          {
            id: "made_by",
            label: texts.madeBy,
            cell: (key: ApiKey) => (
              <>
                <bdi>{key.organisation?.member_email}</bdi>
                <div class="muted">
                  <bdi>{key.organisation?.project_name}</bdi>
                </div>
              </>
            ),
          },
        ]),
    {
      id: "last_used",
      label: texts.lastUsed,
      cell: (key) => (key.last_used_at === null ? texts.never : formats.relative(key.last_used_at, now)),
    },
    {
      id: "expires",
      label: texts.fields.expires_at.short,
      cell: (key) => (key.expires_at === null ? texts.endless : formats.date(key.expires_at)),
    },
  ];
}
