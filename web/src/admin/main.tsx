import { render } from "solid-js/web";
import "../styles/app.css";
import "./parts/layout.css";
import { AdminApp } from "./app.tsx";

const root = document.getElementById("app");
if (root !== null) {
  root.replaceChildren();
  render(() => <AdminApp />, root);
}
