import type { ChangelogTexts } from "./en.ts";

export const fr: ChangelogTexts = {
  title: "Changements de l’API",
  description:
    "Ce qui a changé pour les programmes qui appellent l’API, le plus récent d’abord, aussi sous forme de flux.",
  lead: "Ce qui a changé pour les programmes qui appellent l’API, le plus récent d’abord. Rien ici n’empêche une requête qui fonctionnait auparavant. Votre opérateur décide quand il installe une nouvelle version.",
  feed: "Suivez ces changements dans un [flux]({feed}) (Atom).",
  change: {
    errorLink:
      "Les réponses d’erreur ont un en-tête `Link` qui mène à la [page des erreurs](/docs/errors/), au code de cette erreur.",
    capabilities:
      "La [liste des modèles](/models/) indique ce que chaque modèle sait faire, se trie par chaque colonne et montre les prix de votre groupe une fois connecté.",
    tags: "Les appels peuvent porter des étiquettes dans l’en-tête `x-sluice-tags` et nommer votre utilisateur final dans `safety_identifier`, `user` ou `metadata.user_id`. L’usage est totalisé selon les deux.",
    organisations:
      "Plusieurs personnes peuvent partager un solde en tant qu’organisation. Les programmes la nomment dans l’en-tête `x-organisation`.",
    fallback:
      "Si un autre modèle a répondu à la place de celui que vous demandiez, `x-sluice-model-used` le nomme. `x-sluice-fallback: off` le refuse pour un appel.",
    cache:
      "Les clés peuvent faire répondre aux requêtes répétées par des réponses enregistrées. `x-sluice-cache` indique si une réponse en est une.",
    cohere: "`/v2/rerank` accepte les requêtes des clients Cohere.",
    gemini:
      "Les clients Gemini fonctionnent sous `/v1beta` : `:generateContent`, `:streamGenerateContent`, `:countTokens` et embeddings.",
    convert:
      "Chat completions, Responses et Messages fonctionnent avec tous les modèles de chat : les requêtes sont converties quand un fournisseur ne parle qu’une de ces API. `x-sluice-dropped` et `x-compat-dropped` nomment ce qui a été omis.",
    ending:
      "Les réponses d’un modèle obsolète ont les en-têtes `Deprecation` et `Sunset`, de même que `/v1/models`. Un modèle retiré est refusé avec `model_ended`.",
    keyUsage: "`/v1/usage`, `/v1/credits` et `/v1/key` disent ce qu’une clé a dépensé et peut encore dépenser.",
    first: "La première version, 0.1.0 : `/v1` pour les clients OpenAI et `/msgcompat` pour les clients Anthropic.",
  },
};
