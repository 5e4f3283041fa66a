import type { adoptModelsOutput, channelTest } from "@sluice/contracts/catalog-admin";
import type { proposedModels } from "@sluice/contracts/model-proposals";
import type { ProviderPreset } from "@sluice/contracts/provider-presets";
import type { ResponseOf } from "@sluice/contracts/wire";
import { type Accessor, createSignal, onCleanup } from "solid-js";
import { createStore } from "solid-js/store";
import { ApiError, apiPost } from "../../../api/client.ts";
import { createForm, type Form } from "../../../form/create-form.ts";
import { useRefresh } from "../../parts/actions.ts";
import { orAbsent } from "../../parts/field-values.ts";
import { known, t } from "../../translate.ts";
import { names } from "../upstreams/settings-values.ts";
import { isTestable, type ModelRow, missing, rowProblems, toAdopted, toRow } from "./chosen-models.ts";
import { type ConnectionValues, connectionProblems, initialConnection, settingsOf } from "./connection.ts";

type Adopted = ResponseOf<typeof adoptModelsOutput>;

/** The channel that gets more models; null to create one. */
export type ExistingChannel = { readonly id: string; readonly name: string } | null;

export type Setup = {
  readonly form: Form<ConnectionValues>;
  /** Null until the list was fetched. */
  readonly rows: Accessor<readonly ModelRow[] | null>;
  /** How many models of the list no call can use. */
  readonly leftOut: Accessor<number>;
  readonly change: (index: number, change: Partial<ModelRow>) => void;
  readonly test: () => Promise<void>;
  /** How many of the chosen models have been tested, and how many are to be; null while no test runs. */
  readonly progress: Accessor<{ readonly done: number; readonly all: number } | null>;
  readonly save: (options: { readonly groupName: string; readonly isEnabled: boolean }) => Promise<void>;
  readonly isSaving: Accessor<boolean>;
  /** Why nothing was saved, as far as it is not at a field. */
  readonly problem: Accessor<Error | null>;
  readonly adopted: Accessor<Adopted | null>;
};

/** The backend takes four requests to upstreams at a time; one stays free for somebody else. */
const testsAtOnce = 3;

/** The state of adding a provider: its connection, its list of models, what is chosen, and the outcome. */
export function createSetup(preset: ProviderPreset | null, channel: ExistingChannel): Setup {
  const [rows, setRows] = createStore<{ list: ModelRow[] | null }>({ list: null });
  const [leftOut, setLeftOut] = createSignal(0);
  const form = createForm<ConnectionValues>({
    initial: initialConnection(preset),
    check: (values) => (channel === null ? connectionProblems(preset, values) : {}),
    submit: async (values) => {
      const entered = names(values.names);
      const { models, left_out: left } = await apiPost<typeof proposedModels>("/backend/admin/channel/models/", {
        ...targetOf(preset, channel, values),
        ...(entered.length === 0 ? {} : { names: entered }),
      });
      setRows({ list: models.map(toRow) });
      setLeftOut(left);
    },
  });
  const change = (index: number, part: Partial<ModelRow>): void => {
    if (rows.list !== null) {
      setRows("list", index, part);
    }
  };
  const state = { list: () => rows.list ?? [], change, target: () => targetOf(preset, channel, form.values()) };
  return {
    form,
    rows: () => rows.list,
    leftOut,
    change,
    ...createTests(state),
    ...createSaving({ ...state, form, channel }),
  };
}

type State = {
  readonly list: () => readonly ModelRow[];
  readonly change: Setup["change"];
  readonly target: () => object;
};

function targetOf(preset: ProviderPreset | null, channel: ExistingChannel, values: ConnectionValues): object {
  return channel === null
    ? { upstream: settingsOf(preset, values), credential: orAbsent(values.credential) }
    : { channel_id: channel.id };
}

/** The places of the chosen rows. */
function chosenOf({ list }: State): number[] {
  return list().flatMap(({ isChosen }, index) => (isChosen ? [index] : []));
}

