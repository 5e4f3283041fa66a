import type { FigureMessages } from "./en.ts";

export const messages: FigureMessages = {
  title: "Wie die Zahlen gezählt werden",
  text: "Jede Zahl wird auf allen Seiten, in Dateien und in der API gleich gezählt.",
  entries: {
    calls: {
      name: "Aufrufe",
      text: "Jede Anfrage mit einem Ihrer Schlüssel, gleich wie sie endete: abgeschlossen, abgebrochen, fehlgeschlagen oder abgelehnt. Ein Aufruf zählt, sobald er beendet ist.",
    },
    success: {
      name: "Erfolgsquote",
      text: "Der Anteil der abgeschlossenen an den abgeschlossenen und fehlgeschlagenen Aufrufen. Abgelehnte Aufrufe, etwa wegen fehlenden Guthabens, und von Ihrem Programm abgebrochene zählen nicht mit.",
    },
    tokens: {
      name: "Eingabe- und Ausgabe-Tokens",
      text: "Was Modelle gelesen und geschrieben haben, wie der Anbieter es gezählt hat. Die Eingabe enthält aus dem Cache gelesene Tokens, die Ausgabe Tokens für das Nachdenken.",
    },
    cost: {
      name: "Kosten",
      text: "Was für Aufrufe berechnet wurde, mit allen Faktoren, je Aufruf einmal auf ein Vielfaches von 0,000002 $ aufgerundet. Zahlungen und Erstattungen ändern daran nichts.",
    },
    balance: {
      name: "Guthaben",
      text: "Was Sie noch ausgeben können: alles Hinzugefügte abzüglich der Kosten Ihrer Aufrufe und dessen, was für laufende zurückgehalten wird.",
    },
    held: {
      name: "Für Aufrufe zurückgehalten",
      text: "Das Höchste, was laufende Aufrufe kosten können, und die Kosten eben beendeter Aufrufe, die noch nicht gebucht sind. Mit dem Guthaben zusammen ist es der Stand im Kontobuch.",
    },
    firstByte: {
      name: "Erstes Byte",
      text: "Die Zeit vom Eintreffen der Anfrage, bis das erste Byte der Antwort an Sie gesendet wurde.",
    },
    duration: { name: "Dauer", text: "Die Zeit vom Eintreffen der Anfrage bis zum Ende der Antwort." },
    percentiles: {
      name: "p50 und p95",
      text: "Die Hälfte der Aufrufe und 95 von hundert dauerten so lange oder kürzer. Die Werte stammen aus Summen je UTC-Tag in Stufen einer Viertelverdopplung und stimmen auf ein Zehntel.",
    },
    speed: {
      name: "Tokens pro Sekunde",
      text: "Die Ausgabe-Tokens gestreamter Antworten, geteilt durch die Zeit vom ersten Byte bis zum Ende.",
    },
    days: {
      name: "Tage und heute",
      text: "Tage beginnen um Mitternacht in der Zeitzone, die die Seite nennt; auf der Seite der Nutzung können Sie eine andere wählen. Der heutige Tag ist nicht vorbei: Sein Balken ist blasser, und seine Summen wachsen noch.",
    },
    previous: { name: "Zeitraum davor", text: "Gleich viele Tage direkt vor den gewählten. Sie sind alle vorbei." },
    tags: {
      name: "Endnutzer und Tags",
      text: "Ein Aufruf zählt für jedes seiner Tags, daher können die Summen nach Tag die Gesamtsumme übersteigen. Aufrufe ohne Endnutzer oder Tag fehlen dort.",
    },
  },
};
