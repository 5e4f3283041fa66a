import type { ChangelogTexts } from "./en.ts";

export const pt: ChangelogTexts = {
  title: "Mudanças da API",
  description: "O que mudou para programas que chamam a API, o mais recente primeiro, também como feed.",
  lead: "O que mudou para programas que chamam a API, o mais recente primeiro. Nada aqui quebra uma requisição que funcionava antes. Seu operador decide quando instala uma nova versão.",
  feed: "Acompanhe estas mudanças em um [feed]({feed}) (Atom).",
  change: {
    errorLink:
      "Respostas de erro têm um cabeçalho `Link` que leva à [página de erros](/docs/errors/), ao código desse erro.",
    capabilities:
      "A [lista de modelos](/models/) diz o que cada modelo faz, ordena por qualquer coluna e mostra os preços do seu grupo depois do login.",
    tags: "Chamadas podem levar tags no cabeçalho `x-sluice-tags` e indicar seu usuário final em `safety_identifier`, `user` ou `metadata.user_id`. O uso é somado por ambos.",
    organisations:
      "Várias pessoas podem dividir um saldo como organização. Programas a indicam no cabeçalho `x-organisation`.",
    fallback:
      "Se outro modelo respondeu no lugar do que você pediu, `x-sluice-model-used` diz qual. `x-sluice-fallback: off` recusa isso em uma chamada.",
    cache:
      "Chaves podem ter requisições repetidas respondidas com respostas guardadas. `x-sluice-cache` diz se uma resposta é uma delas.",
    cohere: "`/v2/rerank` aceita requisições de clientes da Cohere.",
    gemini:
      "Clientes Gemini funcionam em `/v1beta`: `:generateContent`, `:streamGenerateContent`, `:countTokens` e embeddings.",
    convert:
      "Chat completions, Responses e Messages funcionam com todos os modelos de chat: as requisições são convertidas quando um provedor só fala uma dessas APIs. `x-sluice-dropped` e `x-compat-dropped` dizem o que foi deixado de fora.",
    ending:
      "Respostas de um modelo obsoleto têm os cabeçalhos `Deprecation` e `Sunset`, assim como `/v1/models`. Um modelo encerrado é recusado com `model_ended`.",
    keyUsage: "`/v1/usage`, `/v1/credits` e `/v1/key` dizem o que uma chave gastou e ainda pode gastar.",
    first: "A primeira versão, 0.1.0: `/v1` para clientes da OpenAI e `/msgcompat` para clientes da Anthropic.",
  },
};
