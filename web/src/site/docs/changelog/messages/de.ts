import type { ChangelogTexts } from "./en.ts";

export const de: ChangelogTexts = {
  title: "Änderungen der API",
  description: "Was sich für Programme geändert hat, die die API aufrufen, das Neueste zuerst, auch als Feed.",
  lead: "Was sich für Programme geändert hat, die die API aufrufen, das Neueste zuerst. Nichts davon macht eine Anfrage ungültig, die vorher funktioniert hat. Ihr Betreiber entscheidet, wann er eine neue Version installiert.",
  feed: "Verfolgen Sie diese Änderungen in einem [Feed]({feed}) (Atom).",
  change: {
    errorLink:
      "Fehlerantworten haben einen Header `Link`, der zur [Seite über Fehler](/docs/errors/) führt, zum Code dieses Fehlers.",
    capabilities:
      "Die [Liste der Modelle](/models/) nennt, was jedes Modell kann, lässt sich nach jeder Spalte sortieren und zeigt nach dem Anmelden die Preise Ihrer Gruppe.",
    tags: "Aufrufe können im Header `x-sluice-tags` Tags tragen und Ihren Endnutzer in `safety_identifier`, `user` oder `metadata.user_id` nennen. Der Verbrauch wird nach beidem summiert.",
    organisations:
      "Mehrere Personen können sich als Organisation ein Guthaben teilen. Programme nennen sie im Header `x-organisation`.",
    fallback:
      "Wenn ein anderes Modell statt des gewünschten geantwortet hat, nennt `x-sluice-model-used` es. `x-sluice-fallback: off` lehnt das für einen Aufruf ab.",
    cache:
      "Schlüssel können wiederholte Anfragen aus gespeicherten Antworten beantworten lassen. `x-sluice-cache` sagt, ob eine Antwort daher kommt.",
    cohere: "`/v2/rerank` nimmt Anfragen von Cohere-Clients an.",
    gemini:
      "Gemini-Clients funktionieren unter `/v1beta`: `:generateContent`, `:streamGenerateContent`, `:countTokens` und Embeddings.",
    convert:
      "Chat Completions, Responses und Messages funktionieren mit jedem Chatmodell: Anfragen werden umgewandelt, wo ein Anbieter nur eine dieser APIs spricht. `x-sluice-dropped` und `x-compat-dropped` nennen, was weggelassen wurde.",
    ending:
      "Antworten eines veralteten Modells haben die Header `Deprecation` und `Sunset`, ebenso `/v1/models`. Ein beendetes Modell wird mit `model_ended` abgelehnt.",
    keyUsage:
      "`/v1/usage`, `/v1/credits` und `/v1/key` sagen, was ein Schlüssel ausgegeben hat und noch ausgeben kann.",
    first: "Die erste Version, 0.1.0: `/v1` für OpenAI-Clients und `/msgcompat` für Anthropic-Clients.",
  },
};
