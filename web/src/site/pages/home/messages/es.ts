import type { HomeTexts } from "./en.ts";

export const es: HomeTexts = {
  title: "Una puerta de enlace a las API de modelos",
  description: "Una dirección y una clave para las API de modelos, con la cuenta exacta de cada llamada.",
  heading: "Una clave para las API de modelos y la cuenta exacta de cada llamada",
  lead: "Los programas llegan a esta puerta de enlace en {path} con cualquier cliente de OpenAI. GET /v1/models enumera los modelos que puede usar tu clave.",
  prices: "Cuánto cuesta",
  logIn: "Iniciar sesión",
  example: "Una primera llamada",
  start: "Crear una cuenta",
  model: "Modelo",
  copy: "Copiar",
  copied: "Copiado",
  figures: {
    title: "Cifras de este servicio",
    models: "modelos",
    answered: "de las llamadas respondidas en 30 días",
    firstByte: "hasta el primer byte de {model}, mediana de 7 días",
  },
  apis: {
    title: "Lo que tus programas ya hablan",
    lead: "Cambia la dirección y la clave; todo lo demás queda igual.",
    api: "Interfaz",
    path: "Dirección",
    clients: "Funciona con",
    more: "Embeddings, imágenes, audio, moderación",
    listing: "Los modelos de una clave",
  },
  strip: {
    title: "Precios",
    all: "Todos los modelos y precios",
    input: "Entrada",
    output: "Salida",
    perMillion: "por millón de tokens",
  },
  billing: {
    title: "Cómo se factura",
    load: {
      title: "Carga saldo",
      text: "Elige un plan y paga con tarjeta o monedero. Todos los precios están en dólares estadounidenses.",
    },
    call: {
      title: "Llama",
      text: "Cada llamada se calcula por sus tokens, con exactitud, y se redondea hacia arriba una sola vez, al final.",
    },
    check: {
      title: "Comprueba",
      text: "Cada llamada tiene un recibo con unidades y precios. Puedes volver a calcularlo.",
    },
  },
  faq: {
    title: "Preguntas",
    code: {
      question: "¿Tengo que cambiar mi código?",
      answer:
        "Solo la dirección y la clave. Los clientes de OpenAI usan {openai} como URL base; los de Anthropic, {anthropic}.",
    },
    fail: {
      question: "¿Cuánto cuesta una llamada fallida?",
      answer:
        "Nada. Una llamada que termina en error o no produce salida es gratis. Si la cortas, pagas lo generado hasta ese momento.",
    },
    limit: {
      question: "¿Puedo limitar el gasto de una clave?",
      answer:
        "Sí. Una clave puede tener presupuesto, fecha de caducidad, lista de modelos, lista de direcciones y límites por minuto. Se puede revocar en cualquier momento.",
    },
    store: {
      question: "¿Se guardan mis peticiones?",
      answer:
        "Las peticiones y respuestas se guardan cifradas durante poco tiempo y después se destruyen. Puedes desactivarlo en cada clave. Nadie las lee sin dar un motivo, que queda registrado.",
    },
    plan: {
      question: "¿En qué se diferencian el saldo y un plan mensual?",
      answer:
        "El saldo dura hasta que se gasta. Un plan mensual da una cuota para ese mes; lo que sobra termina con él.",
    },
  },
};
