import type { PricingTexts } from "./en.ts";

export const de: PricingTexts = {
  title: "Preise",
  description: "Tarife in US-Dollar und der Preis jedes Modells je Million Tokens.",
  heading: "Was es kostet",
  lead: "Sie laden Guthaben auf und zahlen, was Ihre Aufrufe verbrauchen. Zu jedem Aufruf gibt es einen Beleg, der sich nachrechnen lässt.",
  plans: "Tarife",
  once: "einmalig",
  month: "für einen Monat",
  grants: "{amount} Guthaben",
  planGroup: "Bis Ihr Monat endet, laufen Ihre Aufrufe in der Gruppe {group}: jeder Preis × {multiplier}.",
  choose: "{plan} wählen",
  models: "Modelle",
  perMillion: "US-Dollar je Million Tokens",
  model: "Modell",
  provider: "Anbieter",
  input: "Eingabe",
  output: "Ausgabe",
  cached: "Eingabe aus dem Cache",
  context: "Kontext",
  noPlans: "Zurzeit wird kein Tarif angeboten.",
  noModels: "Zurzeit wird kein Modell angeboten.",
  calculator: "Was würde es kosten?",
  inputTokens: "Eingabe-Tokens",
  outputTokens: "Ausgabe-Tokens",
  cost: "Kosten",
  costNote: "Vor den Multiplikatoren von Konto und Gruppe.",
  cachedTokens: "Eingabe-Tokens aus dem Cache",
  rules: {
    title: "Gut zu wissen",
    pay: {
      title: "Bezahlung",
      text: "Mit Karte oder Wallet, in US-Dollar. Der Betrag, den Sie sehen, wird abgebucht.",
    },
    expiry: {
      title: "Wie lange es hält",
      text: "Guthaben aus einer einmaligen Zahlung hat kein Ablaufdatum. Das Guthaben eines Monatstarifs verfällt mit seinem Monat; eine neue Zahlung verlängert ihn.",
    },
    failed: {
      title: "Was nichts kostet",
      text: "Aufrufe, die mit einem Fehler enden oder nichts liefern, kosten nichts.",
    },
    multiplier: {
      title: "Der Multiplikator",
      text: "Ein Konto kann einen eigenen Multiplikator haben, die Gruppe eines Schlüssels ebenso; beide werden malgenommen. Sie stehen in der Konsole und gelten für jeden Aufruf, aufgerundet auf die nächste ganze Einheit.",
    },
  },
};
