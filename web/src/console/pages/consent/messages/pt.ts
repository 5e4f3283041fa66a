import type { ConsentMessages } from "./en.ts";

export const messages: ConsentMessages = {
  title: "Antes de continuar",
  textFirst: "Leia e aceite o seguinte para usar o console. Enquanto isso, suas chaves de API continuam funcionando.",
  text: "Isto mudou desde que você aceitou. Leia e aceite para usar o console. Enquanto isso, suas chaves de API continuam funcionando.",
  pages: { terms: "Termos de serviço", privacy: "Política de privacidade" },
  version: "Versão {version}, em vigor desde {date}",
  otherLanguage: "Este texto não está disponível em português.",
  asPage: "Abrir como página",
  changes: "O que mudou",
  before: "O que você aceitou em {date}",
  accept: "Aceitar e continuar",
  decline: "Não aceito",
  declined:
    "Sem aceitar, você não pode usar o console. Você pode sair e decidir depois, salvar seus dados ou encerrar a conta. Suas chaves de API funcionam até o encerramento.",
  logOut: "Sair",
};