function createTests(state: State): Pick<Setup, "test" | "progress"> {
  const [progress, setProgress] = createSignal<{ readonly done: number; readonly all: number } | null>(null);
  let isGone = false;
  onCleanup(() => {
    isGone = true;
  });
  const testOne = async (index: number): Promise<void> => {
    const row = state.list()[index];
    if (row === undefined || !isTestable(row)) {
      state.change(index, {
        test: {
          kind: "skipped",
          text: t("{kind}: not tested", { kind: row === undefined ? t("it") : known(row.fields.kind) }),
        },
      });
      return;
    }
    state.change(index, { test: { kind: "running" } });
    try {
      const { test: result } = (await apiPost("/backend/admin/channel/test/", {
        ...state.target(),
        model: row.proposal.upstream_model,
        model_kind: row.fields.kind,
      })) as { readonly test: ResponseOf<typeof channelTest> };
      state.change(index, { test: { kind: "done", result } });
    } catch (error) {
      state.change(index, { test: { kind: "skipped", text: textOf(error) } });
    }
  };
  const test = async (): Promise<void> => {
    const waiting = chosenOf(state);
    const all = waiting.length;
    setProgress({ done: 0, all });
    const work = async (): Promise<void> => {
      for (let index = waiting.shift(); index !== undefined && !isGone; index = waiting.shift()) {
        await testOne(index);
        setProgress((now) => ({ done: (now?.done ?? 0) + 1, all }));
      }
    };
    await Promise.all(Array.from({ length: testsAtOnce }, work));
    setProgress(null);
  };
  return { test, progress };
}

function textOf(error: unknown): string {
  const fields = error instanceof ApiError ? Object.values(error.fields) : [];
  return fields[0] ?? (error instanceof Error ? error.message : String(error));
}

type SavingState = State & { readonly form: Form<ConnectionValues>; readonly channel: ExistingChannel };

function createSaving(state: SavingState): Pick<Setup, "save" | "isSaving" | "problem" | "adopted"> {
  const refresh = useRefresh("/backend/admin/channel/", "/backend/admin/model/", "/backend/admin/ability/");
  const [isSaving, setIsSaving] = createSignal(false);
  const [problem, setProblem] = createSignal<Error | null>(null);
  const [adopted, setAdopted] = createSignal<Adopted | null>(null);
  const showProblems = (found: ReadonlyMap<number, Record<string, string>>, chosen: readonly number[]): void => {
    for (const [place, problems] of found) {
      const index = chosen[place];
      if (index !== undefined) {
        state.change(index, { problems, isOpen: true });
      }
    }
  };
  const fail = (error: unknown, chosen: readonly number[]): void => {
    const found = error instanceof ApiError ? rowProblems(error.fields) : new Map();
    showProblems(found, chosen);
    const others =
      error instanceof ApiError ? Object.entries(error.fields).filter(([name]) => !name.startsWith("models.")) : [];
    const isAtFields = others.length > 0 && state.form.showAtFields(Object.fromEntries(others));
    if (isAtFields) {
      setProblem(
        new Error(t("Correct the marked field above, and save again. Everything that you entered is still there.")),
      );
      return;
    }
    const isShown = found.size > 0 && others.length === 0;
    const detail = others.map(([name, text]) => `${name}: ${text}`).join(" ");
    const whole = error instanceof Error ? error : new Error(String(error));
    setProblem(isShown ? new Error(t("Some models need your attention.")) : detail === "" ? whole : new Error(detail));
  };
  const save: Setup["save"] = async ({ groupName, isEnabled }) => {
    const chosen = chosenOf(state);
    const lacking = chosen.map((index) => missing(state.list()[index] as ModelRow));
    const found = lacking.flatMap((each, place) => (Object.keys(each).length > 0 ? [[place, each] as const] : []));
    setProblem(null);
    if (found.length > 0) {
      showProblems(new Map(found), chosen);
      setProblem(new Error(t("Some models need your attention.")));
      return;
    }
    setIsSaving(true);
    try {
      const models = chosen.map((index) => toAdopted(state.list()[index] as ModelRow, groupName));
      const status = isEnabled ? "enabled" : "disabled";
      const made = state.channel === null ? { name: state.form.values().name.trim(), status } : {};
      setAdopted(
        await apiPost<typeof adoptModelsOutput>("/backend/admin/channel/adopt/", {
          ...state.target(),
          ...made,
          models,
        }),
      );
      await refresh();
    } catch (error) {
      fail(error, chosen);
    } finally {
      setIsSaving(false);
    }
  };
  return { save, isSaving, problem, adopted };
}
