import { callFigures, figureKinds } from "@sluice/contracts/figure-kinds";
import { For, type JSX } from "solid-js";
import { Card, Facts } from "../../../kit/card.tsx";
import { PageHead } from "../../../shell/shell.tsx";
import { useAdminTitle } from "../../admin-title.ts";
import { known, t } from "../../translate.ts";

type Entry = { readonly name: string; readonly text: string };

const kinds = Object.values(figureKinds);
const ofRange = kinds.filter(([, , kind]) => kind === "range");
const ofNow = kinds.filter(([, , kind]) => kind === "now");
const entriesOf = (of: readonly (typeof kinds)[number][]): readonly Entry[] =>
  of.map(([name, , , text]) => ({ name, text }));

const parts: readonly { readonly title: string; readonly entries: readonly Entry[] }[] = [
  { title: t("For the chosen days"), entries: entriesOf(ofRange) },
  { title: t("Now"), entries: entriesOf(ofNow) },
  { title: t("How calls ended"), entries: Object.values(callFigures).map(([name, text]) => ({ name, text })) },
];

/** What each figure counts; other pages link to it. */
export function Page(): JSX.Element {
  useAdminTitle(() => t("Figures"));
  return (
    <>
      <PageHead
        title={t("Figures")}
        text={t("Each figure is counted the same way on every page, in files and in the API.")}
      />
      <For each={parts}>
        {({ title, entries }) => (
          <Card title={title}>
            <Facts facts={entries.map(({ name, text }) => ({ name: known(name), value: known(text) }))} />
          </Card>
        )}
      </For>
    </>
  );
}
