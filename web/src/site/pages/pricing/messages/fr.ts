import type { PricingTexts } from "./en.ts";

export const fr: PricingTexts = {
  title: "Tarifs",
  description: "Des formules en dollars américains et le prix de chaque modèle par million de tokens.",
  heading: "Combien ça coûte",
  lead: "Vous chargez un solde et payez ce que vos appels consomment. Chaque appel a un reçu que l’on peut recalculer.",
  plans: "Formules",
  once: "en une fois",
  month: "pour un mois",
  grants: "{amount} de solde",
  planGroup: "Jusqu’à la fin de votre mois, vos appels sont dans le groupe {group} : chaque prix × {multiplier}.",
  choose: "Choisir {plan}",
  models: "Modèles",
  perMillion: "Dollars américains par million de tokens",
  model: "Modèle",
  provider: "Fournisseur",
  input: "Entrée",
  output: "Sortie",
  cached: "Entrée en cache",
  context: "Contexte",
  noPlans: "Aucune formule n’est proposée pour le moment.",
  noModels: "Aucun modèle n’est proposé pour le moment.",
  calculator: "Combien cela coûterait-il ?",
  inputTokens: "Tokens d’entrée",
  outputTokens: "Tokens de sortie",
  cost: "Coût",
  costNote: "Avant les multiplicateurs du compte et du groupe.",
  cachedTokens: "Tokens d’entrée en cache",
  rules: {
    title: "Bon à savoir",
    pay: {
      title: "Paiement",
      text: "Par carte ou portefeuille, en dollars américains. Le montant affiché est le montant débité.",
    },
    expiry: {
      title: "Durée",
      text: "Le solde d’un paiement unique n’expire pas. Celui d’une formule mensuelle expire avec son mois ; un nouveau paiement le prolonge.",
    },
    failed: {
      title: "Ce qui est gratuit",
      text: "Les appels qui finissent en erreur ou ne produisent rien ne coûtent rien.",
    },
    multiplier: {
      title: "Le multiplicateur",
      text: "Un compte peut avoir son propre multiplicateur, et le groupe d’une clé aussi ; chaque prix est multiplié par les deux. Ils sont affichés dans la console et appliqués à chaque appel, arrondi à l’unité supérieure.",
    },
  },
};
