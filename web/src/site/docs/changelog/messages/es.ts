import type { ChangelogTexts } from "./en.ts";

export const es: ChangelogTexts = {
  title: "Cambios de la API",
  description: "Qué ha cambiado para los programas que llaman a la API, lo más reciente primero, también como feed.",
  lead: "Qué ha cambiado para los programas que llaman a la API, lo más reciente primero. Nada de esto rompe una solicitud que antes funcionaba. Tu operador decide cuándo instala una versión nueva.",
  feed: "Sigue estos cambios en un [feed]({feed}) (Atom).",
  change: {
    errorLink:
      "Las respuestas de error llevan una cabecera `Link` que conduce a la [página de errores](/docs/errors/), al código de ese error.",
    capabilities:
      "La [lista de modelos](/models/) indica qué puede hacer cada modelo, se ordena por cualquier columna y muestra los precios de tu grupo cuando has iniciado sesión.",
    tags: "Las llamadas pueden llevar etiquetas en la cabecera `x-sluice-tags` y nombrar a tu usuario final en `safety_identifier`, `user` o `metadata.user_id`. El uso se suma por ambos.",
    organisations:
      "Varias personas pueden compartir un saldo como organización. Los programas la nombran en la cabecera `x-organisation`.",
    fallback:
      "Si respondió otro modelo en lugar del que pediste, `x-sluice-model-used` lo nombra. `x-sluice-fallback: off` lo rechaza para una llamada.",
    cache:
      "Las claves pueden responder solicitudes repetidas con respuestas guardadas. `x-sluice-cache` indica si una respuesta lo es.",
    cohere: "`/v2/rerank` acepta solicitudes de clientes de Cohere.",
    gemini:
      "Los clientes de Gemini funcionan en `/v1beta`: `:generateContent`, `:streamGenerateContent`, `:countTokens` y embeddings.",
    convert:
      "Chat completions, Responses y Messages funcionan con todos los modelos de chat: las solicitudes se convierten cuando un proveedor solo habla una de estas API. `x-sluice-dropped` y `x-compat-dropped` nombran lo que se omitió.",
    ending:
      "Las respuestas de un modelo obsoleto llevan las cabeceras `Deprecation` y `Sunset`, igual que `/v1/models`. Un modelo retirado se rechaza con `model_ended`.",
    keyUsage: "`/v1/usage`, `/v1/credits` y `/v1/key` dicen cuánto ha gastado una clave y cuánto puede gastar aún.",
    first: "La primera versión, 0.1.0: `/v1` para clientes de OpenAI y `/msgcompat` para clientes de Anthropic.",
  },
};
