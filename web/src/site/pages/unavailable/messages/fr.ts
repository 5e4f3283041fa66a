import type { UnavailableTexts } from "./en.ts";

export const fr: UnavailableTexts = {
  title: "Indisponible pour le moment",
  description: "Cette page ne peut pas être affichée pour le moment.",
  heading: "Cette page ne peut pas être affichée pour le moment",
  text: "Un problème est survenu de notre côté, ou le service est en maintenance. Réessayez dans une minute.",
  again: "Réessayer",
};
