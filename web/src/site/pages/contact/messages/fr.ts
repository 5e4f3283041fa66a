import type { ContactTexts } from "./en.ts";

export const fr: ContactTexts = {
  title: "Entreprises",
  description: "Factures, limites plus hautes, multiplicateur propre : dites-nous ce qu’il vous faut.",
  heading: "Une offre pour votre entreprise",
  lead: "Dites-nous ce que vous voulez faire tourner, et en quelle quantité. La réponse vient par e-mail.",
  company: "Entreprise",
  contact: "Votre nom",
  email: "Adresse e-mail",
  volume: "Usage prévu",
  volumeHint: "Par exemple : 20 millions de tokens par jour, surtout en Europe.",
  message: "Ce que nous devrions savoir d’autre",
  optional: "facultatif",
  send: "Envoyer",
  sent: {
    title: "Merci",
    heading: "Votre demande est arrivée",
    text: "Nous l’avons notée et répondrons par e-mail.",
    home: "Aller à l’accueil",
  },
};
