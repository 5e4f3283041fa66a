import type { UpstreamsMessages } from "./en.ts";

export const messages: UpstreamsMessages = {
  title: "Upstreams",
  text: "Was Ihre Aufrufe beantwortet. Der Betreiber dieses Dienstes unterhält die Verbindungen zu den Anbietern; Ihre Schlüssel erreichen die folgenden Modelle.",
  models: "Modelle, die Ihre Schlüssel aufrufen können",
  model: "Modell",
  owner: "Anbieter",
  context: "Kontext",
  tokens: "{count} Tokens",
  input: "Eingabe, 1 Mio. Tokens",
  output: "Ausgabe, 1 Mio. Tokens",
  cache: "Eingabe aus dem Cache, 1 Mio. Tokens",
  state: "Zustand",
  offered: "verfügbar",
  sunset: "endet am {date}",
  deprecated: "durch ein neueres ersetzt",
  noModels: "Ihrem Konto wird kein Modell angeboten",
  noModelsText:
    "Zurzeit bedient keine Verbindung Ihre Gruppe. Aufrufe werden abgelehnt, bis der Betreiber eine hinzufügt.",
  profiles: "Anmeldeprofile der Upstreams",
  profilesText:
    "Ein Profil beschreibt, wie man sich bei einem Anbieter anmelden würde. Profile sind Metadaten: Kein Aufruf wird danach geleitet, und nur Admins sehen sie.",
  show: "Profile zeigen",
  adminOnly:
    "Diese Profile sind für Admins. Melden Sie sich in diesem Browser als Admin an und versuchen Sie es dann erneut.",
  adminLogin: "Admin-Anmeldung",
  noProfiles: "Noch ist kein Profil hinterlegt.",
  name: "Name",
  authType: "Typ",
  status: "Status",
  scope: "Modelle",
  allModels: "alle",
  refresh: "Erneuerung prüfen",
  refreshed: "Es ist als eines markiert, das jemand von Hand verbinden muss. Kein Anbieter wurde aufgerufen.",
  never: "nie verlangt",
  pending: "pending_manual_connector seit {time}",
  failed: "Das hat nicht geklappt",
};
