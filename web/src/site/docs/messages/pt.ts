import type { DocTexts } from "./en.ts";

export const pt: DocTexts = {
  frame: {
    nav: "Documentação",
    onThisPage: "Nesta página",
    search: "Pesquisar na documentação",
    searchNone: "Nada encontrado para “{query}”.",
    searchFailed: "Não foi possível carregar a pesquisa. Tente de novo.",
    copy: "Copiar",
    copied: "Copiado",
    copyPage: "Copiar a página em Markdown",
    asMarkdown: "Markdown",
    choose: "Escolha uma linguagem ou biblioteca",
    snippet: "Código",
    previous: "Anterior",
    next: "Próxima",
    updated: "Última atualização: {date}",
    install: "Instalar",
    check: "Verificar",
    limits: "Limites",
    undo: "Desfazer",
    key: "Sua chave",
    keyPlace: "O código desta página mostra `sk-...` no lugar da sua chave.",
    keyLogIn: "Entre para colocar uma",
    keyCreate: "Criar uma chave para esta página",
    keyCreated: "A nova chave está no código até você sair desta página. Copie agora: ninguém pode mostrá-la de novo.",
    keyManage: "Gerenciar chaves",
    keyFailed: "Nenhuma chave foi criada.",
  },
  index: {
    description: "Como chamar modelos pelo {brand}: a primeira chamada, clientes, agentes de programação e cobrança.",
    lead: "Da primeira chamada à cobrança. Se você ainda não tem uma chave, comece pelo [início rápido](/docs/quickstart/).",
  },
  quickstart: {
    title: "Início rápido",
    description: "Da conta à primeira resposta em quatro passos.",
    lead: "O {brand} fala a API da OpenAI e a da Anthropic. Mantenha o cliente que você já usa e mude só o endereço e a chave.",
    account: "1. Crie uma conta",
    accountText:
      "[Cadastre-se](/register/) com um e-mail e uma senha e abra o link da mensagem. Ele confirma o endereço; antes disso não é possível entrar.",
    credit: "2. Adicione saldo",
    creditText:
      "Escolha um plano em [Cobrança](/console/billing/), no console. O saldo fica disponível assim que o gateway confirma o pagamento. [Como funciona a cobrança](/docs/billing/).",
    key: "3. Crie uma chave de API",
    keyText:
      "Crie uma chave em [Chaves de API](/console/keys/) e copie-a: ela é mostrada uma única vez. Guarde-a no ambiente, não em um arquivo do projeto.",
    call: "4. Envie uma chamada",
    callText:
      "Os preços e nomes de todos os modelos estão na [página de preços](/pricing/). Os que a sua chave pode usar são os que `/v1/models` responde:",
    callDone:
      "Toda resposta traz o cabeçalho `x-request-id`. Com ele você encontra a chamada e o recibo em [Uso](/console/usage/), e o suporte também.",
    addresses: "Endereços",
    api: "API",
    baseUrl: "URL base",
    keyHeader: "Chave",
    or: "{one} ou {other}",
    nextSteps: "Como continuar",
    nextText:
      "Configure sua [biblioteca](/docs/clients/) ou seu [agente de programação](/docs/agents/), ou leia [o que os erros significam](/docs/errors/).",
  },
  clients: {
    title: "Clientes",
    description:
      "curl, OpenAI SDK, Anthropic SDK, Vercel AI SDK, LangChain e LiteLLM: configurar, verificar, limites e desfazer.",
    lead: "Cada exemplo lê sua chave de `GATEWAY_API_KEY` e roda como está. Nossos testes os executam contra este programa.",
    before: "Antes de começar",
    beforeText: "Coloque sua chave no ambiente do shell:",
    checkText: "Execute. Uma resposta é impressa e, em poucos segundos, a chamada aparece em [Uso](/console/usage/).",
    curlText: "Uma resposta inteira, uma resposta como fluxo de eventos, ou o formato da Anthropic:",
    curlLimit:
      "`/v1` recebe a chave como `Authorization: Bearer`; `/msgcompat/v1`, também como `x-api-key`. Duas chaves diferentes em uma mesma requisição para `/v1` são recusadas.",
    openaiText:
      "A URL base termina em `/v1`. Chat completions, responses, embeddings, imagens, áudio e outros caminhos vão ao provedor como você os envia, se o modelo os oferece.",
    openaiLimit:
      "O que um modelo faz depende do provedor: se ele não conhece um parâmetro, você recebe o erro do provedor.",
    anthropicText: "A URL base termina em `/msgcompat`, sem `/v1`: o próprio SDK o acrescenta.",
    anthropicLimit:
      "Valem os nomes da lista de modelos e os que o operador mapeou; `/msgcompat/v1/models` lista todos. O que não pode ser passado ao modelo por trás de um nome, como `thinking`, é omitido e citado no cabeçalho `x-compat-dropped`; com `x-compat-strict: true` na requisição, vira um erro.",
    aiSdkText: "O pacote do AI SDK para provedores compatíveis com a OpenAI:",
    aiSdkLimit:
      "Use este pacote, e não o `@ai-sdk/openai`: aquele cita turnos anteriores pelo id, o que é recusado aqui a menos que a opção `store` seja `false`.",
    langchainText: "A integração do LangChain com a OpenAI, com outra URL base:",
    langchainLimit: "O LangChain conta tokens por estimativa própria; o que é cobrado está no recibo da chamada.",
    litellmText: "O LiteLLM como biblioteca, com o provedor OpenAI dele e outra URL base:",
    litellmLimit:
      "O LiteLLM calcula custos com uma lista de preços própria; o que é cobrado está no recibo da chamada.",
    undoBase:
      "Remova a URL base e volte à chave do provedor. Depois, revogue a chave em [Chaves de API](/console/keys/).",
    undoCurl: "Nada é instalado. Execute `unset GATEWAY_API_KEY` e revogue a chave em [Chaves de API](/console/keys/).",
    retries: "Novas tentativas e limites",
    retry: {
      after:
        "Quando esperar resolve, a resposta informa os segundos em `retry-after`. Os SDKs da OpenAI e da Anthropic respeitam isso e tentam mais duas vezes sozinhos.",
      channels:
        "Enquanto nada da resposta tiver saído, o próprio {brand} tenta outro canal, se houver. Essas tentativas não custam nada.",
      fallback:
        "Se a chave permitir, outro modelo pode responder, pelo próprio preço, quando todos os canais de um modelo falham ou o prompt é longo demais para ele; o cabeçalho `x-sluice-model-used` o identifica. `x-sluice-fallback: off` na requisição recusa isso.",
      body: "Uma requisição pode ter 32 MiB, e seu JSON, 64 níveis, a menos que o operador defina outros limites. Corpos comprimidos são recusados.",
      slash: "Caminhos sob `/v1` não terminam com barra.",
    },
    cache: "Cache de respostas",
    cacheText:
      "Se o operador oferecer, uma chave pode receber respostas guardadas para requisições repetidas. Ative isso para a chave em [Chaves de API](/console/keys/). Uma requisição só recebe uma resposta guardada se for idêntica byte a byte e se a chave dela, da mesma conta, também usar o cache. A resposta tem os mesmos bytes da primeira, em streaming ou inteira.",
    cacheRule: {
      seen: "`x-sluice-cache: hit` ou `miss` na resposta informa de onde ela veio; `age` informa há quantos segundos ela foi guardada.",
      off: "`x-sluice-cache: off` na requisição dispensa o cache; `refresh` obtém uma resposta nova e a guarda. `cache-control` com `no-store`, `no-cache` ou `max-age` também é respeitado.",
      time: "`x-sluice-cache-ttl: 600` guarda a resposta por 600 segundos, até onde o operador permitir.",
      price:
        "Uma resposta do cache custa a parte do preço normal que o operador definiu. O recibo mostra essa parte, e a chamada conta para os limites da chave.",
      kept: "São guardadas respostas completas de chat completions, responses, messages, embeddings e da API do Gemini; não erros, streams interrompidos nem respostas com buscas na web.",
    },
    labels: "Usuários finais e etiquetas",
    labelsText:
      "Para ver quanto custa cada usuário final ou cada recurso, informe-o na chamada. O usuário final é `safety_identifier`, `user` ou `metadata.user_id`, com até 256 caracteres. As etiquetas vêm do cabeçalho `x-sluice-tags` e dos textos curtos de `metadata`: até oito, com nomes de letras, dígitos e `_.-`.",
    labelRule: {
      seen: "[Uso](/console/usage/) tem filtros, colunas e somas para ambos, e o arquivo CSV também.",
      personal:
        "Não envie nomes nem endereços de e-mail: um identificador próprio, ou o hash dele, basta. Usuários finais e etiquetas são apagados com os metadados da chamada, em geral após 90 dias.",
      off: "Para não guardar nada, desative a opção nas configurações de uma chave em [Chaves de API](/console/keys/), ou para todas as chaves em [Uso](/console/usage/). O provedor sempre recebe os campos do corpo, mas nunca o cabeçalho.",
    },
    errors: "Erros",
    errorsText:
      "Os erros têm o formato da API que você chama. [A página de erros](/docs/errors/) diz o que cada código significa, se é cobrado e o que fazer.",
    charged: "Cobrado?",
    no: "Não",
    delivered: "O que foi entregue",
    error: {
      key: "A chave falta, está errada, foi revogada ou expirou.",
      forbidden:
        "A conta está desativada, o operador bloqueou a chave, ou ela não pode ser usada a partir deste endereço.",
      model: "O modelo não existe, ou a chave não pode usá-lo.",
      quota:
        "O saldo, ou o limite da chave, não cobre o máximo que a chamada pode custar. Diminua `max_tokens` ou adicione saldo.",
      spend:
        "Sua conta atingiu o que o operador permite gastar por dia ou por mês. A mensagem diz quando o limite recomeça.",
      rate: "A chave ou a conta atingiu seu limite de chamadas ou tokens por minuto, ou de chamadas simultâneas.",
      providerRate: "O provedor está limitando chamadas no momento.",
      request: "A requisição não é válida; a mensagem indica o campo.",
      option:
        "Uma opção custa mais no provedor e não tem preço aqui, refere-se a algo guardado lá ou escolhe outro modelo; a mensagem a indica.",
      size: "O corpo da requisição é grande demais.",
      rejected: "O provedor recusou a requisição; o status e a mensagem dele são repassados quando isso é seguro.",
      provider: "O provedor falhou ou não pôde ser alcançado.",
      timeout: "O provedor não respondeu a tempo.",
      unavailable: "Nenhum canal está livre, ou o {brand} não consegue verificar ou registrar a chamada agora.",
      cut: "O provedor interrompeu no meio da resposta. O fluxo termina com um evento de erro e nunca parece completo.",
      closed: "Seu programa fechou a conexão antes do fim.",
    },
  },
  agents: {
    title: "Agentes de programação",
    description:
      "Claude Code, Codex, opencode, Gemini CLI, Cline, Continue e Cursor: configurar, verificar, limites e desfazer.",
    lead: "Crie para cada agente uma chave própria, com orçamento: agentes enviam muitas chamadas, e assim você vê quanto cada um custa.",
    keyText: "Codex e opencode leem a chave do ambiente:",
    checkText: "Uma resposta é impressa, e a chamada aparece em [Uso](/console/usage/).",
    claude: {
      first:
        "Coloque isto, com a sua chave, em `~/.claude/settings.json`. Nunca em um arquivo de projeto que outros vejam.",
      second: "Remova `ANTHROPIC_API_KEY` do ambiente: senão ela também seria enviada.",
      third: "Inicie o `claude` de novo; `/status` mostra o endereço.",
    },
    claudeLimit:
      "Se um modelo Claude não está ele mesmo na lista de modelos, responde o modelo que o operador associou ao nome. Nesse caso, as contagens de tokens antes de uma chamada são estimativas, e cache e raciocínio só funcionam se esse modelo os tiver.",
    claudeUndo: "Remova as duas linhas de `~/.claude/settings.json` e inicie o `claude` de novo.",
    codex: {
      first: "Coloque isto no início de `~/.codex/config.toml`.",
      second: "Inicie o `codex` em um shell que tenha `GATEWAY_API_KEY`.",
    },
    codexLimit:
      "O Codex funciona com todos os modelos de chat. Ele avisa que não tem metadados do modelo; por isso a janela de contexto está no arquivo. A busca na web dele custa mais no provedor e por isso é retirada da requisição; o cabeçalho `x-sluice-dropped` informa isso.",
    codexUndo: "Remova essas linhas; o Codex volta a usar o provedor anterior.",
    opencode: {
      first:
        "Coloque isto em `~/.config/opencode/opencode.json` ou no `opencode.json` de um projeto: a chave não está nele.",
      second: "Inicie o `opencode` em um shell que tenha `GATEWAY_API_KEY` e escolha o modelo com `/models`.",
    },
    opencodeLimit:
      "O opencode mostra só os modelos que estão no arquivo, sem preços. O custo exato está em [Uso](/console/usage/).",
    opencodeUndo: "Remova `gateway` de `provider` e a linha `model`.",
    gemini: {
      first: "Coloque isto em `~/.gemini/.env`, com a sua chave.",
      second: "Inicie o `gemini` e escolha `Use Gemini API key` quando ele perguntar como entrar.",
    },
    geminiLimit:
      "Só funcionam os modelos que um provedor oferece na API do Gemini; `/v1beta/models` mostra a lista. O endereço precisa usar HTTPS, exceto na sua própria máquina.",
    geminiUndo: "Remova as duas linhas de `~/.gemini/.env`.",
    cline: {
      first: "Abra as configurações do Cline e escolha `OpenAI Compatible` como provedor de API.",
      second: "Preencha os campos:",
    },
    clineCheck: "Pergunte “Say hello.” em uma nova tarefa. A chamada aparece em [Uso](/console/usage/).",
    clineLimit:
      "O Cline não conhece nem o contexto nem os preços do modelo: na configuração do modelo, defina a janela de contexto como {context} tokens e veja os custos no console.",
    clineUndo: "Escolha de novo o provedor de API anterior nas configurações do Cline.",
    continueEditor: { first: "Coloque isto em `~/.continue/config.yaml`, com a sua chave." },
    continueCheck: "Escolha o modelo no Continue e pergunte “Say hello.” A chamada aparece em [Uso](/console/usage/).",
    continueLimit: "O Continue não mostra custos. O custo exato está em [Uso](/console/usage/).",
    continueUndo: "Remova o modelo de `~/.continue/config.yaml`.",
    cursor: {
      first: "Abra as configurações do Cursor, depois Models, depois API Keys.",
      second: "Preencha os campos e ative a chave:",
    },
    cursorCheck: "Escolha o modelo no chat e pergunte “Say hello.” A chamada aparece em [Uso](/console/usage/).",
    cursorLimit:
      "O Cursor envia as chamadas dos próprios servidores, então o endereço precisa ser acessível pela internet via HTTPS. O preenchimento durante a digitação continua com os modelos do Cursor.",
    cursorUndo: "Desative a URL base alternativa e a chave.",
    notRun:
      "Os campos são testados contra este programa, mas nossos testes não executam o Cline, o Continue nem o Cursor. Os nomes nas configurações deles podem mudar conforme a versão.",
  },
  billing: {
    title: "Cobrança",
    description: "Quanto custa uma chamada, o que é grátis, planos, pagamentos, reembolsos e limites das chaves.",
    lead: "Você paga antes. Uma chamada reserva o máximo que pode custar e, ao terminar, é cobrado exatamente o que ela usou.",
    units: "Saldo",
    unitsText:
      "O saldo é em dólares americanos, em passos de {step}. Os modelos têm preço em dólares americanos por milhão de tokens; todos estão na [página de preços](/pricing/). Não há outra moeda.",
    cost: "Quanto custa uma chamada",
    step: {
      hold: "Antes de uma chamada ir ao provedor, reserva-se o máximo que ela pode custar: o tamanho limita a entrada, e `max_tokens` ou o modelo limita a saída.",
      count:
        "No fim, os tokens contados pelo provedor são multiplicados pelos preços. A soma exata é arredondada para cima uma única vez, para o próximo passo do saldo.",
      free: "O que foi reservado e não usado fica livre de novo.",
    },
    costHold:
      "Um `max_tokens` alto reserva muito enquanto a chamada roda. Se uma chamada for recusada com `insufficient_quota` mesmo havendo saldo, diminua-o.",
    costEstimate:
      "Se um provedor não envia contagens, ou diz que um texto não consumiu tokens, o {brand} conta o que entregou. O recibo informa então que é uma estimativa.",
    costMultiplier:
      "Toda conta tem um multiplicador de tarifa, que é 1 se nada diferente foi combinado. O grupo da chave também tem um; cada preço é multiplicado pelos dois. O produto deles é acertado poucos minutos depois da chamada, como um lançamento próprio no livro; você o vê em cada recibo, e o multiplicador da sua conta em [Conta](/console/account/).",
    nothing: "O que é grátis",
    freeList: {
      errors: "Chamadas que terminam em erro antes de haver saída.",
      attempts: "Tentativas que falharam em outros canais, por trás de uma chamada que deu certo.",
      lists: "Listas de modelos e contagens de tokens.",
      crash: "Chamadas interrompidas porque o próprio {brand} parou.",
    },
    cutText:
      "Se o provedor interromper um fluxo, é cobrado o que foi entregue até ali. Se você abandonar uma resposta que já começou, paga também a entrada: o {brand} escuta o provedor por mais alguns segundos, ou pelo tempo que o modelo havia trabalhado antes de você ver algo, no máximo um minuto, e cobra o que ele contar ou, se nada vier, uma estimativa da entrada e do que chegou até você. Uma chamada abandonada antes de a resposta começar é grátis. Uma conta só pode abandonar um número limitado de chamadas por hora antes de se saber quanto custam.",
    plans: "Planos",
    plan: "Plano",
    gives: "O que dá",
    ends: "Quando termina",
    credit: "Crédito",
    creditGives: "Saldo para usar no seu ritmo",
    creditEnds: "Nunca",
    monthly: "Mensal",
    monthlyGives: "Saldo por um mês a partir do pagamento",
    monthlyEnds:
      "O que não for usado termina com o mês. Um mês avulso não se renova; outro pedido acrescenta um. Uma assinatura se renova até você cancelá-la.",
    plansText: "O saldo mensal é usado primeiro, começando pelo mês que termina antes.",
    paying: "Pagamentos",
    payingText:
      "Os pedidos são pagos com cartão ou carteira, conforme o operador oferece, em dólares americanos. Um pedido é creditado uma única vez, quando o gateway confirma exatamente o valor. Um pagamento que não confere é analisado por uma pessoa, e nada é creditado até lá.",
    refunds: "Reembolsos",
    refundsText:
      "Escreva ao suporte com o número do pedido. Um reembolso retira saldo na proporção do dinheiro; em um plano mensal, só enquanto o mês corre. Saldo já usado não é reembolsado automaticamente.",
    keyLimits: "Limites de uma chave",
    keyLimitsText: "Cada chave pode ter limites próprios, em [Chaves de API](/console/keys/):",
    limit: {
      budget: "Um orçamento, único ou renovado a cada dia, semana ou mês (UTC).",
      models: "Quais modelos ela pode usar e a partir de quais endereços.",
      rates: "Chamadas por minuto, tokens por minuto e chamadas simultâneas.",
      end: "Uma data de validade.",
    },
    receipts: "Recibos e extratos",
    receiptsText:
      "Cada chamada tem um recibo em [Uso](/console/usage/): unidades, versão dos preços, cada linha, soma e multiplicador, para que você possa recalcular. Em [Cobrança](/console/billing/) estão o livro e um extrato de cada mês.",
  },
  automation: {
    title: "Webhooks e programas",
    description: "Webhooks, tokens de acesso e linha de comando: o que os programas podem saber e fazer.",
    lead: "{brand} avisa os seus programas do que acontece, e eles podem fazer o que você faz no console.",
    webhooks: "Webhooks",
    webhooksText:
      "Adicione um endereço em [Webhooks](/console/webhooks/) e escolha o que ele recebe. Ele deve ser público e começar com `https://`. O segredo é mostrado uma única vez.",
    event: "Evento",
    when: "Quando é enviado",
    keyCreated: "Uma chave de API foi criada ou rotacionada.",
    balanceLow: "Resta menos de 20 % da última recarga e, de novo, menos de 5 %.",
    paymentSettled: "Um pagamento foi creditado.",
    signatures: "Verificar a assinatura",
    signaturesText:
      "Cada mensagem é um `POST` com JSON, assinado pelas regras de [Standard Webhooks](https://www.standardwebhooks.com/) nos cabeçalhos `webhook-id`, `webhook-timestamp` e `webhook-signature`. Verifique-a com uma das bibliotecas deles, sobre os bytes do corpo como chegaram, antes de lê-lo.",
    delivery: "Entrega",
    deliveryRule: {
      answer: "Responda em até 20 segundos com um status de 200 a 299. Redirecionamentos não são seguidos.",
      retry:
        "Uma mensagem que falha é tentada até oito vezes em cerca de um dia; `retry-after` é respeitado. As mensagens para um endereço são enviadas uma após a outra.",
      twice:
        "Uma mensagem pode chegar duas vezes e em outra ordem: `webhook-id` continua o mesmo, portanto guarde quais você já tratou.",
      off: "Um endereço que responde 410, ou que só falhou por três dias, é desativado, e você recebe um e-mail.",
      rotate: "Quando você rotaciona o segredo, o antigo também assina por 24 horas.",
    },
    deliveryLog:
      "A página mostra o que foi enviado nos últimos 30 dias e o que voltou. Você pode reenviar uma mensagem, ou enviar um teste.",
    tokens: "Tokens de acesso",
    tokensText:
      "Um programa com um token de acesso pode fazer o que você faz no console, nos mesmos endereços sob `/backend`. Crie um em [Tokens de acesso](/console/tokens/) e envie-o como `Authorization: Bearer`.",
    tokenRule: {
      scopes:
        "Um token tem as permissões que você escolhe, termina em até um ano e nunca faz mais do que você pode fazer agora.",
      closed: "Logins, senhas e tokens não são gerenciados com um token.",
      organisation: "Um token criado enquanto você age por uma organização vale para essa organização.",
      description:
        "[Cada operação](/backend/docs/) está descrita; clientes podem ser gerados a partir de `/backend/openapi.json`.",
      key: "Só com uma chave de API, `/v1/usage`, `/v1/credits` e `/v1/key` informam o que ela gastou e pode gastar.",
    },
    commandLine: "Linha de comando",
    commandLineText:
      "O programa `sluice`, que vem com o serviço, também usa um token de acesso. `sluice login` pede o token; depois, `sluice keys create --name report` ou `sluice usage --json` trabalham no shell, e `sluice --help` lista o resto.",
  },
};
