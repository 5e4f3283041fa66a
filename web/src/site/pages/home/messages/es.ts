import type { HomeTexts } from "./en.ts";

export const es: HomeTexts = {
  title: "Una puerta de enlace a las API de modelos",
  description: "Una dirección y una clave para las API de modelos, con la cuenta exacta de cada llamada.",
  heading: "Una clave para las API de modelos y la cuenta exacta de cada llamada",
  lead: "Los programas llegan a esta puerta de enlace en {path} con cualquier cliente de OpenAI. GET /v1/models indica qué modelos puede usar una clave.",
  prices: "Cuánto cuesta",
  logIn: "Iniciar sesión",
  example: "Una primera llamada",
};
