import type { ConsentMessages } from "./en.ts";

export const messages: ConsentMessages = {
  title: "Bevor es weitergeht",
  textFirst:
    "Lesen und akzeptieren Sie Folgendes, um die Konsole zu nutzen. Ihre API-Schlüssel funktionieren währenddessen weiter.",
  text: "Dies hat sich geändert, seit Sie es akzeptiert haben. Lesen und akzeptieren Sie es, um die Konsole zu nutzen. Ihre API-Schlüssel funktionieren währenddessen weiter.",
  pages: { terms: "Nutzungsbedingungen", privacy: "Datenschutzerklärung" },
  version: "Version {version}, gültig seit {date}",
  otherLanguage: "Diesen Text gibt es nicht auf Deutsch.",
  asPage: "Als Seite öffnen",
  changes: "Was sich ändert",
  before: "Was Sie am {date} akzeptiert haben",
  accept: "Akzeptieren und weiter",
  decline: "Ich akzeptiere nicht",
  declined:
    "Ohne Ihre Zustimmung können Sie die Konsole nicht nutzen. Sie können sich abmelden und später entscheiden, Ihre Daten speichern oder das Konto schließen. Bis dahin funktionieren Ihre API-Schlüssel weiter.",
  logOut: "Abmelden",
};
