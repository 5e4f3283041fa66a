import type { priceDataState, removePricesInput, savePriceSourceInput } from "@sluice/contracts/price-data";
import { priceFileBytesMax } from "@sluice/contracts/price-file-limits";
import type { ResponseOf } from "@sluice/contracts/wire";
import { createSignal, type JSX, Show } from "solid-js";
import type { z } from "zod";
import { apiPost } from "../../../api/client.ts";
import { createForm } from "../../../form/create-form.ts";
import { Card, Facts } from "../../../kit/card.tsx";
import { Dialog } from "../../../kit/dialog.tsx";
import { TextField } from "../../../kit/field.tsx";
import { Status } from "../../../kit/status.tsx";
import { showToast } from "../../../kit/toast.tsx";
import { ActButton } from "../../parts/act-button.tsx";
import { createAction, useRefresh } from "../../parts/actions.ts";
import { AdminForm, ReasonField } from "../../parts/form-parts.tsx";
import { dash, shownMoment } from "../../shown.ts";
import { t } from "../../translate.ts";

export const priceDataPath = "/backend/admin/price-data/";
type State = ResponseOf<typeof priceDataState>;

/** Where the known provider prices are from, and how to get newer ones. */
export function PriceSource(props: { readonly state: State }): JSX.Element {
  const action = createAction(priceDataPath, "/backend/admin/audit/");
  const [isEditing, setIsEditing] = createSignal(false);
  let picker: HTMLInputElement | undefined;
  const upload = (file: File | undefined): void => {
    if (file === undefined) {
      return;
    }
    void action.run(async () => {
      if (file.size > priceFileBytesMax) {
        throw new Error(t("The file is larger than 8 MiB."));
      }
      await apiPost(`${priceDataPath}upload/`, { file_name: file.name, content: await file.text() });
      return t("The prices of {name} are in use.", { name: file.name });
    });
  };
  const fetchNow = (): void => {
    void action.run(async () => {
      const { result, is_ok: isOk } = (await apiPost(`${priceDataPath}fetch/`, {})) as {
        readonly result: string;
        readonly is_ok: boolean;
      };
      if (!isOk) {
        throw new Error(result);
      }
      return result;
    });
  };
  const remove = (): void => {
    void action.run(async () => {
      await apiPost(`${priceDataPath}remove/`, {} satisfies z.input<typeof removePricesInput>);
      return t("The prices that the program ships with are in use.");
    });
  };
  return (
    <Card title={t("List prices of providers")}>
      <Facts facts={factsOf(props.state)} />
      <div class="button-row">
        <ActButton
          operation="/backend/admin/price-data/upload/"
          isBusy={action.isBusy()}
          onClick={() => picker?.click()}
        >
          {t("Upload a file")}
        </ActButton>
        <input
          ref={picker}
          type="file"
          accept=".json,application/json"
          class="visually-hidden"
          tabindex="-1"
          aria-label={t("Price file")}
          onChange={(event) => {
            upload(event.currentTarget.files?.[0]);
            event.currentTarget.value = "";
          }}
        />
        <ActButton operation="/backend/admin/price-data/source/save/" onClick={() => setIsEditing(true)}>
          {t("Set the address")}
        </ActButton>
        <Show when={props.state.url !== null}>
          <ActButton operation="/backend/admin/price-data/fetch/" isBusy={action.isBusy()} onClick={fetchNow}>
            {t("Fetch now")}
          </ActButton>
        </Show>
        <Show when={props.state.stored !== null}>
          <ActButton operation="/backend/admin/price-data/remove/" isBusy={action.isBusy()} onClick={remove}>
            {t("Use the shipped prices")}
          </ActButton>
        </Show>
      </div>
      <Dialog isOpen={isEditing()} onClose={() => setIsEditing(false)} title={t("Address of the prices")}>
        <Show when={isEditing()}>
          <AddressForm url={props.state.url} onDone={() => setIsEditing(false)} />
        </Show>
      </Dialog>
    </Card>
  );
}

function factsOf({ stored, shipped, url, check }: State) {
  return [
    {
      name: t("In use"),
      value:
        stored === null
          ? t("{shipped}, shipped with the program", { shipped })
          : t("{name}: {models} models of {providers} providers", {
              name: stored.name,
              models: stored.models,
              providers: stored.providers,
            }),
    },
    ...(stored === null
      ? []
      : [
          {
            name: t("Stored"),
            value: t("{stored_at} by {stored_by}", {
              stored_at: shownMoment(stored.stored_at),
              stored_by: stored.stored_by,
            }),
          },
          { name: t("Shipped"), value: shipped },
        ]),
    { name: t("Fetched every night from"), value: url ?? dash },
    ...(check === null
      ? []
      : [
          {
            name: t("Last fetch"),
            value: (
              <>
                <Status tone={check.is_ok ? "ok" : "bad"}>{check.is_ok ? t("worked") : t("failed")}</Status>{" "}
                {`${shownMoment(check.checked_at)}: ${check.result}`}
              </>
            ),
          },
        ]),
  ];
}

function AddressForm(props: { readonly url: string | null; readonly onDone: () => void }): JSX.Element {
  const refresh = useRefresh(priceDataPath, "/backend/admin/audit/");
  const form = createForm<Record<string, string>>({
    initial: { url: props.url ?? "", reason: "" },
    submit: async ({ url = "", reason = "" }) => {
      const input: z.input<typeof savePriceSourceInput> = {
        url: url.trim() === "" ? null : url.trim(),
        ...(reason.trim() === "" ? {} : { reason: reason.trim() }),
      };
      await apiPost(`${priceDataPath}source/save/`, input);
      await refresh();
      showToast(t("The address was saved."));
      props.onDone();
    },
  });
  return (
    <AdminForm
      form={form}
      operation="/backend/admin/price-data/source/save/"
      action={t("Save address")}
      onCancel={props.onDone}
    >
      <TextField
        label={t("Address")}
        hint={t("A file in the format of @pydantic/genai-prices. Leave it empty to fetch nothing.")}
        optional={t("optional")}
        inputmode="url"
        spellcheck={false}
        autocomplete="off"
        {...form.text("url")}
      />
      <ReasonField form={form} isOptional />
    </AdminForm>
  );
}
