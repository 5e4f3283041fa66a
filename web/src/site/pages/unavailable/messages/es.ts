import type { UnavailableTexts } from "./en.ts";

export const es: UnavailableTexts = {
  title: "No disponible ahora",
  description: "Esta página no se puede mostrar ahora.",
  heading: "Esta página no se puede mostrar ahora",
  text: "Algo ha fallado por nuestra parte o estamos trabajando en el servicio. Prueba otra vez dentro de un minuto.",
  again: "Probar otra vez",
};
