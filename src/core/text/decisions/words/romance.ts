import type { DecisionWords } from "./decision-words.ts";

export const ROMANCE = {
  french: {
    isSpaced: true,
    stated: [
      ...["avons décidé", "ai décidé", "a décidé", "ont décidé", "été décidé", "est décidé", "la décision est"],
      ...["la décision a été", "décision :", "décision:", "avons choisi", "ai choisi", "avons opté", "ai opté"],
      ...["optons pour", "j'opte pour", "avons convenu", "sommes convenus", "avons retenu", "ai retenu", "partons sur"],
      ...["on part sur", "on reste sur", "restons sur", "utilisons … plutôt que", "utiliser … plutôt que"],
    ],
    denied: [
      ...[
        "pas … décidé",
        "pas … choisi",
        "pas … opté",
        "pas … convenu",
        "pas … retenu",
        "jamais décidé",
        "rien décidé",
      ],
      ...["rien n'est décidé", "aucune décision", "pas pris de décision", "rien … été décidé"],
    ],
  },
  spanish: {
    isSpaced: true,
    stated: [
      ...["hemos decidido", "he decidido", "ha decidido", "han decidido", "decidimos", "decidí", "se decidió"],
      ...["está decidido", "queda decidido", "la decisión es", "la decisión fue", "decisión:", "decisión final"],
      ...["optamos por", "opté por", "hemos optado", "elegimos", "elegí", "hemos elegido", "he elegido"],
      ...["acordamos", "hemos acordado", "nos quedamos con", "usaremos … en lugar de", "usar … en lugar de"],
      ...["usaremos … en vez de", "vamos con"],
    ],
    denied: [
      ...[
        "no … decidido",
        "no decidimos",
        "no decidí",
        "no se decidió",
        "no … elegido",
        "no elegimos",
        "no … acordado",
      ],
      ...["no … optado", "sin decidir", "ninguna decisión", "nada decidido", "no acordamos"],
    ],
  },
  portuguese: {
    isSpaced: true,
    stated: [
      ...["decidimos", "decidi", "foi decidido", "está decidido", "ficou decidido", "a decisão é", "a decisão foi"],
      ...[
        "decisão:",
        "decisão final",
        "optamos por",
        "optei por",
        "escolhemos",
        "escolhi",
        "combinamos",
        "ficamos com",
      ],
      ...["concordamos em", "foi acordado", "vamos usar … em vez de", "usar … em vez de", "tomamos a decisão"],
    ],
    denied: [
      ...["não decidimos", "não decidi", "não … decidido", "não … decidimos", "não … escolhemos", "não escolhi"],
      ...["nenhuma decisão", "sem decidir", "nada foi decidido", "nada decidido", "não … combinamos", "não tomamos"],
    ],
  },
  italian: {
    isSpaced: true,
    stated: [
      ...["abbiamo deciso", "ho deciso", "ha deciso", "hanno deciso", "stato deciso", "si è deciso", "è deciso"],
      ...["la decisione è", "decisione:", "decisione finale", "abbiamo scelto", "ho scelto", "abbiamo optato"],
      ...["ho optato", "optiamo per", "abbiamo concordato", "usiamo … invece di", "usare … invece di", "andiamo con"],
      ...["restiamo con", "preso la decisione"],
    ],
    denied: [
      ...["non … deciso", "non … scelto", "non … optato", "non … concordato", "nessuna decisione", "niente … deciso"],
      ...["indecis*", "nulla … deciso", "non … preso"],
    ],
  },
} as const satisfies Record<string, DecisionWords>;
