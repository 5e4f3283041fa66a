import { directionOf } from "@sluice/contracts/locales";
import { render } from "solid-js/web";
import "../styles/app.css";
import { onSessionEnded } from "../api/client.ts";
import { firstPaint, takeFirstView } from "../shell/first-head.ts";
import { leaveSignInHint } from "../shell/sign-in-hint.ts";
import { startActing } from "./acting-for.ts";
import { ConsoleApp } from "./app.tsx";
import { readErrorsInOwnWords } from "./error-words.ts";
import { consoleLocale } from "./locales.ts";
import { frameArea } from "./messages/frame.ts";

const root = document.getElementById("app");
document.documentElement.lang = consoleLocale;
document.documentElement.dir = directionOf(consoleLocale);
// Only users get this document, so the hint can be left.
leaveSignInHint(true);
onSessionEnded(() => leaveSignInHint(false));
if (root !== null) {
  await Promise.all([frameArea.load(), firstPaint()]);
  readErrorsInOwnWords();
  startActing();
  takeFirstView(root);
  render(() => <ConsoleApp />, root);
}
