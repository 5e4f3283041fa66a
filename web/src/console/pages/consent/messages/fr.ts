import type { ConsentMessages } from "./en.ts";

export const messages: ConsentMessages = {
  title: "Avant de continuer",
  textFirst:
    "Lisez et acceptez ce qui suit pour utiliser la console. Vos clés d’API continuent de fonctionner entre-temps.",
  text: "Ceci a changé depuis que vous l’avez accepté. Lisez-le et acceptez-le pour utiliser la console. Vos clés d’API continuent de fonctionner entre-temps.",
  pages: { terms: "Conditions d’utilisation", privacy: "Politique de confidentialité" },
  version: "Version {version}, en vigueur depuis le {date}",
  otherLanguage: "Ce texte n’est pas disponible en français.",
  asPage: "Ouvrir comme page",
  changes: "Ce qui change",
  before: "Ce que vous avez accepté le {date}",
  accept: "Accepter et continuer",
  decline: "Je n’accepte pas",
  declined:
    "Sans votre accord, vous ne pouvez pas utiliser la console. Vous pouvez vous déconnecter et décider plus tard, enregistrer vos données ou fermer le compte. Vos clés d’API fonctionnent jusqu’à la fermeture.",
  logOut: "Se déconnecter",
};
