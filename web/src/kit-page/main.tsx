import { render } from "solid-js/web";
import "../styles/app.css";
import { KitPage } from "./kit-page.tsx";

const root = document.getElementById("app");
if (root !== null) {
  render(() => <KitPage />, root);
}
