import type { NotFoundTexts } from "./en.ts";

export const de: NotFoundTexts = {
  title: "Nicht gefunden",
  description: "Unter dieser Adresse gibt es keine Seite.",
  heading: "Unter dieser Adresse gibt es keine Seite",
  text: "Vielleicht wurde sie verschoben, oder die Adresse enthält einen Tippfehler.",
  home: "Zur Startseite",
  pricing: "Preise",
};
