import type { UnavailableTexts } from "./en.ts";

export const de: UnavailableTexts = {
  title: "Zurzeit nicht erreichbar",
  description: "Diese Seite kann zurzeit nicht gezeigt werden.",
  heading: "Diese Seite kann zurzeit nicht gezeigt werden",
  text: "Bei uns ist etwas schiefgegangen, oder am Dienst wird gearbeitet. Versuchen Sie es in einer Minute wieder.",
  again: "Noch einmal versuchen",
};
