import { render } from "solid-js/web";
import "../styles/app.css";
import "./parts/layout.css";
import { readErrorsWith } from "../api/client.ts";
import { AdminApp } from "./app.tsx";
import { adminLocale } from "./translate.ts";

const root = document.getElementById("app");
if (root !== null) {
  if (adminLocale === "zh") {
    const { errorInChinese } = await import("./error-words.ts");
    readErrorsWith((detail) => Promise.resolve(errorInChinese(detail)));
  }
  root.replaceChildren();
  render(() => <AdminApp />, root);
}
