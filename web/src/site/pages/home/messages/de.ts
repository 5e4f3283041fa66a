import type { HomeTexts } from "./en.ts";

export const de: HomeTexts = {
  title: "Ein Gateway zu Modell-APIs",
  description: "Eine Adresse und ein Schlüssel für Modell-APIs, mit genauer Abrechnung jedes Aufrufs.",
  heading: "Ein Schlüssel für Modell-APIs und eine genaue Abrechnung jedes Aufrufs",
  lead: "Programme erreichen dieses Gateway unter {path} mit jedem OpenAI-Client. Welche Modelle ein Schlüssel nutzen darf, sagt GET /v1/models.",
  prices: "Was es kostet",
  logIn: "Anmelden",
  example: "Ein erster Aufruf",
};
