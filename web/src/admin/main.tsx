import { render } from "solid-js/web";
import "../styles/app.css";
import "./parts/layout.css";
import { type ErrorDetail, readErrorsWith } from "../api/client.ts";
import { takeFirstView } from "../shell/first-head.ts";
import { AdminApp } from "./app.tsx";
import { adminLocale, said } from "./translate.ts";

/** What is wrong, in Chinese; the service speaks English. */
function errorInChinese(detail: ErrorDetail): ErrorDetail {
  const fields = Object.entries(detail.fields ?? {}).map(([name, sentence]) => [name, said(sentence)] as const);
  return { ...detail, message: said(detail.message), fields: Object.fromEntries(fields) };
}

const root = document.getElementById("app");
if (root !== null) {
  if (adminLocale === "zh") {
    readErrorsWith((detail) => Promise.resolve(errorInChinese(detail)));
  }
  takeFirstView(root);
  render(() => <AdminApp />, root);
}
