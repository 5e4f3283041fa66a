import type { FigureMessages } from "./en.ts";

export const messages: FigureMessages = {
  title: "Comment les chiffres sont calculés",
  text: "Chaque chiffre est calculé de la même façon sur toutes les pages, dans les fichiers et dans l’API.",
  entries: {
    calls: {
      name: "Appels",
      text: "Chaque requête avec l’une de vos clés, quelle que soit sa fin : terminée, annulée, échouée ou refusée. Un appel compte une fois qu’il est fini.",
    },
    success: {
      name: "Taux de réussite",
      text: "La part des appels terminés parmi les appels terminés et échoués. Les appels refusés, par exemple faute de solde, et ceux que votre programme a annulés ne comptent pas.",
    },
    tokens: {
      name: "Tokens d’entrée et de sortie",
      text: "Ce que les modèles ont lu et écrit, selon le décompte du fournisseur. L’entrée comprend les tokens lus dans le cache, la sortie ceux du raisonnement.",
    },
    cost: {
      name: "Coût",
      text: "Ce qui a été facturé pour les appels, avec tous les multiplicateurs, arrondi une fois par appel au multiple supérieur de 0,000002 $. Paiements et remboursements n’y changent rien.",
    },
    balance: {
      name: "Solde",
      text: "Ce que vous pouvez encore dépenser : tout ce qui a été ajouté, moins le coût de vos appels et ce qui est retenu pour ceux en cours.",
    },
    held: {
      name: "Retenu pour les appels",
      text: "Le maximum que peuvent coûter les appels en cours et le coût de ceux qui viennent de finir et ne sont pas encore comptabilisés. Avec le solde, c’est le solde du grand livre.",
    },
    firstByte: {
      name: "Premier octet",
      text: "Le temps entre l’arrivée de la requête et l’envoi du premier octet de la réponse.",
    },
    duration: { name: "Durée", text: "Le temps entre l’arrivée de la requête et la fin de la réponse." },
    percentiles: {
      name: "p50 et p95",
      text: "La moitié des appels, et 95 sur cent, ont duré autant ou moins. Ces valeurs viennent de sommes par jour UTC, par pas d’un quart de doublement, et sont justes à un dixième près.",
    },
    speed: {
      name: "Tokens par seconde",
      text: "Les tokens de sortie des réponses en streaming, divisés par le temps entre leur premier octet et leur fin.",
    },
    days: {
      name: "Jours et aujourd’hui",
      text: "Les jours commencent à minuit dans le fuseau horaire indiqué sur la page ; la page d’utilisation permet d’en choisir un autre. La journée en cours n’est pas finie : sa barre est plus pâle et ses sommes augmentent encore.",
    },
    previous: {
      name: "Période précédente",
      text: "Le même nombre de jours juste avant ceux choisis. Tous sont finis.",
    },
    tags: {
      name: "Utilisateurs finaux et étiquettes",
      text: "Un appel compte pour chacune de ses étiquettes : les sommes par étiquette peuvent dépasser le total. Les appels sans utilisateur final ni étiquette n’y figurent pas.",
    },
  },
};
