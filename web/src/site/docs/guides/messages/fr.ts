import type { GuideTexts } from "./en.ts";

export const fr: GuideTexts = {
  guides: {
    title: "Guides pratiques",
    description: "Streaming, outils, images, embeddings et sortie structurée, avec du code qui fonctionne.",
    lead: "Chaque exemple fonctionne tel quel. Tous les modèles ne prennent pas tout en charge : sinon, l’erreur indique le paramètre.",
    streaming: "Streaming",
    streamingText: "Si `stream` vaut `true`, la réponse arrive par morceaux pendant que le modèle l’écrit.",
    streamingRule: {
      end: "Un flux complet se termine par `data: [DONE]`. Sans cela, la réponse n’est pas complète.",
      usage: "`stream_options` avec `include_usage: true` ajoute le nombre de tokens en dernier morceau.",
      error:
        "Si le fournisseur échoue après le premier morceau, le flux se termine par un événement d’erreur. Vous payez ce qui a été livré.",
      cancel:
        "Pour annuler, fermez la connexion. [Facturation](/docs/billing/#free) indique ce que coûte une requête annulée.",
    },
    tools: "Outils",
    toolsText:
      "Décrivez des fonctions dans `tools`. Lorsque le modèle en veut une, il envoie le nom et les arguments. Exécutez-la, renvoyez le résultat, et le modèle continue.",
    toolsRule: {
      check: "Vérifiez les arguments avant d’exécuter quoi que ce soit : un modèle peut se tromper.",
      limit: "Limitez le nombre de tours, comme dans l’exemple.",
      hosted:
        "Les outils que le fournisseur exécute lui-même, comme la recherche web, ne fonctionnent que si l’opérateur leur a fixé un prix.",
    },
    vision: "Images",
    visionText: "Envoyez une image comme partie d’un message : par une adresse `https` ou une URL `data:`.",
    visionRule: {
      tokens: "Une image est facturée en tokens d’entrée. Leur nombre dépend du modèle et de la taille de l’image.",
      size: "Une grande image donne une grande requête. Réduisez-la à la taille dont le modèle a besoin.",
    },
    embeddings: "Embeddings",
    embeddingsText: "Des textes de sens proche ont des vecteurs proches. Envoyez plusieurs textes en une requête.",
    embeddingsRule: {
      compare:
        "Ne comparez que des vecteurs du même modèle. Plus leur produit scalaire est grand, plus les textes sont proches.",
      dimensions: "Certains modèles acceptent `dimensions` pour des vecteurs plus courts.",
    },
    structured: "Sortie structurée",
    structuredText: "Avec `response_format`, la réponse est du JSON conforme à votre schéma.",
    structuredRule: {
      cut: "Si `finish_reason` vaut `length`, le JSON est tronqué. Augmentez `max_tokens`.",
      older: "Pour les modèles sans schémas, utilisez `json_object` et décrivez les champs dans le prompt.",
    },
  },
  limits: {
    title: "Limites",
    description:
      "La taille d’une requête, les requêtes et les tokens par minute, les budgets, et que faire à une limite.",
    lead: "Les limites concernent une clé ou tout le compte. L’erreur dit laquelle vous avez atteinte.",
    size: "Taille d’une requête",
    rates: "Requêtes et tokens par minute",
    ratesText:
      "Lorsqu’une limite s’applique, chaque réponse dit ce qu’il en reste. Une limite porte sur la dernière minute.",
    inOpenai: "Format d’OpenAI",
    inAnthropic: "Format d’Anthropic",
    waiting: "Lorsqu’une limite est atteinte",
  },
  troubleshooting: {
    title: "Dépannage",
    description: "Que vérifier si une requête échoue, s’arrête, coûte plus que prévu ou reçoit un autre modèle.",
    lead: "Commencez par le code de la réponse : [Erreurs](/docs/errors/) les explique tous. Voici les causes plus difficiles à voir.",
    key: "La clé est refusée alors qu’elle est correcte",
    keyText:
      "De nombreux clients prennent d’abord une clé de l’environnement, comme `OPENAI_API_KEY` ou `ANTHROPIC_API_KEY`. Retirez-la et essayez la clé seule :",
    address: "Toutes les requêtes reçoivent un 404",
    addressText:
      "L’URL de base est fausse. Elle se termine par `/v1` pour les clients OpenAI, et par `/msgcompat` pour les clients Anthropic, qui ajoutent eux-mêmes `/v1`.",
    model: "Le modèle n’existe pas",
    modelText:
      "Copiez le nom depuis la [liste des modèles](/models/) : la casse compte. S’il y figure, la clé est peut-être limitée à d’autres modèles. `GET /v1/models` liste ceux que la clé peut utiliser.",
    balance: "Le solde est refusé alors qu’il y en a un",
    balanceText:
      "Avant une requête, le maximum qu’elle peut coûter est réservé. Diminuez `max_tokens`, ou regardez le budget de la clé dans [Clés API](/console/keys/).",
    stops: "La réponse s’arrête au milieu",
    stopsText:
      "Si `finish_reason` vaut `length`, augmentez `max_tokens`. Si le flux se termine sans dernier événement, un délai de votre client ou un proxy a fermé la connexion.",
    late: "Un flux arrive d’un seul coup",
    lateText:
      "Quelque chose l’accumule en chemin. Désactivez la mise en tampon de votre proxy, ou essayez `curl -N` depuis un autre réseau.",
    another: "Un autre modèle répond",
    anotherText:
      "Si la clé autorise un modèle de secours, `x-sluice-model-used` nomme celui qui a répondu. Sous `/msgcompat`, l’opérateur peut diriger un nom Claude vers un autre modèle ; `/msgcompat/v1/models` liste les noms.",
    cost: "Une requête coûte plus que prévu",
    costText:
      "Ouvrez son reçu dans [Utilisation](/console/usage/) : il indique chaque prix et chaque quantité. Les modèles qui réfléchissent le facturent en sortie.",
    support: "Ce dont l’assistance a besoin",
    supportText: "Le `x-request-id` de la réponse, l’heure et ce que vous attendiez. N’envoyez jamais votre clé.",
  },
};
