import type { JSX } from "solid-js";
import type { HeadTexts } from "../shell/head-texts.ts";
import { PageHead } from "../shell/shell.tsx";
import { useConsoleTitle } from "./console-title.ts";

/**
 * The head of a page that is the same in its document: `head` of its route names the area of these texts.
 * @param texts those of the area, whose title is that of the document, too
 */
export function ConsoleHead(props: { readonly texts: HeadTexts; readonly actions?: JSX.Element }): JSX.Element {
  useConsoleTitle(() => props.texts.title);
  return <PageHead title={props.texts.title} text={props.texts.text} actions={props.actions} />;
}
