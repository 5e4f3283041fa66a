import type { UpstreamsMessages } from "./en.ts";

export const messages: UpstreamsMessages = {
  title: "Orígenes",
  text: "Lo que responde a tus llamadas. El operador de este servicio mantiene las conexiones con los proveedores; tus claves llegan a los modelos de abajo.",
  models: "Modelos que pueden llamar tus claves",
  model: "Modelo",
  owner: "Proveedor",
  context: "Contexto",
  tokens: "{count} tokens",
  input: "Entrada, 1 M de tokens",
  output: "Salida, 1 M de tokens",
  cache: "Entrada en caché, 1 M de tokens",
  state: "Estado",
  offered: "disponible",
  sunset: "termina el {date}",
  deprecated: "sustituido por uno más nuevo",
  noModels: "Tu cuenta no tiene ningún modelo",
  noModelsText:
    "Ninguna conexión atiende a tu grupo en este momento. Las llamadas se rechazan hasta que el operador añada una.",
  profiles: "Perfiles de autenticación de los orígenes",
  profilesText:
    "Un perfil describe cómo se iniciaría sesión en un proveedor. Los perfiles son metadatos: ninguna llamada se encamina con ellos y solo los administradores los ven.",
  show: "Mostrar los perfiles",
  adminOnly:
    "Estos perfiles son para administradores. Inicia sesión como administrador en este navegador y vuelve a intentarlo.",
  adminLogin: "Acceso de administradores",
  noProfiles: "Aún no hay ningún perfil.",
  name: "Nombre",
  authType: "Tipo",
  status: "Estado",
  scope: "Modelos",
  allModels: "todos",
  refresh: "Comprobar renovación",
  refreshed: "Ha quedado marcado para que alguien lo conecte a mano. No se ha llamado a ningún proveedor.",
  never: "nunca pedido",
  pending: "pending_manual_connector desde {time}",
  failed: "No ha funcionado",
};
