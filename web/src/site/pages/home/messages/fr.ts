import type { HomeTexts } from "./en.ts";

export const fr: HomeTexts = {
  title: "Une passerelle vers les API de modèles",
  description: "Une adresse et une clé pour les API de modèles, avec le compte exact de chaque appel.",
  heading: "Une clé pour les API de modèles, et le compte exact de chaque appel",
  lead: "Vos programmes joignent cette passerelle à {path} avec n’importe quel client OpenAI. GET /v1/models liste les modèles accessibles à votre clé.",
  prices: "Combien ça coûte",
  logIn: "Se connecter",
  example: "Un premier appel",
  start: "Créer un compte",
  model: "Modèle",
  copy: "Copier",
  copied: "Copié",
  figures: {
    title: "Chiffres de ce service",
    models: "modèles",
    answered: "des appels réussis sur 30 jours",
    firstByte: "jusqu’au premier octet de {model}, médiane sur 7 jours",
  },
  apis: {
    title: "Ce que vos programmes parlent déjà",
    lead: "Changez l’adresse et la clé ; tout le reste demeure.",
    api: "Interface",
    path: "Adresse",
    clients: "Compatible avec",
    more: "Embeddings, images, audio, modération",
    listing: "Les modèles d’une clé",
  },
  strip: {
    title: "Tarifs",
    all: "Tous les modèles et tarifs",
    input: "Entrée",
    output: "Sortie",
    perMillion: "par million de tokens",
  },
  billing: {
    title: "Comment fonctionne la facturation",
    load: {
      title: "Charger",
      text: "Choisissez une formule et payez par carte ou portefeuille. Tous les prix sont en dollars américains.",
    },
    call: {
      title: "Appeler",
      text: "Chaque appel est calculé d’après ses tokens, exactement, et arrondi une seule fois, à la fin.",
    },
    check: {
      title: "Vérifier",
      text: "Chaque appel a un reçu avec ses unités et ses prix. Vous pouvez le recalculer.",
    },
  },
  faq: {
    title: "Questions",
    code: {
      question: "Dois-je modifier mon code ?",
      answer:
        "Seulement l’adresse et la clé. L’URL de base est {openai} pour les clients OpenAI et {anthropic} pour les clients Anthropic.",
    },
    fail: {
      question: "Que coûte un appel qui échoue ?",
      answer:
        "Rien. Un appel qui finit en erreur ou ne produit rien est gratuit. Si vous l’interrompez, vous payez ce qui a été produit jusque-là.",
    },
    limit: {
      question: "Puis-je limiter les dépenses d’une clé ?",
      answer:
        "Oui. Une clé peut avoir un budget, une date de fin, une liste de modèles, une liste d’adresses et des limites par minute. Elle peut être révoquée à tout moment.",
    },
    store: {
      question: "Mes requêtes sont-elles conservées ?",
      answer:
        "Requêtes et réponses sont gardées chiffrées peu de temps, puis détruites. Vous pouvez le désactiver pour chaque clé. Personne ne les lit sans donner un motif, qui est consigné.",
    },
    plan: {
      question: "Quelle différence entre le solde et une formule mensuelle ?",
      answer:
        "Le solde reste jusqu’à épuisement. Une formule mensuelle ajoute du solde pour un mois ; ce qui en reste prend fin avec lui.",
    },
  },
};
