import type { ContactTexts } from "./en.ts";

export const es: ContactTexts = {
  title: "Para empresas",
  description: "Facturas, límites más altos, un multiplicador propio: cuéntanos qué necesitas.",
  heading: "Una oferta para tu empresa",
  lead: "Cuéntanos qué quieres ejecutar y en qué cantidad. La respuesta llega por correo.",
  company: "Empresa",
  contact: "Tu nombre",
  email: "Correo electrónico",
  volume: "Uso previsto",
  volumeHint: "Por ejemplo: 20 millones de tokens al día, sobre todo en Europa.",
  message: "Qué más debemos saber",
  optional: "opcional",
  send: "Enviar",
  sent: {
    title: "Gracias",
    heading: "Tu solicitud ha llegado",
    text: "La hemos anotado y responderemos por correo.",
    home: "Ir al inicio",
  },
};
