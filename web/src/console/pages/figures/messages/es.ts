import type { FigureMessages } from "./en.ts";

export const messages: FigureMessages = {
  title: "Cómo se calculan las cifras",
  text: "Cada cifra se calcula igual en todas las páginas, en los archivos y en la API.",
  entries: {
    calls: {
      name: "Llamadas",
      text: "Toda petición con una de tus claves, termine como termine: completada, cancelada, fallida o rechazada. Una llamada cuenta cuando ha terminado.",
    },
    success: {
      name: "Tasa de éxito",
      text: "Las llamadas completadas como parte de las completadas y las fallidas. No cuentan las rechazadas, por ejemplo por falta de saldo, ni las que canceló tu programa.",
    },
    tokens: {
      name: "Tokens de entrada y de salida",
      text: "Lo que los modelos leyeron y escribieron, según el proveedor. La entrada incluye los tokens leídos de la caché; la salida, los de razonamiento.",
    },
    cost: {
      name: "Coste",
      text: "Lo que se cobró por las llamadas, con todos los multiplicadores, redondeado hacia arriba una vez por llamada a un múltiplo de 0,000002 $. Los pagos y reembolsos no lo cambian.",
    },
    balance: {
      name: "Saldo",
      text: "Lo que aún puedes gastar: todo lo añadido, menos el coste de tus llamadas y lo retenido para las que están en curso.",
    },
    held: {
      name: "Retenido para llamadas",
      text: "Lo máximo que pueden costar las llamadas en curso y el coste de las que acaban de terminar y aún no están anotadas. Junto con el saldo es el saldo del libro.",
    },
    firstByte: {
      name: "Primer byte",
      text: "El tiempo desde que llega la petición hasta que se te envía el primer byte de la respuesta.",
    },
    duration: { name: "Duración", text: "El tiempo desde que llega la petición hasta que termina la respuesta." },
    percentiles: {
      name: "p50 y p95",
      text: "La mitad de las llamadas, y 95 de cada cien, tardaron eso o menos. Proceden de sumas por día UTC en pasos de un cuarto de duplicación y son exactos hasta una décima parte.",
    },
    speed: {
      name: "Tokens por segundo",
      text: "Los tokens de salida de las respuestas en streaming, divididos por el tiempo desde su primer byte hasta el final.",
    },
    days: {
      name: "Días y hoy",
      text: "Los días empiezan a medianoche en la zona horaria que muestra la página; en la página de uso puedes elegir otra. El día de hoy no ha terminado: su barra es más pálida y sus sumas aún crecen.",
    },
    previous: {
      name: "Periodo anterior",
      text: "El mismo número de días justo antes de los elegidos. Todos han terminado.",
    },
    tags: {
      name: "Usuarios finales y etiquetas",
      text: "Una llamada cuenta para cada una de sus etiquetas, así que las sumas por etiqueta pueden superar el total. Allí faltan las llamadas sin usuario final ni etiqueta.",
    },
  },
};
