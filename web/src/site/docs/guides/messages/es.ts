import type { GuideTexts } from "./en.ts";

export const es: GuideTexts = {
  guides: {
    title: "Guías",
    description: "Streaming, herramientas, imágenes, embeddings y salida estructurada, con código que funciona.",
    lead: "Cada ejemplo funciona tal cual. No todos los modelos admiten todas las funciones: si alguno no la admite, el error indica el parámetro.",
    streaming: "Streaming",
    streamingText: "Con `stream` en `true`, la respuesta llega por partes mientras el modelo la escribe.",
    streamingRule: {
      end: "Un stream completo termina con `data: [DONE]`. Sin eso, la respuesta no está completa.",
      usage: "`stream_options` con `include_usage: true` añade los tokens contados como última parte.",
      error:
        "Si el proveedor falla después de la primera parte, el stream termina con un evento de error. Pagas lo que se entregó.",
      cancel:
        "Para cancelar, cierra la conexión. En [Facturación](/docs/billing/#free) se explica qué cuesta una solicitud cancelada.",
    },
    tools: "Herramientas",
    toolsText:
      "Describe funciones en `tools`. Cuando el modelo quiere una, envía el nombre y los argumentos. Ejecútala, devuelve el resultado y el modelo continúa.",
    toolsRule: {
      check: "Comprueba los argumentos antes de ejecutar nada: un modelo puede equivocarse.",
      limit: "Limita el número de rondas, como en el ejemplo.",
      hosted:
        "Las herramientas que ejecuta el propio proveedor, como la búsqueda web, solo funcionan si el operador les ha puesto un precio.",
    },
    vision: "Imágenes",
    visionText: "Envía una imagen como parte de un mensaje: como dirección `https` o como URL `data:`.",
    visionRule: {
      tokens: "Una imagen se cobra como tokens de entrada. Cuántos depende del modelo y de su tamaño.",
      size: "Una imagen grande hace grande la solicitud. Redúcela al tamaño que necesita el modelo.",
    },
    embeddings: "Embeddings",
    embeddingsText:
      "Los textos de significado parecido tienen vectores parecidos. Envía varios textos en una solicitud.",
    embeddingsRule: {
      compare:
        "Compara solo vectores del mismo modelo. Cuanto mayor es su producto escalar, más cercanos son los textos.",
      dimensions: "Algunos modelos aceptan `dimensions` para vectores más cortos.",
    },
    structured: "Salida estructurada",
    structuredText: "Con `response_format`, la respuesta es JSON que se ajusta a tu esquema.",
    structuredRule: {
      cut: "Si `finish_reason` es `length`, el JSON está cortado. Sube `max_tokens`.",
      older: "Para modelos sin esquemas, usa `json_object` y describe los campos en el prompt.",
    },
  },
  limits: {
    title: "Límites",
    description:
      "El tamaño de una solicitud, las solicitudes y los tokens por minuto, los presupuestos y qué hacer al llegar a un límite.",
    lead: "Los límites son de una clave o de toda la cuenta. El error dice a cuál has llegado.",
    size: "Tamaño de una solicitud",
    rates: "Solicitudes y tokens por minuto",
    ratesText: "Donde hay un límite, cada respuesta dice cuánto queda. Un límite cuenta el último minuto.",
    inOpenai: "Formato de OpenAI",
    inAnthropic: "Formato de Anthropic",
    waiting: "Al llegar a un límite",
  },
  troubleshooting: {
    title: "Solución de problemas",
    description: "Qué comprobar si una solicitud falla, se corta, cuesta más de lo esperado o responde otro modelo.",
    lead: "Empieza por el código de la respuesta: [Errores](/docs/errors/) explica cada uno. Aquí están las causas más difíciles de ver.",
    key: "La clave se rechaza aunque es correcta",
    keyText:
      "Muchos clientes toman primero una clave del entorno, como `OPENAI_API_KEY` o `ANTHROPIC_API_KEY`. Quítala y prueba la clave por separado:",
    address: "Todas las solicitudes reciben un 404",
    addressText:
      "La URL base es incorrecta. Termina en `/v1` para clientes de OpenAI y en `/msgcompat` para clientes de Anthropic, que añaden `/v1` por su cuenta.",
    model: "El modelo no existe",
    modelText:
      "Copia el nombre de la [lista de modelos](/models/): las mayúsculas cuentan. Si está ahí, puede que la clave esté limitada a otros modelos. `GET /v1/models` muestra los que la clave puede usar.",
    balance: "El saldo se rechaza aunque lo hay",
    balanceText:
      "Antes de una solicitud se reserva lo máximo que puede costar. Baja `max_tokens`, o mira el presupuesto de la clave en [Claves de API](/console/keys/).",
    stops: "La respuesta se detiene a la mitad",
    stopsText:
      "Si `finish_reason` es `length`, sube `max_tokens`. Si el stream termina sin el último evento, lo ha cerrado un tiempo de espera de tu cliente o un proxy intermedio.",
    late: "El stream llega de golpe",
    lateText: "Algo intermedio lo acumula. Desactiva el búfer de tu proxy, o prueba `curl -N` desde otra red.",
    another: "Responde otro modelo",
    anotherText:
      "Si la clave permite un modelo alternativo, `x-sluice-model-used` dice cuál respondió. En `/msgcompat`, el operador puede dirigir un nombre de Claude a otro modelo; `/msgcompat/v1/models` muestra los nombres.",
    cost: "Una solicitud cuesta más de lo esperado",
    costText:
      "Abre su recibo en [Uso](/console/usage/): muestra cada precio y cada cantidad. Los modelos que razonan lo cobran como salida.",
    support: "Qué necesita el servicio de asistencia",
    supportText: "El `x-request-id` de la respuesta, la hora y qué esperabas. Nunca envíes tu clave.",
  },
};
