import type { FigureMessages } from "./en.ts";

export const messages: FigureMessages = {
  title: "Como os números são calculados",
  text: "Cada número é calculado da mesma forma em todas as páginas, nos arquivos e na API.",
  entries: {
    calls: {
      name: "Chamadas",
      text: "Toda requisição com uma de suas chaves, como quer que termine: concluída, cancelada, com falha ou recusada. Uma chamada conta quando termina.",
    },
    success: {
      name: "Taxa de sucesso",
      text: "As chamadas concluídas como parte das concluídas e das que falharam. Não contam as recusadas, por exemplo por falta de saldo, nem as que seu programa cancelou.",
    },
    tokens: {
      name: "Tokens de entrada e de saída",
      text: "O que os modelos leram e escreveram, segundo o provedor. A entrada inclui tokens lidos do cache; a saída, os de raciocínio.",
    },
    cost: {
      name: "Custo",
      text: "O que foi cobrado pelas chamadas, com todos os multiplicadores, arredondado para cima uma vez por chamada a um múltiplo de US$ 0,000002. Pagamentos e reembolsos não o mudam.",
    },
    balance: {
      name: "Saldo",
      text: "O que você ainda pode gastar: tudo o que foi adicionado, menos o custo de suas chamadas e o que está retido para as que estão em andamento.",
    },
    held: {
      name: "Retido para chamadas",
      text: "O máximo que as chamadas em andamento podem custar e o custo das que acabaram de terminar e ainda não foram lançadas. Junto com o saldo, é o saldo do livro.",
    },
    firstByte: {
      name: "Primeiro byte",
      text: "O tempo desde a chegada da requisição até o envio do primeiro byte da resposta.",
    },
    duration: { name: "Duração", text: "O tempo desde a chegada da requisição até o fim da resposta." },
    percentiles: {
      name: "p50 e p95",
      text: "Metade das chamadas, e 95 de cada cem, levaram esse tempo ou menos. Vêm de somas por dia UTC em passos de um quarto de duplicação e são exatos a um décimo.",
    },
    speed: {
      name: "Tokens por segundo",
      text: "Os tokens de saída das respostas em streaming, divididos pelo tempo do primeiro byte até o fim.",
    },
    days: {
      name: "Dias e hoje",
      text: "Os dias começam à meia-noite no fuso horário que a página mostra; na página de uso você pode escolher outro. O dia de hoje não terminou: sua barra é mais clara e suas somas ainda crescem.",
    },
    previous: {
      name: "Período anterior",
      text: "O mesmo número de dias logo antes dos escolhidos. Todos já terminaram.",
    },
    tags: {
      name: "Usuários finais e tags",
      text: "Uma chamada conta para cada uma de suas tags, por isso as somas por tag podem passar do total. Chamadas sem usuário final ou tag não aparecem ali.",
    },
  },
};
