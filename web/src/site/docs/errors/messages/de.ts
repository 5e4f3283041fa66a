import type { ErrorTexts } from "./en.ts";

export const de: ErrorTexts = {
  title: "Fehler",
  description: "Jeder Fehlercode: Status, Bedeutung, ob er berechnet wird und was zu tun ist.",
  format: "Format",
  formatText:
    "Ein OpenAI-Client erhält einen `code`. Das Anthropic-Format hat keinen: Typ und Meldung sagen, was geschehen ist. Fehler eines Anbieters werden mit dessen Status und Meldung weitergegeben, wo das unbedenklich ist.",
  linkText:
    'Jede Fehlerantwort hat einen Header `Link` mit `rel="help"`: die Adresse des Codes auf dieser Seite, unter der öffentlichen Adresse des Betreibers. Ein Fehler in einem begonnenen Stream hat keinen.',
  inAnthropic: "Anthropic-Format",
  toDo: "Was tun",
  group: {
    request: "Die Anfrage",
    key: "Schlüssel und Modell",
    balance: "Guthaben und Limits",
    provider: "Der Anbieter",
    service: "Der Dienst",
  },
  meaning: {
    path: "Den Pfad oder die Methode gibt es nicht, oder die Anfrage ist kein wohlgeformtes HTTP.",
    body: "Der Inhaltstyp oder die Komprimierung der Anfrage wird nicht unterstützt.",
    slow: "Der Inhalt der Anfrage kam nicht rechtzeitig an.",
    twoKeys: "Es wurden zwei verschiedene Schlüssel gesendet.",
    loop: "Die Anfrage kam von dem Anbieter, an den sie ging, zu {brand} zurück.",
    internal: "Bei uns ist etwas schiefgegangen.",
  },
  fix: {
    request: "Berichtigen Sie das Feld, das die Meldung nennt.",
    path: "Vergleichen Sie Pfad und Methode mit der [API-Referenz](/docs/api/).",
    body: "Senden Sie unkomprimiertes JSON als `application/json`, oder ein Formular, wo der Endpunkt eine Datei annimmt.",
    option: "Lassen Sie die Option weg, oder bitten Sie den Betreiber um einen Preis dafür.",
    size: "Kürzen Sie das Gespräch, oder senden Sie kleinere Bilder und Dateien.",
    slow: "Prüfen Sie die Verbindung, und senden Sie die Anfrage noch einmal.",
    key: "Vergleichen Sie den Schlüssel mit dem unter [API-Schlüssel](/console/keys/), und prüfen Sie, ob Ihr Programm ihn sendet.",
    twoKeys: "Senden Sie einen. Manche Clients senden auch einen aus der Umgebung, etwa `ANTHROPIC_API_KEY`.",
    forbidden:
      "Prüfen Sie die Limits des Schlüssels unter [API-Schlüssel](/console/keys/), oder wenden Sie sich an den Support.",
    model:
      "Nehmen Sie einen Namen aus der [Modellliste](/models/), und prüfen Sie, welche Modelle der Schlüssel erlaubt.",
    quota:
      "Laden Sie unter [Abrechnung](/console/billing/) Guthaben auf, erhöhen Sie das Limit des Schlüssels, oder senken Sie `max_tokens`.",
    spend: "Warten Sie, bis das Limit zurückgesetzt wird, oder bitten Sie den Betreiber, es zu erhöhen.",
    rate: "Warten Sie die Sekunden in `retry-after` ab, senden Sie weniger Anfragen gleichzeitig, oder erhöhen Sie das Limit des Schlüssels.",
    providerRate: "Versuchen Sie es nach einigen Sekunden wieder, oder nehmen Sie ein anderes Modell.",
    rejected: "Lesen Sie die Meldung des Anbieters. Meist passt ein Parameter nicht zum Modell.",
    provider: "Versuchen Sie es noch einmal. Wenn es so bleibt, nehmen Sie ein anderes Modell.",
    timeout: "Versuchen Sie es noch einmal. Schalten Sie für lange Antworten `stream` ein.",
    cut: "Senden Sie die Anfrage noch einmal, oder machen Sie mit dem weiter, was ankam.",
    unavailable: "Versuchen Sie es nach den Sekunden in `retry-after` noch einmal.",
    closed: "Wenn Sie nicht abgebrochen haben, erhöhen Sie die Zeitgrenze Ihres Clients.",
    loop: "Melden Sie es dem Support.",
    internal: "Versuchen Sie es noch einmal. Wenn es so bleibt, nennen Sie dem Support die `x-request-id` der Antwort.",
  },
};
