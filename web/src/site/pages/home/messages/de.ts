import type { HomeTexts } from "./en.ts";

export const de: HomeTexts = {
  title: "Ein Gateway zu Modell-APIs",
  description: "Eine Adresse und ein Schlüssel für Modell-APIs, mit genauer Abrechnung jedes Aufrufs.",
  heading: "Ein Schlüssel für Modell-APIs und eine genaue Abrechnung jedes Aufrufs",
  lead: "Programme erreichen dieses Gateway unter {path} mit jedem OpenAI-Client. GET /v1/models listet die Modelle, die Ihr Schlüssel nutzen kann.",
  prices: "Preise ansehen",
  logIn: "Anmelden",
  example: "Ein erster Aufruf",
  start: "Konto anlegen",
  model: "Modell",
  copy: "Kopieren",
  copied: "Kopiert",
  figures: {
    title: "Zahlen dieses Dienstes",
    models: "Modelle",
    answered: "der Aufrufe in 30 Tagen beantwortet",
    firstByte: "bis zum ersten Byte von {model}, Median über 7 Tage",
  },
  apis: {
    title: "Funktioniert mit den APIs, die Sie schon nutzen",
    lead: "Ändern Sie Adresse und Schlüssel; alles andere bleibt, wie es ist.",
    api: "Schnittstelle",
    path: "Adresse",
    clients: "Funktioniert mit",
    more: "Embeddings, Bilder, Audio, Moderation",
    listing: "Die Modelle eines Schlüssels",
  },
  strip: {
    title: "Preise",
    all: "Alle Modelle und Preise",
    input: "Eingabe",
    output: "Ausgabe",
    perMillion: "je Million Tokens",
  },
  billing: {
    title: "So wird abgerechnet",
    load: {
      title: "Aufladen",
      text: "Wählen Sie einen Tarif und zahlen Sie mit Karte oder Wallet. Alle Preise sind in US-Dollar.",
    },
    call: {
      title: "Aufrufen",
      text: "Jeder Aufruf wird genau nach seinen Tokens berechnet und einmal, am Ende, aufgerundet.",
    },
    check: {
      title: "Nachrechnen",
      text: "Zu jedem Aufruf gibt es einen Beleg mit Mengen und Preisen. Sie können ihn nachrechnen.",
    },
  },
  faq: {
    title: "Fragen",
    code: {
      question: "Muss ich meinen Code ändern?",
      answer:
        "Nur Adresse und Schlüssel. OpenAI-Clients bekommen {openai} als Basis-URL, Anthropic-Clients {anthropic}.",
    },
    fail: {
      question: "Was kostet ein fehlgeschlagener Aufruf?",
      answer:
        "Nichts. Ein Aufruf, der mit einem Fehler endet oder nichts liefert, ist kostenlos. Brechen Sie ab, zahlen Sie, was bis dahin erzeugt wurde.",
    },
    limit: {
      question: "Kann ich die Ausgaben eines Schlüssels begrenzen?",
      answer:
        "Ja. Ein Schlüssel kann ein Budget, ein Ablaufdatum, eine Liste von Modellen, eine Liste von Adressen und Grenzen pro Minute haben. Er lässt sich jederzeit widerrufen.",
    },
    store: {
      question: "Werden meine Anfragen gespeichert?",
      answer:
        "Anfragen und Antworten werden kurze Zeit verschlüsselt aufbewahrt und dann vernichtet. Für jeden Schlüssel lässt sich das abschalten. Niemand liest sie, ohne einen Grund anzugeben, der festgehalten wird.",
    },
    plan: {
      question: "Worin unterscheiden sich Guthaben und Monatstarif?",
      answer:
        "Guthaben bleibt, bis es verbraucht ist. Ein Monatstarif gibt Guthaben für einen Monat; was übrig ist, verfällt danach.",
    },
  },
};
