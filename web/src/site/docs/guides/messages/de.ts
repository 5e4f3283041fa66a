import type { GuideTexts } from "./en.ts";

export const de: GuideTexts = {
  guides: {
    title: "Anleitungen",
    description: "Streaming, Werkzeuge, Bilder, Embeddings und strukturierte Ausgabe, mit Code, der läuft.",
    lead: "Jedes Beispiel läuft so, wie es da steht. Nicht jedes Modell kann alles: Wenn nicht, nennt der Fehler den Parameter.",
    streaming: "Streaming",
    streamingText: "Mit `stream` auf `true` kommt die Antwort stückweise, während das Modell sie schreibt.",
    streamingRule: {
      end: "Ein vollständiger Stream endet mit `data: [DONE]`. Fehlt das, ist die Antwort unvollständig.",
      usage: "`stream_options` mit `include_usage: true` fügt als letztes Stück die Tokenzahlen hinzu.",
      error:
        "Fällt der Anbieter nach dem ersten Stück aus, endet der Stream mit einem Fehlerereignis. Sie zahlen, was geliefert wurde.",
      cancel:
        "Zum Abbrechen schließen Sie die Verbindung. Unter [Abrechnung](/docs/billing/#free) steht, was eine abgebrochene Anfrage kostet.",
    },
    tools: "Werkzeuge",
    toolsText:
      "Beschreiben Sie Funktionen in `tools`. Will das Modell eine, sendet es Namen und Argumente. Führen Sie sie aus, senden Sie das Ergebnis zurück, und das Modell macht weiter.",
    toolsRule: {
      check: "Prüfen Sie die Argumente, bevor Sie etwas ausführen: Ein Modell kann sich irren.",
      limit: "Begrenzen Sie die Zahl der Runden wie im Beispiel.",
      hosted:
        "Werkzeuge, die der Anbieter selbst ausführt, etwa die Websuche, gibt es nur, wenn der Betreiber einen Preis dafür gesetzt hat.",
    },
    vision: "Bilder",
    visionText: "Senden Sie ein Bild als Teil einer Nachricht: als `https`-Adresse oder als `data:`-URL.",
    visionRule: {
      tokens:
        "Ein Bild wird als Eingabetokens berechnet. Wie viele es sind, hängt vom Modell und von der Bildgröße ab.",
      size: "Ein großes Bild macht die Anfrage groß. Verkleinern Sie es auf das, was das Modell braucht.",
    },
    embeddings: "Embeddings",
    embeddingsText: "Texte mit ähnlicher Bedeutung haben ähnliche Vektoren. Senden Sie mehrere Texte in einer Anfrage.",
    embeddingsRule: {
      compare:
        "Vergleichen Sie nur Vektoren desselben Modells. Je größer ihr Skalarprodukt, desto näher sind sich die Texte.",
      dimensions: "Manche Modelle nehmen `dimensions` für kürzere Vektoren.",
    },
    structured: "Strukturierte Ausgabe",
    structuredText: "Mit `response_format` ist die Antwort JSON, das zu Ihrem Schema passt.",
    structuredRule: {
      cut: "Ist `finish_reason` gleich `length`, wurde das JSON abgeschnitten. Erhöhen Sie `max_tokens`.",
      older: "Für Modelle ohne Schemata nehmen Sie `json_object` und beschreiben die Felder im Prompt.",
    },
  },
  limits: {
    title: "Limits",
    description: "Größe einer Anfrage, Anfragen und Tokens pro Minute, Budgets, und was an einem Limit zu tun ist.",
    lead: "Limits gelten für einen Schlüssel oder für das ganze Konto. Der Fehler sagt, welches Sie erreicht haben.",
    size: "Größe einer Anfrage",
    rates: "Anfragen und Tokens pro Minute",
    ratesText: "Wo ein Limit gilt, sagt jede Antwort, wie viel davon übrig ist. Ein Limit zählt die letzte Minute.",
    inOpenai: "OpenAI-Format",
    inAnthropic: "Anthropic-Format",
    waiting: "Wenn ein Limit erreicht ist",
  },
  troubleshooting: {
    title: "Fehlersuche",
    description:
      "Was zu prüfen ist, wenn eine Anfrage scheitert, abbricht, zu viel kostet oder ein anderes Modell antwortet.",
    lead: "Beginnen Sie mit dem Code in der Antwort: [Fehler](/docs/errors/) erklärt jeden. Hier stehen Ursachen, die schwerer zu sehen sind.",
    key: "Der Schlüssel wird abgelehnt, obwohl er stimmt",
    keyText:
      "Viele Clients nehmen zuerst einen Schlüssel aus der Umgebung, etwa `OPENAI_API_KEY` oder `ANTHROPIC_API_KEY`. Entfernen Sie ihn, und probieren Sie den Schlüssel allein:",
    address: "Jede Anfrage wird mit 404 beantwortet",
    addressText:
      "Die Basis-URL ist falsch. Für OpenAI-Clients endet sie auf `/v1`, für Anthropic-Clients auf `/msgcompat`; diese fügen `/v1` selbst an.",
    model: "Das Modell gibt es nicht",
    modelText:
      "Kopieren Sie den Namen aus der [Modellliste](/models/): Groß- und Kleinschreibung zählt. Steht er dort, ist der Schlüssel vielleicht auf andere Modelle beschränkt. `GET /v1/models` zeigt, welche er verwenden darf.",
    balance: "Das Guthaben reicht angeblich nicht, obwohl welches da ist",
    balanceText:
      "Vor einer Anfrage wird reserviert, was sie höchstens kosten kann. Senken Sie `max_tokens`, oder sehen Sie unter [API-Schlüssel](/console/keys/) nach dem Budget des Schlüssels.",
    stops: "Die Antwort hört mittendrin auf",
    stopsText:
      "Ist `finish_reason` gleich `length`, erhöhen Sie `max_tokens`. Endet der Stream ohne letztes Ereignis, hat eine Zeitgrenze Ihres Clients oder ein Proxy dazwischen die Verbindung geschlossen.",
    late: "Ein Stream kommt auf einmal an",
    lateText:
      "Etwas dazwischen sammelt ihn. Schalten Sie die Pufferung Ihres Proxys aus, oder probieren Sie `curl -N` aus einem anderen Netz.",
    another: "Ein anderes Modell antwortet",
    anotherText:
      "Erlaubt der Schlüssel ein Ersatzmodell, nennt `x-sluice-model-used` das Modell, das geantwortet hat. Unter `/msgcompat` kann der Betreiber einen Claude-Namen auf ein anderes Modell legen; `/msgcompat/v1/models` zeigt die Namen.",
    cost: "Eine Anfrage kostet mehr als erwartet",
    costText:
      "Öffnen Sie ihren Beleg unter [Nutzung](/console/usage/): Er nennt jeden Preis und jede Menge. Modelle, die nachdenken, berechnen das als Ausgabe.",
    support: "Was der Support braucht",
    supportText:
      "Die `x-request-id` der Antwort, die Uhrzeit, und was Sie erwartet haben. Senden Sie nie Ihren Schlüssel.",
  },
};
