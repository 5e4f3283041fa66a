import type { GuideTexts } from "./en.ts";

export const pt: GuideTexts = {
  guides: {
    title: "Guias",
    description: "Streaming, ferramentas, imagens, embeddings e saída estruturada, com código que funciona.",
    lead: "Cada exemplo funciona como está. Nem todo modelo tem todos os recursos: se não tiver, o erro indica o parâmetro.",
    streaming: "Streaming",
    streamingText: "Com `stream` em `true`, a resposta chega em partes enquanto o modelo a escreve.",
    streamingRule: {
      end: "Um stream completo termina com `data: [DONE]`. Sem isso, a resposta não está completa.",
      usage: "`stream_options` com `include_usage: true` acrescenta a contagem de tokens como última parte.",
      error:
        "Se o provedor falhar depois da primeira parte, o stream termina com um evento de erro. Você paga pelo que foi entregue.",
      cancel:
        "Para cancelar, feche a conexão. [Cobrança](/docs/billing/#free) diz quanto custa uma requisição cancelada.",
    },
    tools: "Ferramentas",
    toolsText:
      "Descreva funções em `tools`. Quando o modelo quer uma, envia o nome e os argumentos. Execute-a, devolva o resultado, e o modelo continua.",
    toolsRule: {
      check: "Verifique os argumentos antes de executar qualquer coisa: um modelo pode errar.",
      limit: "Limite o número de rodadas, como no exemplo.",
      hosted:
        "Ferramentas que o próprio provedor executa, como a busca na web, só funcionam se o operador tiver definido um preço para elas.",
    },
    vision: "Imagens",
    visionText: "Envie uma imagem como parte de uma mensagem: por um endereço `https` ou uma URL `data:`.",
    visionRule: {
      tokens: "Uma imagem é cobrada como tokens de entrada. Quantos, depende do modelo e do tamanho da imagem.",
      size: "Uma imagem grande torna a requisição grande. Reduza-a ao tamanho de que o modelo precisa.",
    },
    embeddings: "Embeddings",
    embeddingsText: "Textos de sentido parecido têm vetores parecidos. Envie vários textos em uma requisição.",
    embeddingsRule: {
      compare: "Compare só vetores do mesmo modelo. Quanto maior o produto escalar, mais próximos os textos.",
      dimensions: "Alguns modelos aceitam `dimensions` para vetores mais curtos.",
    },
    structured: "Saída estruturada",
    structuredText: "Com `response_format`, a resposta é JSON que segue o seu esquema.",
    structuredRule: {
      cut: "Se `finish_reason` for `length`, o JSON foi cortado. Aumente `max_tokens`.",
      older: "Para modelos sem esquemas, use `json_object` e descreva os campos no prompt.",
    },
  },
  limits: {
    title: "Limites",
    description: "O tamanho de uma requisição, requisições e tokens por minuto, orçamentos e o que fazer em um limite.",
    lead: "Os limites são de uma chave ou da conta inteira. O erro diz qual deles você atingiu.",
    size: "Tamanho de uma requisição",
    rates: "Requisições e tokens por minuto",
    ratesText: "Onde há um limite, cada resposta diz quanto resta dele. Um limite conta o último minuto.",
    inOpenai: "Formato da OpenAI",
    inAnthropic: "Formato da Anthropic",
    waiting: "Quando um limite é atingido",
  },
  troubleshooting: {
    title: "Solução de problemas",
    description:
      "O que verificar quando uma requisição falha, para no meio, custa mais do que o esperado ou recebe outro modelo.",
    lead: "Comece pelo código da resposta: [Erros](/docs/errors/) explica cada um. Aqui estão as causas mais difíceis de ver.",
    key: "A chave é recusada, embora esteja certa",
    keyText:
      "Muitos clientes usam primeiro uma chave do ambiente, como `OPENAI_API_KEY` ou `ANTHROPIC_API_KEY`. Remova-a e teste a chave sozinha:",
    address: "Toda requisição recebe um 404",
    addressText:
      "A URL base está errada. Ela termina em `/v1` para clientes da OpenAI e em `/msgcompat` para clientes da Anthropic, que acrescentam `/v1` por conta própria.",
    model: "O modelo não existe",
    modelText:
      "Copie o nome da [lista de modelos](/models/): maiúsculas e minúsculas contam. Se ele está lá, a chave pode estar limitada a outros modelos. `GET /v1/models` mostra os que a chave pode usar.",
    balance: "O saldo é recusado, embora exista",
    balanceText:
      "Antes de uma requisição, reserva-se o máximo que ela pode custar. Diminua `max_tokens`, ou veja o orçamento da chave em [Chaves de API](/console/keys/).",
    stops: "A resposta para no meio",
    stopsText:
      "Se `finish_reason` for `length`, aumente `max_tokens`. Se o stream terminar sem o último evento, um tempo limite do seu cliente ou um proxy no caminho fechou a conexão.",
    late: "O stream chega de uma só vez",
    lateText: "Algo no caminho o acumula. Desative o buffer do seu proxy, ou teste `curl -N` em outra rede.",
    another: "Outro modelo responde",
    anotherText:
      "Se a chave permite um modelo alternativo, `x-sluice-model-used` diz qual respondeu. Em `/msgcompat`, o operador pode direcionar um nome do Claude a outro modelo; `/msgcompat/v1/models` mostra os nomes.",
    cost: "Uma requisição custa mais do que o esperado",
    costText:
      "Abra o recibo em [Uso](/console/usage/): ele mostra cada preço e cada quantidade. Modelos que raciocinam cobram isso como saída.",
    support: "O que o suporte precisa saber",
    supportText: "O `x-request-id` da resposta, a hora e o que você esperava. Nunca envie sua chave.",
  },
};
