import type { DocTexts } from "./en.ts";

export const de: DocTexts = {
  frame: {
    nav: "Dokumentation",
    onThisPage: "Auf dieser Seite",
    search: "Dokumentation durchsuchen",
    searchNone: "Nichts gefunden zu „{query}“.",
    searchFailed: "Die Suche konnte nicht geladen werden. Versuchen Sie es noch einmal.",
    copy: "Kopieren",
    copied: "Kopiert",
    copyPage: "Seite als Markdown kopieren",
    asMarkdown: "Markdown",
    choose: "Sprache oder Bibliothek wählen",
    snippet: "Code",
    previous: "Zurück",
    next: "Weiter",
    updated: "Zuletzt geändert am {date}",
    install: "Installieren",
    check: "Prüfen",
    limits: "Grenzen",
    undo: "Rückgängig machen",
    key: "Ihr Schlüssel",
    keyPlace: "Der Code auf dieser Seite zeigt `sk-...`, wo Ihr Schlüssel hingehört.",
    keyLogIn: "Anmelden und einen einsetzen",
    keyCreate: "Schlüssel für diese Seite anlegen",
    keyCreated:
      "Der neue Schlüssel steht im Code, bis Sie diese Seite verlassen. Kopieren Sie ihn jetzt: Niemand kann ihn noch einmal zeigen.",
    keyManage: "Schlüssel verwalten",
    keyFailed: "Es wurde kein Schlüssel angelegt.",
  },
  index: {
    description: "Wie man Modelle über {brand} aufruft: der erste Aufruf, Clients, Coding-Agenten und Abrechnung.",
    lead: "Vom ersten Aufruf bis zur Abrechnung. Ohne Schlüssel beginnen Sie am besten mit dem [Schnellstart](/docs/quickstart/).",
  },
  quickstart: {
    title: "Schnellstart",
    description: "In vier Schritten vom Konto zum ersten beantworteten Aufruf.",
    lead: "{brand} spricht die OpenAI-API und die Anthropic-API. Behalten Sie Ihren Client und ändern Sie nur Adresse und Schlüssel.",
    account: "1. Konto anlegen",
    accountText:
      "[Registrieren Sie sich](/register/) mit E-Mail-Adresse und Passwort und öffnen Sie den Link in der E-Mail. Er bestätigt die Adresse; vorher ist keine Anmeldung möglich.",
    credit: "2. Guthaben laden",
    creditText:
      "Wählen Sie in der Konsole unter [Abrechnung](/console/billing/) einen Tarif. Das Guthaben ist da, sobald der Zahlungsdienst die Zahlung bestätigt hat. [So wird abgerechnet](/docs/billing/).",
    key: "3. API-Schlüssel anlegen",
    keyText:
      "Legen Sie unter [API-Schlüssel](/console/keys/) einen Schlüssel an und kopieren Sie ihn: Er wird nur einmal angezeigt. Bewahren Sie ihn in der Umgebung auf, nicht in einer Datei Ihres Projekts.",
    call: "4. Aufruf senden",
    callText:
      "Preise und Namen aller Modelle stehen auf der [Preisseite](/pricing/). Welche Ihr Schlüssel nutzen darf, sagt `/v1/models`:",
    callDone:
      "Jede Antwort trägt den Header `x-request-id`. Damit finden Sie den Aufruf und seinen Beleg unter [Nutzung](/console/usage/), und auch der Support findet ihn so.",
    addresses: "Adressen",
    api: "API",
    baseUrl: "Basis-URL",
    keyHeader: "Schlüssel",
    or: "{one} oder {other}",
    nextSteps: "Wie es weitergeht",
    nextText:
      "Richten Sie Ihre [Bibliothek](/docs/clients/) oder Ihren [Coding-Agenten](/docs/agents/) ein, oder lesen Sie, [was Fehler bedeuten](/docs/errors/).",
  },
  clients: {
    title: "Clients",
    description:
      "curl, OpenAI SDK, Anthropic SDK, Vercel AI SDK, LangChain und LiteLLM: einrichten, prüfen, Grenzen, rückgängig machen.",
    lead: "Jedes Beispiel liest Ihren Schlüssel aus `GATEWAY_API_KEY` und läuft so, wie es dasteht. Unsere Tests führen sie gegen dieses Programm aus.",
    before: "Bevor Sie beginnen",
    beforeText: "Legen Sie Ihren Schlüssel in die Umgebung der Shell:",
    checkText:
      "Führen Sie das aus. Es gibt eine Antwort aus, und wenige Sekunden später steht der Aufruf unter [Nutzung](/console/usage/).",
    curlText: "Eine ganze Antwort, eine Antwort als Strom von Ereignissen, oder das Format von Anthropic:",
    curlLimit:
      "`/v1` nimmt den Schlüssel als `Authorization: Bearer`, `/msgcompat/v1` auch als `x-api-key`. Zwei verschiedene Schlüssel in einer Anfrage an `/v1` werden abgelehnt.",
    openaiText:
      "Die Basis-URL endet auf `/v1`. Chat Completions, Responses, Embeddings, Bilder, Audio und andere Pfade gehen so an den Anbieter, wie Sie sie senden, soweit das Modell sie bietet.",
    openaiLimit:
      "Was ein Modell kann, entscheidet sein Anbieter: Kennt er einen Parameter nicht, kommt der Fehler des Anbieters zurück.",
    anthropicText: "Die Basis-URL endet auf `/msgcompat`, ohne `/v1`: Das hängt das SDK selbst an.",
    anthropicLimit:
      "Es gelten die Namen der Modellliste und die, die der Betreiber zugeordnet hat; `/msgcompat/v1/models` nennt beide. Was dem Modell hinter einem Namen nicht mitgeteilt werden kann, etwa `thinking`, wird weggelassen und im Header `x-compat-dropped` genannt; mit `x-compat-strict: true` in der Anfrage ist es ein Fehler.",
    aiSdkText: "Das Paket des AI SDK für OpenAI-kompatible Anbieter:",
    aiSdkLimit:
      "Nehmen Sie dieses Paket und nicht `@ai-sdk/openai`: Jenes nennt frühere Beiträge mit ihren IDs; das wird hier abgelehnt, solange die Option `store` nicht `false` ist.",
    langchainText: "Die OpenAI-Anbindung von LangChain mit einer anderen Basis-URL:",
    langchainLimit:
      "LangChain zählt Tokens nach eigener Schätzung; was berechnet wird, steht auf dem Beleg des Aufrufs.",
    litellmText: "LiteLLM als Bibliothek, mit seinem OpenAI-Anbieter und einer anderen Basis-URL:",
    litellmLimit:
      "LiteLLM berechnet Kosten nach einer eigenen Preisliste; was berechnet wird, steht auf dem Beleg des Aufrufs.",
    undoBase:
      "Entfernen Sie die Basis-URL und setzen Sie den Schlüssel des Anbieters wieder ein. Widerrufen Sie dann den Schlüssel unter [API-Schlüssel](/console/keys/).",
    undoCurl:
      "Installiert wurde nichts. Führen Sie `unset GATEWAY_API_KEY` aus und widerrufen Sie den Schlüssel unter [API-Schlüssel](/console/keys/).",
    retries: "Wiederholungen und Grenzen",
    retry: {
      after:
        "Wenn Warten hilft, nennt die Antwort in `retry-after` die Sekunden. Die SDKs von OpenAI und Anthropic halten sich daran und versuchen es von selbst noch zweimal.",
      channels:
        "Solange noch nichts von einer Antwort hinausgegangen ist, versucht {brand} selbst einen anderen Kanal, wenn es einen gibt. Diese Versuche kosten nichts.",
      fallback:
        "Wenn der Schlüssel es erlaubt, kann ein anderes Modell zu seinem eigenen Preis antworten, falls alle Kanäle eines Modells ausfallen oder ein Prompt dafür zu lang ist; der Header `x-sluice-model-used` nennt es. `x-sluice-fallback: off` in der Anfrage lehnt das ab.",
      body: "Eine Anfrage darf 32 MiB groß und ihr JSON 64 Ebenen tief sein, sofern der Betreiber nichts anderes festlegt. Komprimierte Anfragen werden abgelehnt.",
      slash: "Pfade unter `/v1` enden ohne Schrägstrich.",
    },
    cache: "Antwort-Cache",
    cacheText:
      "Wenn der Betreiber es anbietet, kann ein Schlüssel wiederholte Anfragen aus gespeicherten Antworten beantworten lassen. Schalte es unter [API-Schlüssel](/console/keys/) beim Schlüssel ein. Eine Anfrage bekommt nur dann eine gespeicherte Antwort, wenn sie Byte für Byte gleich ist und ihr Schlüssel, vom selben Konto, den Cache ebenfalls nutzt. Die Antwort hat dieselben Bytes wie die erste, gestreamt oder am Stück.",
    cacheRule: {
      seen: "`x-sluice-cache: hit` oder `miss` in einer Antwort sagt, woher sie kam; `age` sagt, wie viele Sekunden ein Treffer alt ist.",
      off: "`x-sluice-cache: off` in einer Anfrage lässt den Cache aus; `refresh` holt eine neue Antwort und speichert sie. Auch `cache-control` mit `no-store`, `no-cache` oder `max-age` wird beachtet.",
      time: "`x-sluice-cache-ttl: 600` speichert die Antwort 600 Sekunden lang, soweit der Betreiber es erlaubt.",
      price:
        "Ein Treffer kostet den Anteil des normalen Preises, den der Betreiber festgelegt hat. Der Beleg zeigt den Anteil, und der Treffer zählt zu den Limits des Schlüssels.",
      kept: "Gespeichert werden vollständige Antworten von Chat Completions, Responses, Messages, Embeddings und der Gemini-API, nicht aber Fehler, abgebrochene Streams und Antworten mit Websuchen.",
    },
    labels: "Endnutzer und Tags",
    labelsText:
      "Damit Sie sehen, was einzelne Endnutzer oder Funktionen kosten, nennen Sie sie im Aufruf. Der Endnutzer ist `safety_identifier`, `user` oder `metadata.user_id`, bis zu 256 Zeichen. Tags kommen aus dem Header `x-sluice-tags` und aus kurzen Texten in `metadata`: bis zu acht, mit Namen aus Buchstaben, Ziffern und `_.-`.",
    labelRule: {
      seen: "[Nutzung](/console/usage/) hat Filter, Spalten und Summen für beides, die CSV-Datei ebenso.",
      personal:
        "Senden Sie keine Namen oder E-Mail-Adressen: Eine eigene ID oder ihr Hash genügt. Endnutzer und Tags werden mit den Metadaten des Aufrufs gelöscht, meist nach 90 Tagen.",
      off: "Soll nichts davon gespeichert werden, schalten Sie es beim Schlüssel unter [API-Schlüssel](/console/keys/) aus oder für alle Schlüssel unter [Nutzung](/console/usage/). Die Felder der Anfrage erhält der Anbieter in jedem Fall, den Header nie.",
    },
    errors: "Fehler",
    errorsText:
      "Fehler haben das Format der API, die Sie aufrufen. [Die Seite über Fehler](/docs/errors/) sagt zu jedem Code, was er bedeutet, ob er berechnet wird und was zu tun ist.",
    charged: "Berechnet?",
    no: "Nein",
    delivered: "Was geliefert wurde",
    error: {
      key: "Der Schlüssel fehlt, ist falsch, widerrufen oder abgelaufen.",
      forbidden:
        "Das Konto oder der Schlüssel ist gesperrt, oder der Schlüssel darf von dieser Adresse aus nicht benutzt werden.",
      model: "Das Modell gibt es nicht, oder der Schlüssel darf es nicht nutzen.",
      quota:
        "Das Guthaben oder das Limit des Schlüssels deckt nicht, was der Aufruf höchstens kosten kann. Senken Sie `max_tokens` oder laden Sie Guthaben.",
      spend:
        "Ihr Konto hat erreicht, was der Betreiber es pro Tag oder Monat ausgeben lässt. Die Meldung sagt, wann es neu beginnt.",
      rate: "Der Schlüssel oder das Konto hat sein Limit an Aufrufen oder Tokens pro Minute oder an gleichzeitigen Aufrufen erreicht.",
      providerRate: "Der Anbieter begrenzt gerade die Aufrufe.",
      request: "Die Anfrage ist nicht gültig; die Meldung nennt das Feld.",
      option:
        "Eine Option kostet beim Anbieter extra und hat hier keinen Preis, nennt etwas, das dort gespeichert ist, oder wählt ein anderes Modell; die Meldung nennt sie.",
      size: "Die Anfrage ist zu groß.",
      rejected:
        "Der Anbieter hat die Anfrage abgelehnt; sein Status und seine Meldung werden weitergegeben, wo das unbedenklich ist.",
      provider: "Der Anbieter ist ausgefallen oder nicht erreichbar.",
      timeout: "Der Anbieter hat nicht rechtzeitig geantwortet.",
      unavailable: "Kein Kanal ist frei, oder {brand} kann den Aufruf gerade nicht prüfen oder aufzeichnen.",
      cut: "Der Anbieter hat mitten in der Antwort abgebrochen. Ein Strom endet dann mit einem Fehlerereignis und sieht nie vollständig aus.",
      closed: "Ihr Programm hat die Verbindung vor dem Ende geschlossen.",
    },
  },
  agents: {
    title: "Coding-Agenten",
    description:
      "Claude Code, Codex, opencode, Gemini CLI, Cline, Continue und Cursor: einrichten, prüfen, Grenzen, rückgängig machen.",
    lead: "Geben Sie jedem Agenten einen eigenen Schlüssel mit Budget: Agenten senden viele Aufrufe, und so sehen Sie, was jeder von ihnen kostet.",
    keyText: "Codex und opencode lesen den Schlüssel aus der Umgebung:",
    checkText: "Das gibt eine Antwort aus, und der Aufruf steht unter [Nutzung](/console/usage/).",
    claude: {
      first:
        "Schreiben Sie das mit Ihrem Schlüssel in `~/.claude/settings.json`. Nie in eine Projektdatei, die andere sehen.",
      second: "Entfernen Sie `ANTHROPIC_API_KEY` aus der Umgebung: Er würde sonst mitgesendet.",
      third: "Starten Sie `claude` neu; `/status` zeigt die Adresse.",
    },
    claudeLimit:
      "Steht ein Claude-Modell nicht selbst in der Modellliste, antwortet das Modell, das der Betreiber seinem Namen zugeordnet hat. Tokenzahlen vor einem Aufruf sind dann Schätzungen, und Caching und Thinking wirken nur, wenn jenes Modell sie hat.",
    claudeUndo: "Entfernen Sie die beiden Zeilen aus `~/.claude/settings.json` und starten Sie `claude` neu.",
    codex: {
      first: "Schreiben Sie das an den Anfang von `~/.codex/config.toml`.",
      second: "Starten Sie `codex` in einer Shell, die `GATEWAY_API_KEY` hat.",
    },
    codexLimit:
      "Codex arbeitet mit jedem Chatmodell. Es warnt, dass es keine Metadaten des Modells hat; deshalb steht das Kontextfenster in der Datei. Seine Websuche kostet beim Anbieter extra und wird deshalb aus der Anfrage weggelassen; die Kopfzeile `x-sluice-dropped` sagt es.",
    codexUndo: "Entfernen Sie die Zeilen wieder; Codex nutzt dann den Anbieter von vorher.",
    opencode: {
      first:
        "Schreiben Sie das in `~/.config/opencode/opencode.json` oder in die `opencode.json` eines Projekts: Der Schlüssel steht nicht darin.",
      second:
        "Starten Sie `opencode` in einer Shell, die `GATEWAY_API_KEY` hat, und wählen Sie das Modell mit `/models`.",
    },
    opencodeLimit:
      "opencode zeigt nur Modelle, die in der Datei stehen, und keine Preise. Die genauen Kosten stehen unter [Nutzung](/console/usage/).",
    opencodeUndo: "Entfernen Sie `gateway` aus `provider` und die Zeile `model`.",
    gemini: {
      first: "Schreiben Sie das mit Ihrem Schlüssel in `~/.gemini/.env`.",
      second: "Starten Sie `gemini` und wählen Sie `Use Gemini API key`, wenn es nach der Anmeldung fragt.",
    },
    geminiLimit:
      "Nur Modelle, die ein Anbieter in der Gemini-API bereitstellt, funktionieren; `/v1beta/models` nennt sie. Die Adresse muss HTTPS verwenden, außer auf dem eigenen Rechner.",
    geminiUndo: "Entfernen Sie die beiden Zeilen aus `~/.gemini/.env`.",
    cline: {
      first: "Öffnen Sie die Einstellungen von Cline und wählen Sie `OpenAI Compatible` als API-Anbieter.",
      second: "Füllen Sie die Felder aus:",
    },
    clineCheck: "Fragen Sie in einer neuen Aufgabe „Say hello.“ Der Aufruf steht unter [Nutzung](/console/usage/).",
    clineLimit:
      "Cline kennt weder Kontext noch Preise des Modells: Stellen Sie in der Modellkonfiguration das Kontextfenster auf {context} Tokens und lesen Sie die Kosten in der Konsole ab.",
    clineUndo: "Wählen Sie in den Einstellungen von Cline wieder den früheren API-Anbieter.",
    continueEditor: { first: "Schreiben Sie das mit Ihrem Schlüssel in `~/.continue/config.yaml`." },
    continueCheck:
      "Wählen Sie das Modell in Continue und fragen Sie „Say hello.“ Der Aufruf steht unter [Nutzung](/console/usage/).",
    continueLimit: "Continue zeigt keine Kosten. Die genauen Kosten stehen unter [Nutzung](/console/usage/).",
    continueUndo: "Entfernen Sie das Modell aus `~/.continue/config.yaml`.",
    cursor: {
      first: "Öffnen Sie die Einstellungen von Cursor, dann Models, dann API Keys.",
      second: "Füllen Sie die Felder aus und schalten Sie den Schlüssel ein:",
    },
    cursorCheck:
      "Wählen Sie das Modell im Chat und fragen Sie „Say hello.“ Der Aufruf steht unter [Nutzung](/console/usage/).",
    cursorLimit:
      "Cursor sendet die Aufrufe von eigenen Servern, die Adresse muss also aus dem Internet über HTTPS erreichbar sein. Vervollständigungen beim Tippen bleiben bei Cursors eigenen Modellen.",
    cursorUndo: "Schalten Sie die andere Basis-URL und den Schlüssel wieder aus.",
    notRun:
      "Die Felder sind gegen dieses Programm getestet, Cline, Continue und Cursor selbst laufen in unseren Tests aber nicht. Bezeichnungen in ihren Einstellungen können je nach Version abweichen.",
  },
  billing: {
    title: "Abrechnung",
    description: "Was ein Aufruf kostet, was frei ist, Tarife, Zahlungen, Erstattungen und Limits von Schlüsseln.",
    lead: "Sie zahlen im Voraus. Ein Aufruf legt zurück, was er höchstens kosten kann, und am Ende wird genau berechnet, was er verbraucht hat.",
    units: "Guthaben",
    unitsText:
      "Guthaben ist in US-Dollar, in Schritten von {step}. Modelle haben Preise in US-Dollar pro Million Tokens; alle stehen auf der [Preisseite](/pricing/). Eine andere Währung gibt es nicht.",
    cost: "Was ein Aufruf kostet",
    step: {
      hold: "Bevor ein Aufruf an einen Anbieter geht, wird zurückgelegt, was er höchstens kosten kann: Seine Größe begrenzt die Eingabe, `max_tokens` oder das Modell die Ausgabe.",
      count:
        "An seinem Ende werden die Tokenzahlen des Anbieters mit den Preisen multipliziert. Die exakte Summe wird einmal auf den nächsten Schritt des Guthabens aufgerundet.",
      free: "Was zurückgelegt und nicht verbraucht wurde, ist wieder frei.",
    },
    costHold:
      "Ein hohes `max_tokens` legt viel zurück, solange der Aufruf läuft. Wird ein Aufruf trotz Guthaben mit `insufficient_quota` abgelehnt, senken Sie den Wert.",
    costEstimate:
      "Nennt ein Anbieter keine Zahlen oder sagt er, ein Text habe keine Token gebraucht, zählt {brand}, was es geliefert hat. Der Beleg sagt dann, dass die Zahl geschätzt ist.",
    costMultiplier:
      "Ein Konto hat einen Ratenmultiplikator; er ist 1, wenn nichts anderes vereinbart ist. Auch die Gruppe des Schlüssels hat einen; jeder Preis wird mit beiden malgenommen. Ihr Produkt wird binnen Minuten nach dem Aufruf verrechnet, als eigener Eintrag im Kontobuch; Sie sehen es auf jedem Beleg und den Multiplikator Ihres Kontos unter [Konto](/console/account/).",
    nothing: "Was frei ist",
    freeList: {
      errors: "Aufrufe, die mit einem Fehler enden, bevor es eine Ausgabe gibt.",
      attempts: "Fehlgeschlagene Versuche auf anderen Kanälen hinter einem Aufruf, der gelang.",
      lists: "Listen von Modellen und Tokenzählungen.",
      crash: "Aufrufe, die abbrachen, weil {brand} selbst anhielt.",
    },
    cutText:
      "Bricht der Anbieter einen Strom ab, wird berechnet, was bis dahin geliefert wurde. Verlassen Sie eine Antwort, die schon begonnen hat, zahlen Sie auch die Eingabe: {brand} hört dem Anbieter noch einige Sekunden zu, oder so lange, wie das Modell gearbeitet hatte, bevor Sie etwas davon sahen, höchstens eine Minute, und berechnet, was er zählt, sonst eine Schätzung der Eingabe und dessen, was bei Ihnen ankam. Ein Aufruf, den Sie vor dem Beginn der Antwort verlassen, ist kostenlos. Ein Konto darf je Stunde nur eine begrenzte Zahl von Aufrufen verlassen, bevor bekannt ist, was sie kosten.",
    plans: "Tarife",
    plan: "Tarif",
    gives: "Was er bringt",
    ends: "Wann er endet",
    credit: "Guthaben",
    creditGives: "Guthaben zum Verbrauchen nach Bedarf",
    creditEnds: "Nie",
    monthly: "Monatlich",
    monthlyGives: "Guthaben für einen Monat ab der Zahlung",
    monthlyEnds:
      "Unverbrauchtes endet mit dem Monat. Ein einzelner Monat verlängert sich nicht; eine weitere Bestellung fügt einen hinzu. Ein Abonnement verlängert sich, bis Sie es kündigen.",
    plansText: "Guthaben eines Monats wird zuerst verbraucht, der Monat, der am frühesten endet, vor den anderen.",
    paying: "Zahlungen",
    payingText:
      "Bestellungen werden per Karte oder Wallet bezahlt, je nachdem, was der Betreiber anbietet, in US-Dollar. Eine Bestellung wird einmal gutgeschrieben, wenn der Zahlungsdienst genau ihren Betrag bestätigt hat. Eine Zahlung, die nicht passt, sieht sich ein Mensch an; bis dahin wird nichts gutgeschrieben.",
    refunds: "Erstattungen",
    refundsText:
      "Schreiben Sie dem Support mit der Nummer der Bestellung. Eine Erstattung nimmt Guthaben im Verhältnis zum Geld zurück; bei einem Monatstarif nur, solange der Monat läuft. Verbrauchtes Guthaben wird nicht von selbst erstattet.",
    keyLimits: "Limits eines Schlüssels",
    keyLimitsText: "Jeder Schlüssel kann eigene Limits haben, unter [API-Schlüssel](/console/keys/):",
    limit: {
      budget: "Ein Budget, einmalig oder neu an jedem Tag, in jeder Woche oder in jedem Monat (UTC).",
      models: "Welche Modelle er nutzen darf und von welchen Adressen aus.",
      rates: "Aufrufe pro Minute, Tokens pro Minute, gleichzeitige Aufrufe.",
      end: "Ein Tag, an dem er abläuft.",
    },
    receipts: "Belege und Auszüge",
    receiptsText:
      "Jeder Aufruf hat einen Beleg unter [Nutzung](/console/usage/): Einheiten, Version der Preise, jede Zeile, Summe und Multiplikator, sodass Sie ihn nachrechnen können. Unter [Abrechnung](/console/billing/) stehen das Kontobuch und ein Auszug für jeden Monat.",
  },
  automation: {
    title: "Webhooks und Programme",
    description: "Webhooks, Zugriffstoken und Kommandozeile: was Programme erfahren und tun können.",
    lead: "{brand} meldet Ihren Programmen, was geschieht, und diese können tun, was Sie in der Konsole tun.",
    webhooks: "Webhooks",
    webhooksText:
      "Tragen Sie unter [Webhooks](/console/webhooks/) eine Adresse ein und wählen Sie, was sie erhält. Sie muss öffentlich sein und mit `https://` beginnen. Ihr Geheimnis wird einmal gezeigt.",
    event: "Ereignis",
    when: "Wann es gesendet wird",
    keyCreated: "Ein API-Schlüssel wurde angelegt oder rotiert.",
    balanceLow: "Weniger als 20 % der letzten Gutschrift sind übrig, und noch einmal unter 5 %.",
    paymentSettled: "Eine Zahlung wurde gutgeschrieben.",
    signatures: "Signatur prüfen",
    signaturesText:
      "Jede Nachricht ist ein `POST` mit JSON, nach den Regeln von [Standard Webhooks](https://www.standardwebhooks.com/) in den Headern `webhook-id`, `webhook-timestamp` und `webhook-signature` signiert. Prüfen Sie sie mit einer von deren Bibliotheken über die Bytes des Bodys, wie sie ankamen, bevor Sie ihn lesen.",
    delivery: "Zustellung",
    deliveryRule: {
      answer:
        "Antworten Sie innerhalb von 20 Sekunden mit einem Status von 200 bis 299. Weiterleitungen wird nicht gefolgt.",
      retry:
        "Eine gescheiterte Nachricht wird innerhalb etwa eines Tages bis zu achtmal versucht; `retry-after` wird beachtet. Nachrichten an eine Adresse werden nacheinander gesendet.",
      twice:
        "Eine Nachricht kann zweimal und in anderer Reihenfolge ankommen: `webhook-id` bleibt gleich, merken Sie sich also, welche Sie bearbeitet haben.",
      off: "Eine Adresse, die mit 410 antwortet oder drei Tage lang nur gescheitert ist, wird abgeschaltet, und Sie erhalten eine E-Mail.",
      rotate: "Wenn Sie das Geheimnis rotieren, signiert das alte noch 24 Stunden mit.",
    },
    deliveryLog:
      "Die Seite zeigt, was in den letzten 30 Tagen gesendet wurde und was zurückkam. Sie können eine Nachricht noch einmal senden, oder einen Test.",
    tokens: "Zugriffstoken",
    tokensText:
      "Ein Programm mit einem Zugriffstoken kann tun, was Sie in der Konsole tun, unter denselben Adressen unter `/backend`. Legen Sie eines unter [Zugriffstoken](/console/tokens/) an und senden Sie es als `Authorization: Bearer`.",
    tokenRule: {
      scopes:
        "Ein Token hat die Rechte, die Sie wählen, endet innerhalb eines Jahres und kann nie mehr, als Sie gerade dürfen.",
      closed: "Anmeldungen, Passwörter und Token lassen sich nicht mit einem Token verwalten.",
      organisation:
        "Ein Token, das Sie anlegen, während Sie für eine Organisation handeln, gilt für diese Organisation.",
      description:
        "[Jede Operation](/backend/docs/) ist beschrieben; Clients lassen sich aus `/backend/openapi.json` erzeugen.",
      key: "Mit einem API-Schlüssel allein melden `/v1/usage`, `/v1/credits` und `/v1/key`, was er ausgegeben hat und ausgeben kann.",
    },
    commandLine: "Kommandozeile",
    commandLineText:
      "Auch das Programm `sluice`, das mit dem Dienst kommt, nutzt ein Zugriffstoken. `sluice login` fragt danach; dann arbeiten `sluice keys create --name report` oder `sluice usage --json` aus einer Shell, und `sluice --help` nennt den Rest.",
  },
};
