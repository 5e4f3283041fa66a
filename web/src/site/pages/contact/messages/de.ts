import type { ContactTexts } from "./en.ts";

export const de: ContactTexts = {
  title: "Für Unternehmen",
  description: "Rechnungen, höhere Grenzen, ein eigener Multiplikator: Sagen Sie uns, was Sie brauchen.",
  heading: "Ein Angebot für Ihr Unternehmen",
  lead: "Sagen Sie uns, was Sie betreiben wollen und wie viel davon. Die Antwort kommt per E-Mail.",
  company: "Unternehmen",
  contact: "Ihr Name",
  email: "E-Mail",
  volume: "Erwartete Nutzung",
  volumeHint: "Zum Beispiel: 20 Millionen Tokens am Tag, vor allem in Europa.",
  message: "Was wir sonst wissen sollten",
  optional: "optional",
  send: "Senden",
  sent: {
    title: "Vielen Dank",
    heading: "Ihre Anfrage ist angekommen",
    text: "Wir haben sie notiert und antworten per E-Mail.",
    home: "Zur Startseite",
  },
};
