import type { ErrorTexts } from "./en.ts";

export const fr: ErrorTexts = {
  title: "Erreurs",
  description: "Chaque code d’erreur : son statut, ce qu’il signifie, s’il est facturé et que faire.",
  format: "Format",
  formatText:
    "Un client OpenAI reçoit un `code`. Le format d’Anthropic n’en a pas : le type et le message disent ce qui s’est passé. Les erreurs d’un fournisseur sont transmises avec leur statut et leur message lorsque c’est sans risque.",
  linkText:
    'Chaque réponse d’erreur a un en-tête `Link` avec `rel="help"` : l’adresse du code sur cette page, à l’adresse publique de l’opérateur. Une erreur dans un flux déjà commencé n’en a pas.',
  inAnthropic: "Format d’Anthropic",
  toDo: "Que faire",
  group: {
    request: "La requête",
    key: "Clé et modèle",
    balance: "Solde et limites",
    provider: "Le fournisseur",
    service: "Le service",
  },
  meaning: {
    path: "Le chemin ou la méthode n’existe pas, ou la requête n’est pas du HTTP bien formé.",
    body: "Le corps a un type de contenu ou une compression qui n’est pas pris en charge.",
    slow: "Le corps de la requête n’est pas arrivé à temps.",
    twoKeys: "Deux clés différentes ont été envoyées.",
    loop: "La requête est revenue à {brand} depuis le fournisseur auquel elle avait été envoyée.",
    internal: "Une erreur s’est produite de notre côté.",
  },
  fix: {
    request: "Corrigez le champ que le message indique.",
    path: "Comparez le chemin et la méthode avec la [référence de l’API](/docs/api/).",
    body: "Envoyez du JSON non compressé en `application/json`, ou un formulaire si le point d’accès accepte un fichier.",
    option: "Retirez l’option, ou demandez à l’opérateur de lui fixer un prix.",
    size: "Raccourcissez la conversation, ou envoyez des images et des fichiers plus petits.",
    slow: "Vérifiez la connexion et renvoyez la requête.",
    key: "Comparez la clé avec celle de la page [Clés API](/console/keys/) et vérifiez que votre programme l’envoie.",
    twoKeys:
      "Envoyez une seule clé. Certains clients en envoient aussi une de l’environnement, comme `ANTHROPIC_API_KEY`.",
    forbidden: "Vérifiez les limites de la clé dans [Clés API](/console/keys/), ou contactez l’assistance.",
    model: "Choisissez un nom de la [liste des modèles](/models/) et vérifiez quels modèles la clé peut utiliser.",
    quota: "Rechargez dans [Facturation](/console/billing/), relevez la limite de la clé ou diminuez `max_tokens`.",
    spend: "Attendez que la limite soit réinitialisée, ou demandez à l’opérateur de la relever.",
    rate: "Attendez le nombre de secondes indiqué dans `retry-after`, envoyez moins de requêtes à la fois ou relevez la limite de la clé.",
    providerRate: "Réessayez dans quelques secondes, ou utilisez un autre modèle.",
    rejected: "Lisez le message du fournisseur. Le plus souvent, un paramètre ne convient pas au modèle.",
    provider: "Réessayez. Si cela persiste, utilisez un autre modèle.",
    timeout: "Réessayez. Activez `stream` pour les longues réponses.",
    cut: "Renvoyez la requête, ou poursuivez à partir de ce qui est arrivé.",
    unavailable: "Réessayez après le nombre de secondes indiqué dans `retry-after`.",
    closed: "Si vous ne l’avez pas annulée, augmentez le délai de votre client.",
    loop: "Signalez-le à l’assistance.",
    internal: "Réessayez. Si cela persiste, communiquez à l’assistance le `x-request-id` de la réponse.",
  },
};
