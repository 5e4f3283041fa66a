import type { ConsentMessages } from "./en.ts";

export const messages: ConsentMessages = {
  title: "Antes de continuar",
  textFirst: "Lee y acepta lo siguiente para usar la consola. Mientras tanto, tus claves de API siguen funcionando.",
  text: "Esto ha cambiado desde que lo aceptaste. Léelo y acéptalo para usar la consola. Mientras tanto, tus claves de API siguen funcionando.",
  pages: { terms: "Condiciones del servicio", privacy: "Política de privacidad" },
  version: "Versión {version}, en vigor desde el {date}",
  otherLanguage: "Este texto no está disponible en español.",
  asPage: "Abrir como página",
  changes: "Qué ha cambiado",
  before: "Lo que aceptaste el {date}",
  accept: "Aceptar y continuar",
  decline: "No acepto",
  declined:
    "Sin aceptarlo no puedes usar la consola. Puedes cerrar sesión y decidirlo más tarde, guardar tus datos o cerrar la cuenta. Tus claves de API siguen funcionando hasta que la cierres.",
  logOut: "Cerrar sesión",
};
