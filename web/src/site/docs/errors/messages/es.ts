import type { ErrorTexts } from "./en.ts";

export const es: ErrorTexts = {
  title: "Errores",
  description: "Cada código de error: su estado, qué significa, si se cobra y qué hacer.",
  format: "Formato",
  formatText:
    "Un cliente de OpenAI recibe un `code`. El formato de Anthropic no lo tiene: el tipo y el mensaje dicen qué ocurrió. Los errores de un proveedor se transmiten con su propio estado y mensaje cuando es seguro.",
  linkText:
    'Cada respuesta de error lleva una cabecera `Link` con `rel="help"`: la dirección del código en esta página, en la dirección pública del operador. Un error dentro de un stream ya iniciado no la lleva.',
  inAnthropic: "Formato de Anthropic",
  toDo: "Qué hacer",
  group: {
    request: "La solicitud",
    key: "Clave y modelo",
    balance: "Saldo y límites",
    provider: "El proveedor",
    service: "El servicio",
  },
  meaning: {
    path: "La ruta o el método no existen, o la solicitud no es HTTP bien formado.",
    body: "El cuerpo tiene un tipo de contenido o una compresión que no se admite.",
    slow: "El cuerpo de la solicitud no llegó a tiempo.",
    twoKeys: "Se enviaron dos claves distintas.",
    loop: "La solicitud volvió a {brand} desde el proveedor al que se envió.",
    internal: "Algo falló por nuestra parte.",
  },
  fix: {
    request: "Corrige el campo que indica el mensaje.",
    path: "Compara la ruta y el método con la [referencia de la API](/docs/api/).",
    body: "Envía JSON sin comprimir como `application/json`, o un formulario si el endpoint acepta un archivo.",
    option: "Omite la opción, o pide al operador que le ponga un precio.",
    size: "Acorta la conversación, o envía imágenes y archivos más pequeños.",
    slow: "Comprueba la conexión y envía la solicitud de nuevo.",
    key: "Compara la clave con la que figura en [Claves de API](/console/keys/) y comprueba que tu programa la envía.",
    twoKeys: "Envía una sola clave. Algunos clientes envían además una del entorno, como `ANTHROPIC_API_KEY`.",
    forbidden:
      "Comprueba los límites de la clave en [Claves de API](/console/keys/), o ponte en contacto con el servicio de asistencia.",
    model: "Elige un nombre de la [lista de modelos](/models/) y comprueba qué modelos puede usar la clave.",
    quota: "Recarga en [Facturación](/console/billing/), sube el límite de la clave o baja `max_tokens`.",
    spend: "Espera a que se reinicie el límite, o pide al operador que lo suba.",
    rate: "Espera los segundos de `retry-after`, envía menos solicitudes a la vez o sube el límite de la clave.",
    providerRate: "Inténtalo de nuevo en unos segundos, o usa otro modelo.",
    rejected: "Lee el mensaje del proveedor. Casi siempre hay un parámetro que no es adecuado para el modelo.",
    provider: "Inténtalo de nuevo. Si sigue ocurriendo, usa otro modelo.",
    timeout: "Inténtalo de nuevo. Activa `stream` para respuestas largas.",
    cut: "Envía la solicitud de nuevo, o continúa desde lo que haya llegado.",
    unavailable: "Inténtalo de nuevo tras los segundos de `retry-after`.",
    closed: "Si no la cancelaste tú, aumenta el tiempo de espera de tu cliente.",
    loop: "Comunícalo al servicio de asistencia.",
    internal:
      "Inténtalo de nuevo. Si sigue ocurriendo, indica al servicio de asistencia el `x-request-id` de la respuesta.",
  },
};
