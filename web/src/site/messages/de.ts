import type { FrameTexts } from "./en.ts";

export const de: FrameTexts = {
  skip: "Zum Inhalt springen",
  navigation: "Hauptnavigation",
  menu: "Menü",
  models: "Modelle",
  pricing: "Preise",
  docs: "Dokumentation",
  enterprise: "Für Unternehmen",
  logIn: "Anmelden",
  signUp: "Registrieren",
  console: "Konsole",
  language: "Sprache",
  footer: "{brand} leitet Aufrufe an Modell-APIs weiter und rechnet jeden einzelnen ab.",
  footerNavigation: "Weitere Seiten",
  support: "Support",
  poweredBy: "Läuft mit {program}",
  announcement: "Ankündigung",
  terms: "Nutzungsbedingungen",
  privacy: "Datenschutzerklärung",
  imprint: "Impressum",
};
