import type { adoptModelsOutput } from "@sluice/contracts/catalog-admin";
import type { ChannelFile, ExportedChannel } from "@sluice/contracts/channel-file";
import { createSignal, For, type JSX, Show } from "solid-js";
import { apiPost } from "../../../api/client.ts";
import { Button } from "../../../kit/button.tsx";
import { Dialog } from "../../../kit/dialog.tsx";
import { TextField } from "../../../kit/field.tsx";
import { ErrorState } from "../../../kit/states.tsx";
import { Status } from "../../../kit/status.tsx";
import { ActButton } from "../../parts/act-button.tsx";
import { createAction, failureText, useRefresh } from "../../parts/actions.ts";
import { outcomeText } from "../../parts/outcome-text.ts";
import { t } from "../../translate.ts";
import { channelPath } from "./channel.ts";
import { exportChannels, readExport } from "./channel-export.ts";

type Imported = { readonly name: string; readonly isOk: boolean; readonly text: string };

/** Saves all channels to a file, and creates those of a file. A file never has credentials. */
export function ChannelTransfer(): JSX.Element {
  const [isImporting, setIsImporting] = createSignal(false);
  const action = createAction();
  const download = async (): Promise<string> => {
    const file = await exportChannels();
    const address = URL.createObjectURL(new Blob([JSON.stringify(file, null, 2)], { type: "application/json" }));
    const link = document.createElement("a");
    link.href = address;
    link.download = "sluice-channels.json";
    link.click();
    URL.revokeObjectURL(address);
    return t("{channels} channels were exported, without their credentials.", { channels: file.channels.length });
  };
  return (
    <>
      <Button isBusy={action.isBusy()} onClick={() => void action.run(download)}>
        {t("Export channels")}
      </Button>
      <ActButton operation="/backend/admin/channel/adopt/" onClick={() => setIsImporting(true)}>
        {t("Import channels")}
      </ActButton>
      <Dialog isOpen={isImporting()} onClose={() => setIsImporting(false)} title={t("Import channels")}>
        <ImportForm onDone={() => setIsImporting(false)} />
      </Dialog>
    </>
  );
}

function ImportForm(props: { readonly onDone: () => void }): JSX.Element {
  const refresh = useRefresh(channelPath, "/backend/admin/ability/", "/backend/admin/model/");
  const [file, setFile] = createSignal<ChannelFile | null>(null);
  const [problem, setProblem] = createSignal<Error | null>(null);
  const [results, setResults] = createSignal<readonly Imported[]>([]);
  const [isBusy, setIsBusy] = createSignal(false);
  const read = async (chosen: File | undefined): Promise<void> => {
    setResults([]);
    setProblem(null);
    setFile(null);
    try {
      setFile(chosen === undefined ? null : readExport(await chosen.text()));
    } catch (error) {
      setProblem(error instanceof Error ? error : new Error(String(error)));
    }
  };
  const importAll = async (): Promise<void> => {
    setIsBusy(true);
    for (const channel of file()?.channels ?? []) {
      const result = await importOne(channel);
      setResults((all) => [...all, result]);
    }
    await refresh();
    setIsBusy(false);
  };
  return (
    <div class="section-stack">
      <p>
        {t(
          "Each channel of the file is created disabled and without a credential: open it, enter the credential, and enable it. Its models have to be in the catalog.",
        )}
      </p>
      <TextField
        label={t("File")}
        type="file"
        accept="application/json,.json"
        onChange={(event) => void read(event.currentTarget.files?.[0])}
      />
      <Show when={problem()}>{(error) => <ErrorState title={t("This file can't be read")} error={error()} />}</Show>
      <ul class="plain-list" aria-live="polite">
        <For each={results()}>
          {({ name, isOk, text }) => (
            <li>
              <Status tone={isOk ? "ok" : "bad"}>{name}</Status> {text}
            </li>
          )}
        </For>
      </ul>
      <div class="form-actions">
        <Button
          variant="primary"
          disabled={file() === null || results().length > 0}
          isBusy={isBusy()}
          onClick={() => void importAll()}
        >
          {t("Create the channels")}
        </Button>
        <Button onClick={() => props.onDone()}>{results().length > 0 && !isBusy() ? t("Done") : t("Cancel")}</Button>
      </div>
    </div>
  );
}

async function importOne(channel: ExportedChannel): Promise<Imported> {
  const { name } = channel;
  try {
    const answer = await apiPost<typeof adoptModelsOutput>("/backend/admin/channel/adopt/", {
      ...channel,
      status: "disabled",
      reason: t("imported from a file"),
    });
    const text = outcomeText(answer, ({ adopted }) =>
      t("created, disabled, with {models} models", { models: adopted.models.length }),
    );
    return { name, isOk: true, text };
  } catch (error) {
    return { name, isOk: false, text: failureText(error) };
  }
}
