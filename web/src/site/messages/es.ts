import type { FrameTexts } from "./en.ts";

export const es: FrameTexts = {
  skip: "Ir al contenido",
  navigation: "Principal",
  menu: "Menú",
  models: "Modelos",
  pricing: "Precios",
  docs: "Documentación",
  enterprise: "Para empresas",
  logIn: "Iniciar sesión",
  signUp: "Crear cuenta",
  console: "Consola",
  language: "Idioma",
  footer: "{brand} transmite llamadas a las API de modelos y lleva la cuenta de cada una.",
  footerNavigation: "Más páginas",
  support: "Soporte",
  poweredBy: "Funciona con {program}",
  announcement: "Aviso",
  terms: "Condiciones del servicio",
  privacy: "Política de privacidad",
  imprint: "Aviso legal",
};
