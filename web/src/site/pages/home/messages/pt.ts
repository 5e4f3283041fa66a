import type { HomeTexts } from "./en.ts";

export const pt: HomeTexts = {
  title: "Um gateway para APIs de modelos",
  description: "Um endereço e uma chave para APIs de modelos, com a conta exata de cada chamada.",
  heading: "Uma chave para APIs de modelos e a conta exata de cada chamada",
  lead: "Os programas chegam a este gateway em {path} com qualquer cliente da OpenAI. GET /v1/models lista os modelos que sua chave pode usar.",
  prices: "Quanto custa",
  logIn: "Entrar",
  example: "Uma primeira chamada",
  start: "Criar uma conta",
  model: "Modelo",
  copy: "Copiar",
  copied: "Copiado",
  figures: {
    title: "Números deste serviço",
    models: "modelos",
    answered: "das chamadas respondidas em 30 dias",
    firstByte: "até o primeiro byte de {model}, mediana de 7 dias",
  },
  apis: {
    title: "O que seus programas já falam",
    lead: "Troque o endereço e a chave; todo o resto fica igual.",
    api: "Interface",
    path: "Endereço",
    clients: "Funciona com",
    more: "Embeddings, imagens, áudio, moderação",
    listing: "Os modelos de uma chave",
  },
  strip: {
    title: "Preços",
    all: "Todos os modelos e preços",
    input: "Entrada",
    output: "Saída",
    perMillion: "por milhão de tokens",
  },
  billing: {
    title: "Como funciona a cobrança",
    load: {
      title: "Carregar",
      text: "Escolha um plano e pague com cartão ou carteira digital. Todos os preços são em dólares americanos.",
    },
    call: {
      title: "Chamar",
      text: "Cada chamada é calculada pelos seus tokens, com exatidão, e arredondada para cima uma única vez, no fim.",
    },
    check: {
      title: "Conferir",
      text: "Cada chamada tem um recibo com unidades e preços. Você pode refazer a conta.",
    },
  },
  faq: {
    title: "Perguntas",
    code: {
      question: "Preciso mudar meu código?",
      answer:
        "Só o endereço e a chave. Clientes da OpenAI usam {openai} como URL base; clientes da Anthropic usam {anthropic}.",
    },
    fail: {
      question: "Quanto custa uma chamada que falha?",
      answer:
        "Nada. Uma chamada que termina em erro ou não traz saída é gratuita. Se você a interromper, paga o que foi produzido até ali.",
    },
    limit: {
      question: "Posso limitar o gasto de uma chave?",
      answer:
        "Sim. Uma chave pode ter orçamento, data de validade, lista de modelos, lista de endereços e limites por minuto. Pode ser revogada a qualquer momento.",
    },
    store: {
      question: "Minhas requisições são guardadas?",
      answer:
        "Requisições e respostas ficam cifradas por pouco tempo e depois são destruídas. Você pode desligar isso em cada chave. Ninguém as lê sem dar um motivo, que fica registrado.",
    },
    plan: {
      question: "Qual a diferença entre saldo e plano mensal?",
      answer: "O saldo dura até ser usado. Um plano mensal dá uma cota para o mês; o que sobra termina com ele.",
    },
  },
};
