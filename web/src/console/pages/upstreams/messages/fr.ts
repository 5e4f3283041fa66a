import type { UpstreamsMessages } from "./en.ts";

export const messages: UpstreamsMessages = {
  title: "Sources",
  text: "Ce qui répond à vos appels. L’exploitant de ce service entretient les connexions aux fournisseurs ; vos clés atteignent les modèles ci-dessous.",
  models: "Modèles que vos clés peuvent appeler",
  model: "Modèle",
  owner: "Fournisseur",
  context: "Contexte",
  tokens: "{count} tokens",
  input: "Entrée, 1 M de tokens",
  output: "Sortie, 1 M de tokens",
  cache: "Entrée en cache, 1 M de tokens",
  state: "État",
  offered: "disponible",
  sunset: "prend fin le {date}",
  deprecated: "remplacé par un plus récent",
  noModels: "Aucun modèle n’est proposé à votre compte",
  noModelsText:
    "Aucune connexion ne dessert votre groupe pour le moment. Les appels sont refusés jusqu’à ce que l’exploitant en ajoute une.",
  profiles: "Profils d’authentification des sources",
  profilesText:
    "Un profil décrit comment on se connecterait chez un fournisseur. Les profils sont des métadonnées : aucun appel n’est acheminé d’après eux, et seuls les administrateurs les voient.",
  show: "Afficher les profils",
  adminOnly:
    "Ces profils sont réservés aux administrateurs. Connectez-vous comme administrateur dans ce navigateur, puis réessayez.",
  adminLogin: "Connexion administrateur",
  noProfiles: "Aucun profil n’est encore enregistré.",
  name: "Nom",
  authType: "Type",
  status: "État",
  scope: "Modèles",
  allModels: "tous",
  refresh: "Vérifier le renouvellement",
  refreshed: "Il est marqué comme devant être connecté à la main. Aucun fournisseur n’a été appelé.",
  never: "jamais demandé",
  pending: "pending_manual_connector depuis {time}",
  failed: "Cela n’a pas fonctionné",
};
