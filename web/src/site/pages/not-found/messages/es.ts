import type { NotFoundTexts } from "./en.ts";

export const es: NotFoundTexts = {
  title: "Página no encontrada",
  description: "No hay ninguna página en esta dirección.",
  heading: "No hay ninguna página en esta dirección",
  text: "Puede que se haya movido o que la dirección tenga un error.",
  home: "Ir al inicio",
  pricing: "Precios",
};
