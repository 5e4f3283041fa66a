import type { JSX } from "solid-js";
import { Toaster } from "../kit/toast.tsx";
import { AnnouncementLine } from "./announcement-line.tsx";
import { BrandMark } from "./brand-mark.tsx";
import { brandName } from "./brand-name.ts";
import { SessionDialog } from "./session-dialog.tsx";
import type { ShellTexts } from "./shell-texts.ts";
import "./shell.css";
import "./bare-frame.css";

/** The frame of a page that comes before all others: nothing leads past what it asks. */
export function BareFrame(props: {
  readonly texts: ShellTexts;
  readonly loginPath: string;
  readonly barEnd: JSX.Element;
  readonly children: JSX.Element;
}): JSX.Element {
  return (
    <>
      <a class="skip" href="#main">
        {props.texts.skip}
      </a>
      <header class="bare-head">
        <a class="brand" href="/">
          <BrandMark />
          <bdi>{brandName()}</bdi>
        </a>
        {props.barEnd}
      </header>
      <main class="main bare-main" id="main" tabindex="-1">
        <AnnouncementLine />
        {props.children}
      </main>
      <SessionDialog texts={props.texts} loginPath={props.loginPath} />
      <Toaster />
    </>
  );
}
