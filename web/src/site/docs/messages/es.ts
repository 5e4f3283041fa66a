import type { DocTexts } from "./en.ts";

export const es: DocTexts = {
  frame: {
    nav: "Documentación",
    onThisPage: "En esta página",
    search: "Buscar en la documentación",
    searchNone: "No hay resultados para «{query}».",
    searchFailed: "No se pudo cargar la búsqueda. Inténtalo de nuevo.",
    copy: "Copiar",
    copied: "Copiado",
    copyPage: "Copiar la página como Markdown",
    asMarkdown: "Markdown",
    choose: "Elige un lenguaje o una biblioteca",
    snippet: "Código",
    previous: "Anterior",
    next: "Siguiente",
    updated: "Última actualización: {date}",
    install: "Instalar",
    check: "Comprobar",
    limits: "Límites",
    undo: "Deshacer",
    key: "Tu clave",
    keyPlace: "El código de esta página muestra `sk-...` donde va tu clave.",
    keyLogIn: "Inicia sesión para poner una",
    keyCreate: "Crear una clave para esta página",
    keyCreated:
      "La clave nueva está en el código hasta que salgas de esta página. Cópiala ahora: nadie puede volver a mostrarla.",
    keyManage: "Gestionar claves",
    keyFailed: "No se creó ninguna clave.",
  },
  index: {
    description:
      "Cómo llamar a modelos a través de {brand}: la primera llamada, clientes, agentes de programación y facturación.",
    lead: "De la primera llamada a la factura. Si aún no tienes una clave, empieza por el [inicio rápido](/docs/quickstart/).",
  },
  quickstart: {
    title: "Inicio rápido",
    description: "De la cuenta a la primera respuesta en cuatro pasos.",
    lead: "{brand} habla la API de OpenAI y la de Anthropic. Conserva el cliente que ya tienes y cambia solo la dirección y la clave.",
    account: "1. Crea una cuenta",
    accountText:
      "[Regístrate](/register/) con un correo y una contraseña y abre el enlace del mensaje. Con él se verifica la dirección; hasta entonces no puedes iniciar sesión.",
    credit: "2. Carga saldo",
    creditText:
      "Elige un plan en [Facturación](/console/billing/), en la consola. El saldo está disponible en cuanto la pasarela confirma el pago. [Cómo se factura](/docs/billing/).",
    key: "3. Crea una clave de API",
    keyText:
      "Crea una clave en [Claves de API](/console/keys/) y cópiala: solo se muestra una vez. Guárdala en el entorno, no en un archivo de tu proyecto.",
    call: "4. Envía una llamada",
    callText:
      "Los precios y nombres de todos los modelos están en la [página de precios](/pricing/). Los que puede usar tu clave los indica `/v1/models`:",
    callDone:
      "Cada respuesta lleva la cabecera `x-request-id`. Con ella encuentras la llamada y su recibo en [Uso](/console/usage/), y soporte también la encuentra.",
    addresses: "Direcciones",
    api: "API",
    baseUrl: "URL base",
    keyHeader: "Clave",
    or: "{one} o {other}",
    nextSteps: "Cómo seguir",
    nextText:
      "Configura tu [biblioteca](/docs/clients/) o tu [agente de programación](/docs/agents/), o lee [qué significan los errores](/docs/errors/).",
  },
  clients: {
    title: "Clientes",
    description:
      "curl, OpenAI SDK, Anthropic SDK, Vercel AI SDK, LangChain y LiteLLM: configurar, comprobar, límites y deshacer.",
    lead: "Cada ejemplo lee tu clave de `GATEWAY_API_KEY` y funciona tal cual. Nuestras pruebas los ejecutan contra este programa.",
    before: "Antes de empezar",
    beforeText: "Pon tu clave en el entorno del shell:",
    checkText: "Ejecútalo. Imprime una respuesta, y a los pocos segundos la llamada aparece en [Uso](/console/usage/).",
    curlText: "Una respuesta completa, una respuesta como flujo de eventos, o el formato de Anthropic:",
    curlLimit:
      "`/v1` acepta la clave como `Authorization: Bearer`; `/msgcompat/v1`, también como `x-api-key`. Dos claves distintas en una misma petición a `/v1` se rechazan.",
    openaiText:
      "La URL base termina en `/v1`. Chat completions, responses, embeddings, imágenes, audio y otras rutas llegan al proveedor tal como las envías, si el modelo las ofrece.",
    openaiLimit:
      "Lo que puede hacer un modelo depende de su proveedor: si no conoce un parámetro, recibes el error del proveedor.",
    anthropicText: "La URL base termina en `/msgcompat`, sin `/v1`: el SDK lo añade por su cuenta.",
    anthropicLimit:
      "Valen los nombres de la lista de modelos y los que ha asignado el operador; `/msgcompat/v1/models` enumera todos. Lo que no se puede transmitir al modelo que hay detrás de un nombre, como `thinking`, se omite y se indica en la cabecera `x-compat-dropped`; con `x-compat-strict: true` en la petición es un error.",
    aiSdkText: "El paquete del AI SDK para proveedores compatibles con OpenAI:",
    aiSdkLimit:
      "Usa este paquete y no `@ai-sdk/openai`: ese nombra turnos anteriores por su id, lo que aquí se rechaza salvo que la opción `store` sea `false`.",
    langchainText: "La integración de LangChain con OpenAI, con otra URL base:",
    langchainLimit:
      "LangChain cuenta los tokens con su propia estimación; lo que se cobra figura en el recibo de la llamada.",
    litellmText: "LiteLLM como biblioteca, con su proveedor de OpenAI y otra URL base:",
    litellmLimit:
      "LiteLLM calcula los costes con su propia lista de precios; lo que se cobra figura en el recibo de la llamada.",
    undoBase:
      "Quita la URL base y vuelve a poner la clave del proveedor. Después, revoca la clave en [Claves de API](/console/keys/).",
    undoCurl:
      "No se instala nada. Ejecuta `unset GATEWAY_API_KEY` y revoca la clave en [Claves de API](/console/keys/).",
    retries: "Reintentos y límites",
    retry: {
      after:
        "Cuando sirve esperar, la respuesta indica los segundos en `retry-after`. Los SDK de OpenAI y Anthropic lo respetan y lo intentan dos veces más por sí mismos.",
      channels:
        "Mientras no haya salido nada de la respuesta, {brand} prueba por sí mismo otro canal, si lo hay. Esos intentos no cuestan nada.",
      fallback:
        "Si la clave lo permite, otro modelo puede responder, a su propio precio, cuando fallan todos los canales de un modelo o el prompt es demasiado largo para él; la cabecera `x-sluice-model-used` lo nombra. `x-sluice-fallback: off` en la petición lo rechaza.",
      body: "Una petición puede tener 32 MiB y su JSON 64 niveles, salvo que el operador fije otros límites. Los cuerpos comprimidos se rechazan.",
      slash: "Las rutas bajo `/v1` no llevan barra al final.",
    },
    cache: "Caché de respuestas",
    cacheText:
      "Si el operador lo ofrece, una clave puede recibir respuestas guardadas para las peticiones repetidas. Actívalo para la clave en [Claves de API](/console/keys/). Una petición solo recibe una respuesta guardada si es idéntica byte a byte y su clave, de la misma cuenta, también usa la caché. La respuesta tiene los mismos bytes que la primera, en streaming o completa.",
    cacheRule: {
      seen: "`x-sluice-cache: hit` o `miss` en una respuesta indica de dónde viene; `age` indica cuántos segundos tiene un acierto.",
      off: "`x-sluice-cache: off` en una petición prescinde de la caché; `refresh` obtiene una respuesta nueva y la guarda. También se respeta `cache-control` con `no-store`, `no-cache` o `max-age`.",
      time: "`x-sluice-cache-ttl: 600` guarda la respuesta durante 600 segundos, hasta donde permita el operador.",
      price:
        "Un acierto cuesta la parte del precio normal que ha fijado el operador. El recibo muestra esa parte, y el acierto cuenta para los límites de la clave.",
      kept: "Se guardan las respuestas completas de chat completions, responses, messages, embeddings y la API de Gemini; no los errores, los streams interrumpidos ni las respuestas con búsquedas web.",
    },
    labels: "Usuarios finales y etiquetas",
    labelsText:
      "Para ver lo que cuesta cada usuario final o cada función, indíquelo en la llamada. El usuario final es `safety_identifier`, `user` o `metadata.user_id`, de hasta 256 caracteres. Las etiquetas vienen de la cabecera `x-sluice-tags` y de los textos cortos de `metadata`: hasta ocho, con nombres de letras, cifras y `_.-`.",
    labelRule: {
      seen: "[Uso](/console/usage/) tiene filtros, columnas y sumas de ambos, y también su archivo CSV.",
      personal:
        "No envíe nombres ni direcciones de correo: basta un identificador propio o su hash. Los usuarios finales y las etiquetas se borran con los metadatos de la llamada, normalmente a los 90 días.",
      off: "Para no guardar nada, desactívelo en los ajustes de una clave en [Claves de API](/console/keys/), o para todas las claves en [Uso](/console/usage/). El proveedor recibe siempre los campos del cuerpo, pero nunca la cabecera.",
    },
    errors: "Errores",
    errorsText:
      "Los errores tienen el formato de la API a la que llamas. [La página de errores](/docs/errors/) explica qué significa cada código, si se cobra y qué hacer.",
    charged: "¿Se cobra?",
    no: "No",
    delivered: "Lo entregado",
    error: {
      key: "Falta la clave, es incorrecta, está revocada o ha caducado.",
      forbidden:
        "La cuenta está desactivada, el operador ha bloqueado la clave o esta no puede usarse desde esta dirección.",
      model: "El modelo no existe o la clave no puede usarlo.",
      quota:
        "El saldo o el límite de la clave no cubre lo máximo que puede costar la llamada. Baja `max_tokens` o carga saldo.",
      spend:
        "Tu cuenta ha alcanzado lo que el operador le permite gastar al día o al mes. El mensaje dice cuándo se restablece.",
      rate: "La clave o la cuenta ha alcanzado su límite de llamadas o tokens por minuto, o de llamadas simultáneas.",
      providerRate: "El proveedor limita las llamadas en este momento.",
      request: "La petición no es válida; el mensaje indica el campo.",
      option:
        "Una opción cuesta más en el proveedor y aquí no tiene precio, nombra algo guardado allí o elige otro modelo; el mensaje la indica.",
      size: "El cuerpo de la petición es demasiado grande.",
      rejected: "El proveedor rechazó la petición; su estado y su mensaje se transmiten cuando es seguro hacerlo.",
      provider: "El proveedor falló o no se pudo contactar con él.",
      timeout: "El proveedor no respondió a tiempo.",
      unavailable: "No hay ningún canal libre, o {brand} no puede comprobar o registrar la llamada ahora mismo.",
      cut: "El proveedor cortó a mitad de la respuesta. El flujo termina con un evento de error y nunca parece completo.",
      closed: "Tu programa cerró la conexión antes del final.",
    },
  },
  agents: {
    title: "Agentes de programación",
    description:
      "Claude Code, Codex, opencode, Gemini CLI, Cline, Continue y Cursor: configurar, comprobar, límites y deshacer.",
    lead: "Crea para cada agente una clave propia con presupuesto: los agentes envían muchas llamadas, y así ves cuánto cuesta cada uno.",
    keyText: "Codex y opencode leen la clave del entorno:",
    checkText: "Imprime una respuesta, y la llamada aparece en [Uso](/console/usage/).",
    claude: {
      first:
        "Pon esto, con tu clave, en `~/.claude/settings.json`. Nunca en un archivo del proyecto que otros puedan ver.",
      second: "Quita `ANTHROPIC_API_KEY` del entorno: si no, también se enviaría.",
      third: "Reinicia `claude`; `/status` muestra la dirección.",
    },
    claudeLimit:
      "Si un modelo Claude no figura él mismo en la lista de modelos, responde el modelo que el operador ha asignado a su nombre. En ese caso, los recuentos de tokens previos a una llamada son estimaciones, y la caché y el razonamiento solo funcionan si ese modelo los tiene.",
    claudeUndo: "Quita las dos líneas de `~/.claude/settings.json` y reinicia `claude`.",
    codex: {
      first: "Pon esto al principio de `~/.codex/config.toml`.",
      second: "Inicia `codex` en un shell que tenga `GATEWAY_API_KEY`.",
    },
    codexLimit:
      "Codex funciona con todos los modelos de chat. Avisa de que no tiene metadatos del modelo; por eso la ventana de contexto está en el archivo. Su búsqueda web cuesta más en el proveedor, por eso se quita de la petición; la cabecera `x-sluice-dropped` lo indica.",
    codexUndo: "Quita esas líneas; Codex vuelve a usar el proveedor anterior.",
    opencode: {
      first:
        "Pon esto en `~/.config/opencode/opencode.json` o en el `opencode.json` de un proyecto: la clave no está dentro.",
      second: "Inicia `opencode` en un shell que tenga `GATEWAY_API_KEY` y elige el modelo con `/models`.",
    },
    opencodeLimit:
      "opencode muestra solo los modelos que están en el archivo, y sin precios. El coste exacto está en [Uso](/console/usage/).",
    opencodeUndo: "Quita `gateway` de `provider` y la línea `model`.",
    gemini: {
      first: "Escribe esto en `~/.gemini/.env`, con tu clave.",
      second: "Inicia `gemini` y elige `Use Gemini API key` cuando pregunte cómo iniciar sesión.",
    },
    geminiLimit:
      "Solo funcionan los modelos que un proveedor sirve con la API de Gemini; `/v1beta/models` los enumera. La dirección debe usar HTTPS, salvo en tu propio equipo.",
    geminiUndo: "Quita las dos líneas de `~/.gemini/.env`.",
    cline: {
      first: "Abre los ajustes de Cline y elige `OpenAI Compatible` como proveedor de API.",
      second: "Rellena los campos:",
    },
    clineCheck: "Escribe «Say hello.» en una tarea nueva. La llamada aparece en [Uso](/console/usage/).",
    clineLimit:
      "Cline no conoce ni el contexto ni los precios del modelo: en la configuración del modelo, pon la ventana de contexto en {context} tokens y consulta los costes en la consola.",
    clineUndo: "Vuelve a elegir el proveedor de API anterior en los ajustes de Cline.",
    continueEditor: { first: "Escribe esto en `~/.continue/config.yaml`, con tu clave." },
    continueCheck: "Elige el modelo en Continue y pregunta «Say hello.» La llamada aparece en [Uso](/console/usage/).",
    continueLimit: "Continue no muestra costes. El coste exacto está en [Uso](/console/usage/).",
    continueUndo: "Quita el modelo de `~/.continue/config.yaml`.",
    cursor: {
      first: "Abre los ajustes de Cursor, luego Models y después API Keys.",
      second: "Rellena los campos y activa la clave:",
    },
    cursorCheck: "Elige el modelo en el chat y escribe «Say hello.» La llamada aparece en [Uso](/console/usage/).",
    cursorLimit:
      "Cursor envía las llamadas desde sus propios servidores, así que la dirección tiene que ser accesible desde internet por HTTPS. El autocompletado sigue usando los modelos de Cursor.",
    cursorUndo: "Desactiva la URL base alternativa y la clave.",
    notRun:
      "Los campos están probados contra este programa, pero nuestras pruebas no ejecutan Cline, Continue ni Cursor. Los nombres en sus ajustes pueden variar según la versión.",
  },
  billing: {
    title: "Facturación",
    description: "Cuánto cuesta una llamada, qué es gratis, planes, pagos, reembolsos y límites de las claves.",
    lead: "Pagas por adelantado. Una llamada reserva lo máximo que puede costar y, al terminar, se cobra exactamente lo que ha usado.",
    units: "Saldo",
    unitsText:
      "El saldo está en dólares estadounidenses, en pasos de {step}. Los modelos tienen precio en dólares estadounidenses por millón de tokens; están todos en la [página de precios](/pricing/). No hay otra moneda.",
    cost: "Cuánto cuesta una llamada",
    step: {
      hold: "Antes de enviar una llamada a un proveedor se reserva lo máximo que puede costar: su tamaño limita la entrada, y `max_tokens` o el modelo limitan la salida.",
      count:
        "Al final, los tokens que contó el proveedor se multiplican por los precios. La suma exacta se redondea hacia arriba una sola vez, al siguiente paso del saldo.",
      free: "Lo que se reservó y no se usó vuelve a estar libre.",
    },
    costHold:
      "Un `max_tokens` alto reserva mucho mientras dura la llamada. Si una llamada se rechaza con `insufficient_quota` aunque haya saldo, bájalo.",
    costEstimate:
      "Si un proveedor no envía recuentos o dice que un texto no consumió tokens, {brand} cuenta lo que entregó. El recibo indica entonces que es una estimación.",
    costMultiplier:
      "Cada cuenta tiene un multiplicador de tarifa, que es 1 si no se ha acordado otra cosa. El grupo de la clave tiene otro; cada precio se multiplica por ambos. Su producto se liquida a los pocos minutos de la llamada, como un asiento propio del libro; lo ves en cada recibo, y el multiplicador de tu cuenta en [Cuenta](/console/account/).",
    nothing: "Qué es gratis",
    freeList: {
      errors: "Las llamadas que terminan en error antes de que haya salida.",
      attempts: "Los intentos fallidos en otros canales, detrás de una llamada que salió bien.",
      lists: "Las listas de modelos y los recuentos de tokens.",
      crash: "Las llamadas que se cortaron porque se detuvo el propio {brand}.",
    },
    cutText:
      "Si el proveedor corta un flujo, se cobra lo entregado hasta ese momento. Si abandonas una respuesta que ya empezó, pagas también la entrada: {brand} escucha al proveedor unos segundos más, o tanto tiempo como el modelo había trabajado antes de que vieras algo, como máximo un minuto, y cobra lo que este cuente o, si no, una estimación de la entrada y de lo que te llegó. Una llamada que abandonas antes de que empiece la respuesta es gratis. Una cuenta solo puede abandonar un número limitado de llamadas por hora antes de que se sepa lo que cuestan.",
    plans: "Planes",
    plan: "Plan",
    gives: "Qué da",
    ends: "Cuándo termina",
    credit: "Crédito",
    creditGives: "Saldo para usar a tu ritmo",
    creditEnds: "Nunca",
    monthly: "Mensual",
    monthlyGives: "Saldo para un mes desde el pago",
    monthlyEnds:
      "Lo no usado termina con el mes. Un mes suelto no se renueva; otro pedido añade uno. Una suscripción se renueva hasta que la canceles.",
    plansText: "Primero se usa el saldo mensual, empezando por el mes que antes termina.",
    paying: "Pagos",
    payingText:
      "Los pedidos se pagan con tarjeta o monedero, según lo que ofrezca el operador, en dólares estadounidenses. Un pedido se abona una sola vez, cuando la pasarela confirma exactamente su importe. Un pago que no cuadra lo revisa una persona, y hasta entonces no se abona nada.",
    refunds: "Reembolsos",
    refundsText:
      "Escribe a soporte con el número del pedido. Un reembolso retira saldo en proporción al dinero; en un plan mensual, solo mientras dura el mes. El saldo ya usado no se reembolsa automáticamente.",
    keyLimits: "Límites de una clave",
    keyLimitsText: "Cada clave puede tener límites propios, en [Claves de API](/console/keys/):",
    limit: {
      budget: "Un presupuesto, único o nuevo cada día, semana o mes (UTC).",
      models: "Qué modelos puede usar y desde qué direcciones.",
      rates: "Llamadas por minuto, tokens por minuto y llamadas simultáneas.",
      end: "Una fecha de caducidad.",
    },
    receipts: "Recibos y extractos",
    receiptsText:
      "Cada llamada tiene un recibo en [Uso](/console/usage/): unidades, versión de los precios, cada línea, suma y multiplicador, para que puedas volver a calcularlo. En [Facturación](/console/billing/) están el libro y un extracto de cada mes.",
  },
  automation: {
    title: "Webhooks y programas",
    description: "Webhooks, tokens de acceso y línea de comandos: lo que los programas pueden saber y hacer.",
    lead: "{brand} avisa a tus programas de lo que ocurre, y ellos pueden hacer lo que tú haces en la consola.",
    webhooks: "Webhooks",
    webhooksText:
      "Añade una dirección en [Webhooks](/console/webhooks/) y elige qué recibe. Debe ser pública y empezar por `https://`. Su secreto se muestra una sola vez.",
    event: "Evento",
    when: "Cuándo se envía",
    keyCreated: "Se creó o se rotó una clave de API.",
    balanceLow: "Queda menos del 20 % de la última recarga, y de nuevo por debajo del 5 %.",
    paymentSettled: "Se abonó un pago.",
    signatures: "Comprobar la firma",
    signaturesText:
      "Cada mensaje es un `POST` con JSON, firmado según las reglas de [Standard Webhooks](https://www.standardwebhooks.com/) en las cabeceras `webhook-id`, `webhook-timestamp` y `webhook-signature`. Compruébalo con una de sus bibliotecas, sobre los bytes del cuerpo tal como llegaron, antes de leerlo.",
    delivery: "Entrega",
    deliveryRule: {
      answer: "Responde en 20 segundos con un estado de 200 a 299. No se siguen redirecciones.",
      retry:
        "Un mensaje fallido se intenta hasta ocho veces en un día aproximadamente; se respeta `retry-after`. Los mensajes a una dirección se envían uno tras otro.",
      twice:
        "Un mensaje puede llegar dos veces y en otro orden: `webhook-id` no cambia, así que recuerda cuáles ya trataste.",
      off: "Una dirección que responde 410, o que solo ha fallado durante tres días, se desactiva, y recibes un correo.",
      rotate: "Cuando rotas el secreto, el anterior también firma durante 24 horas.",
    },
    deliveryLog:
      "La página muestra lo que se envió en los últimos 30 días y lo que se respondió. Puedes volver a enviar un mensaje, o enviar una prueba.",
    tokens: "Tokens de acceso",
    tokensText:
      "Un programa con un token de acceso puede hacer lo que tú haces en la consola, en las mismas direcciones bajo `/backend`. Crea uno en [Tokens de acceso](/console/tokens/) y envíalo como `Authorization: Bearer`.",
    tokenRule: {
      scopes:
        "Un token tiene los permisos que eliges, caduca en un año como mucho y nunca hace más de lo que tú puedes hacer ahora.",
      closed: "Los inicios de sesión, las contraseñas y los tokens no se gestionan con un token.",
      organisation: "Un token que creas mientras actúas por una organización es para esa organización.",
      description:
        "[Cada operación](/backend/docs/) está descrita; se pueden generar clientes a partir de `/backend/openapi.json`.",
      key: "Solo con una clave de API, `/v1/usage`, `/v1/credits` y `/v1/key` indican lo que ha gastado y lo que puede gastar.",
    },
    commandLine: "Línea de comandos",
    commandLineText:
      "El programa `sluice`, que viene con el servicio, también usa un token de acceso. `sluice login` lo pide; después, `sluice keys create --name report` o `sluice usage --json` trabajan desde un shell, y `sluice --help` muestra lo demás.",
  },
};
